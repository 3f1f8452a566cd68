"""frr.conf of a node: golden files, and what must never be in one."""

import json
from collections.abc import Callable
from ipaddress import ip_network
from typing import Any

import pytest

from ovnguard.reconciler.plan.bgp.frr_conf import render
from ovnguard.reconciler.plan.bgp.node_configuration import FrrConfigurations
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.frr_samples import PEER, SAMPLES, P, filtered, neighbor, node_configuration, router, with_raw
from tests.support.manifests.network_objects import JsonObject, frr
from tests.support.paths import GOLDEN
from tests.support.plan_samples import node

SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "peer", "namespace": "frr"},
    "type": "kubernetes.io/basic-auth",
    "data": {"password": "b3Blbi1zZXNhbWU="},
}


def conf(*documents: JsonObject, **options: Any) -> str:
    configuration = node_configuration(documents, node(1))
    assert configuration.errors == ()
    return render(configuration, "informational", **options)


@pytest.mark.parametrize("name", SAMPLES)
def test_golden(name: str, golden: Callable[[str, str], None]) -> None:
    sample = SAMPLES[name]
    configuration = FrrConfigurations(sample.documents).on(sample.node, Settings().default_join_subnets)
    assert configuration.errors == ()
    golden(f"frr/{name}.conf", render(configuration, "informational"))


def test_there_is_a_sample_for_every_golden_file() -> None:
    assert {file.stem for file in (GOLDEN / "frr").iterdir()} == {*SAMPLES}


def test_what_is_always_blocked_is_denied_first() -> None:
    blocked = [ip_network("10.96.0.0/16"), ip_network("fd02::/112")]
    lines = conf(frr(router(neighbor()))).splitlines()
    more = conf(frr(router(neighbor())), always_block=blocked).splitlines()
    start = more.index(f"ip prefix-list {PEER}-denied-inpl-ipv4 seq 1 permit 10.96.0.0/16 le 32")
    assert more[start : start + 6] == [
        f"ip prefix-list {PEER}-denied-inpl-ipv4 seq 1 permit 10.96.0.0/16 le 32",
        f"ipv6 prefix-list {PEER}-denied-inpl-ipv4 seq 2 permit fd02::/112 le 128",
        f"route-map {PEER}-in deny 3",
        f"  match ip address prefix-list {PEER}-denied-inpl-ipv4",
        f"route-map {PEER}-in deny 4",
        f"  match ipv6 address prefix-list {PEER}-denied-inpl-ipv4",
    ]
    assert [f"route-map {PEER}-in permit {number}" in more for number in (3, 4, 5, 6)] == [False, False, True, True]
    assert more[:start] == lines[:start]


def test_neighbours_of_a_vrf_have_names_of_their_own() -> None:
    text = conf(frr(router(neighbor()), router(neighbor(asn=65001, toAdvertise=filtered(P)), vrf="red", prefixes=[P])))
    assert f"ip prefix-list {PEER}-red-allowed-ipv4 seq 1 permit {P}\n" in text
    assert f"    neighbor {PEER} route-map {PEER}-red-out out\n" in text
    assert text.index(f"route-map {PEER}-out") < text.index(f"route-map {PEER}-red-out")
    assert text.index("router bgp 64512\n") < text.index("router bgp 64512 vrf red\n")


class TestPasswords:
    """Only the file that FRR reads contains them."""

    INLINE = frr(router(neighbor(password="open-sesame")))
    STORED = frr(router(neighbor(passwordSecret={"name": "peer"})))
    RAW = with_raw(
        frr(router(neighbor())), "router bgp 64512\n  neighbor PEERS password open-sesame\nkey-string open\n"
    )

    @pytest.mark.parametrize("document", [INLINE, STORED])
    def test_a_plan_hides_them(self, document: JsonObject) -> None:
        for secrets in (None, {"peer": SECRET}):
            configuration = node_configuration([document], node(1), secrets)
            text = render(configuration, "informational")
            assert f"  neighbor {PEER} password <hidden>\n" in text
            for shown in (text, repr(configuration), str(configuration)):
                assert "sesame" not in shown

    @pytest.mark.parametrize("document", [INLINE, STORED])
    def test_the_file_contains_them(self, document: JsonObject) -> None:
        configuration = node_configuration([document], node(1), {"peer": SECRET})
        text = render(configuration, "informational", reveal=True)
        assert f"  neighbor {PEER} password open-sesame\n" in text
        assert text.replace("open-sesame", "<hidden>") == render(configuration, "informational")

    def test_raw_lines_hide_them(self) -> None:
        assert conf(self.RAW).endswith("\n  neighbor PEERS password <hidden>\nkey-string <hidden>\n")
        assert conf(self.RAW, reveal=True).endswith("\n  neighbor PEERS password open-sesame\nkey-string open\n")

    @pytest.mark.parametrize("document", [STORED, frr(router(neighbor(password="(present)")))])
    def test_an_unknown_one_is_never_written(self, document: JsonObject) -> None:
        configuration = node_configuration([document], node(1))
        with pytest.raises(ValueError, match=r"^a password is unknown$"):
            render(configuration, "informational", reveal=True)

    def test_they_are_in_no_json(self) -> None:
        configuration = node_configuration([self.INLINE], node(1))
        with pytest.raises(TypeError, match="Password is not JSON serializable"):
            json.dumps(configuration.routers[0].neighbors[0].session)


HOSTILE = "x\nrouter bgp 666"
SHOWN = r"x\nrouter bgp 666"
WORD = "cannot be a word of frr.conf: it needs 1 to 253 ASCII characters without spaces"


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (frr(router(vrf=HOSTILE)), rf'vrf "x\nrouter bgp 666" {WORD}'),
        (frr(router(id=HOSTILE)), r'router id "x\nrouter bgp 666" is not an IPv4 address'),
        (frr(router(prefixes=[HOSTILE])), f"unknown ipfamily for {SHOWN}"),
        (frr(bfdProfiles=[{"name": "a b"}]), f'bfd profile name "a b" {WORD}'),
        (
            frr(router({"interface": "eth0 ", "asn": 1})),
            f'failed to process neighbor 1@eth0  for router 64512-: interface "eth0 " {WORD}',
        ),
        (
            frr(router(neighbor(sourceaddress=HOSTILE))),
            f"failed to process neighbor 64512@{PEER} for router 64512-: "
            rf'source address "x\nrouter bgp 666" {WORD}',
        ),
        (
            frr(router({"address": PEER, "dynamicASN": HOSTILE})),
            f"failed to process neighbor {SHOWN}@{PEER} for router 64512-: "
            f"neighbor {SHOWN}@{PEER} has invalid DynamicASN {SHOWN} specified, must be one of internal,external",
        ),
        (
            frr(router(neighbor(password="a\nb"))),
            f"failed to process neighbor 64512@{PEER} for router 64512-: "
            f"the password of neighbor 64512@{PEER} must be one word of at most 80 characters for FRR",
        ),
        (
            frr(router(neighbor(toAdvertise={"nextHop": {"ipv6": HOSTILE}}))),
            f"failed to process neighbor 64512@{PEER} for router 64512-: {SHOWN} is not an IPv6 address",
        ),
        (
            frr(router(neighbor(toAdvertise={"nextHop": {"ipv4": "2001:db8::1"}}))),
            f"failed to process neighbor 64512@{PEER} for router 64512-: 2001:db8::1 is not an IPv4 address",
        ),
        (
            frr(router(neighbor(toAdvertise={"withCommunity": [{"community": "no-export", "prefixes": []}]}))),
            f"failed to process neighbor 64512@{PEER} for router 64512-: failed to process local pref for neighbor "
            f"64512@{PEER}, err: invalid community no-export, err: invalid community format: no-export",
        ),
        (
            frr(router(evpn={"l2vnis": [{"vni": 1, "rd": HOSTILE}]})),
            r'"x\nrouter bgp 666" is not an administrator and a number, such as 65000:100',
        ),
        (
            with_raw(frr(), "log stdout\r\n"),
            "raw configuration has characters that frr.conf cannot contain",
        ),
        (with_raw(frr(), "\ud800"), "raw configuration has characters that frr.conf cannot contain"),
    ],
)
def test_no_value_adds_a_line(document: JsonObject, text: str) -> None:
    """Only raw configuration adds lines of its own."""
    configuration = node_configuration([document], node(1))
    assert [str(error) for error in configuration.errors] == [f"node node1: {text} (FRRConfiguration frr/site)"]
    assert render(configuration, "informational") == ""


def test_the_node_that_frr_calls_itself_by() -> None:
    member = node(1)._replace(name="worker-1.example")
    text = render(node_configuration([frr(router(neighbor()))], member), "debugging")
    assert text.splitlines()[:3] == ["log stdout debugging", "log timestamp precision 3", "hostname worker-1.example"]
