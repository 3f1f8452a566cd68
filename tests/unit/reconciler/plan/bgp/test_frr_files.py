"""frr.conf of the zones of a plan: which nodes keep their file, and which networks report it."""

from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.bgp.frr_files import FrrFiles
from ovnguard.reconciler.plan.rows.row import ZonePlan
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.model import Network, Transport
from tests.support.frr_samples import PEER, neighbor, on_node, router
from tests.support.manifests.network_objects import JsonObject, frr
from tests.support.plan_samples import default_network, layer3, node, udn

SECRET = {"type": "kubernetes.io/basic-auth", "data": {"password": "b3Blbi1zZXNhbWU="}}
ROUTED = layer3("cluster_udn_red", transport=Transport.NO_OVERLAY)
CONFLICT = (frr(router(asn=1), name="a"), on_node(frr(router(asn=2), name="b"), "node2"))


@pytest.mark.parametrize(
    ("networks", "names"),
    [
        ([default_network(), udn(), ROUTED], ["default", "cluster_udn_red"]),
        ([default_network(transport=Transport.GENEVE), udn()], [""]),
    ],
)
def test_a_conflict_is_an_error_of_every_network_that_needs_routes(networks: list[Network], names: list[str]) -> None:
    files = FrrFiles(CONFLICT, networks, Settings())
    assert files.on(node(2)) == ("", None)
    assert [(each.network, each.node) for each in files.errors] == [(name, "node2") for name in names]
    text = "different asns (1 != 2) specified for same vrf:  (FRRConfigurations frr/a and frr/b)"
    assert {each.text for each in files.errors} == {text}
    shown, file = files.on(node(1))
    assert (shown.count("router bgp 1\n"), file, len(files.errors)) == (1, shown, len(names))


@pytest.mark.parametrize("document", [frr(), on_node(frr(router(neighbor())), "node2")])
def test_a_node_without_configuration_has_an_empty_file(document: JsonObject) -> None:
    files = FrrFiles([document], [], Settings())
    assert (files.on(node(1)), files.notes, files.errors) == (("", ""), [], [])


def test_only_the_file_has_the_password() -> None:
    document = frr(router(neighbor(passwordSecret={"name": "peer"})))
    shown, file = FrrFiles([document], [], Settings(), {"peer": SECRET}).on(node(1))
    assert f"  neighbor {PEER} password <hidden>\n" in shown
    assert file == shown.replace("<hidden>", "open-sesame")
    assert "open-sesame" not in repr(ZonePlan("node1", (), shown, file))


def test_a_file_without_its_password_is_not_written() -> None:
    document = frr(router(neighbor(passwordSecret={"name": "peer"})))
    files = FrrFiles([document], [default_network()], Settings())
    shown, file = files.on(node(1))
    assert (f"  neighbor {PEER} password <hidden>\n" in shown, file, files.errors) == (True, None, [])
    text = f"node node1: frr.conf is not written: the password of neighbor {PEER} is unknown"
    assert [str(note) for note in files.notes] == [text]


def test_settings_of_the_file() -> None:
    blocked = Settings(frr_log_level="debugging", frr_always_block=(ip_network("10.96.0.0/16"),))
    shown, _ = FrrFiles([frr(router(neighbor()))], [], blocked).on(node(1))
    assert shown.startswith("log stdout debugging\n")
    assert f"ip prefix-list {PEER}-denied-inpl-ipv4 seq 1 permit 10.96.0.0/16 le 32\n" in shown
