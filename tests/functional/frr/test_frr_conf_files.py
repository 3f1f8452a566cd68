"""FRR reads what is rendered for every sample: the syntax of all lines, and in a running FRR also their meaning."""

from collections.abc import Callable, Sequence

import pytest

from ovnguard.reconciler.apply.frr.frr_file import MARK
from ovnguard.reconciler.plan.bgp.frr_conf import render
from ovnguard.validators.network.declared.node import Node
from tests.support.frr_samples import SAMPLES, P, Q, filtered, mesh, neighbor, node_configuration, on_node, router
from tests.support.manifests.network_objects import JsonObject
from tests.support.manifests.network_objects import frr as frr_configuration
from tests.support.paths import GOLDEN
from tests.support.plan_samples import node, nodes
from tests.testbed import frr_daemons
from tests.testbed.fixtures import need
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

LabFactory = Callable[[Sequence[FrrNode]], FrrLab]

OTHER = "10.2.0.0/24"
# bfdd is no part of the lab, and a router in a VRF of the kernel neither.
LOADED = sorted({*SAMPLES} - {"bfd", "evpn", "other-node"})


@pytest.mark.parametrize("name", SAMPLES)
def test_frr_reads_every_golden_file(name: str, parts: Parts) -> None:
    need(parts, "frr")
    text = (GOLDEN / "frr" / f"{name}.conf").read_text(encoding="utf-8")
    assert frr_daemons.check(f"{MARK}{text}", parts.frr) == []


def test_a_line_that_frr_does_not_know_is_found(parts: Parts) -> None:
    need(parts, "frr")
    assert frr_daemons.check("router bgp 64512\n  neighbour 192.0.2.1 remote-as 1\n", parts.frr) != []


@pytest.mark.parametrize("name", LOADED)
def test_bgpd_takes_every_line(name: str, frr_lab: LabFactory) -> None:
    """And it has the sessions of the configuration, none refused."""
    sample = SAMPLES[name]
    configuration = node_configuration(sample.documents, sample.node)
    conf = render(configuration, "informational", reveal=True)
    lab = frr_lab([FrrNode("node1", [str(each) for each in sample.node.primary_addresses], "log stdout warnings\n")])
    # bgpd refuses graceful-restart until zebra is there.
    wait_until(lambda: lab["node1"].load(conf) == [], f"FRR taking {name}", 60)
    wanted = {each.peer for router in configuration.routers for each in router.neighbors}
    running = lab["node1"].vtysh("show running-config")
    missing = [peer for peer in wanted if f" neighbor {peer} " not in running]
    assert missing == []


def test_a_user_session_next_to_the_mesh(frr_lab: LabFactory) -> None:
    """The object of a user and those of the mesh are one configuration: a session with a password to another AS, which
    gets a prefix with a community, and may announce only some prefixes.
    """
    sent = {**filtered(P), "withCommunity": [{"community": "64512:7", "prefixes": [P]}]}
    tor = neighbor("172.18.0.100", 65001, password="open-sesame", toAdvertise=sent, toReceive=filtered({"prefix": Q}))
    members = nodes(2)
    site = on_node(frr_configuration(router(tor, prefixes=[P]), name="site"), "node1")
    files = {each.name: conf(each, *mesh(2, number=number), site) for number, each in enumerate(members, 1)}
    other = {"address": "172.18.0.2", "asn": 64512, "password": "open-sesame", "toAdvertise": filtered(Q, OTHER)}
    taken = {"allowed": {"mode": "all"}}
    outside = frr_configuration(router({**other, "toReceive": taken}, asn=65001, prefixes=[Q, OTHER]))
    addresses = {each.name: [str(own) for own in each.primary_addresses] for each in members}
    lab = frr_lab(
        [
            *(FrrNode(name, addresses[name], text) for name, text in files.items()),
            FrrNode("tor", ["172.18.0.100/16"], conf(node(99)._replace(name="tor"), outside)),
        ]
    )
    lab.wait_established()
    assert lab["node1"].peers() == {"172.18.0.3": "Established", "172.18.0.100": "Established"}
    wait_until(lambda: Q in lab["node1"].bgp_routes(), "the route from outside", 30)
    assert OTHER not in lab["node1"].bgp_routes()
    show = f"show bgp ipv4 unicast {P}"
    wait_until(lambda: "paths" in lab["tor"].json(show), "the route of the site", 30)
    assert [path["community"]["string"] for path in lab["tor"].json(show)["paths"]] == ["64512:7"]
    assert lab["node2"].peers() == {"172.18.0.2": "Established"}


def conf(member: Node, *documents: JsonObject) -> str:
    configuration = node_configuration(documents, member)
    assert configuration.errors == ()
    return render(configuration, "informational", reveal=True)
