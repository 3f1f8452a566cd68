"""Which FRRConfigurations make up a node's configuration, and why a node has none."""

from ipaddress import ip_interface, ip_network
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.plan.bgp.frr_conf import render
from ovnguard.reconciler.plan.bgp.node_configuration import FrrConfigurations, NodeConfiguration
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.frr.frr_model import BfdProfile, FrrPart, Raw
from ovnguard.validators.network.frr.frr_parse import frr_part
from ovnguard.validators.network.frr.frr_secrets import StoredPassword
from tests.support.frr_samples import (
    PEER,
    SAMPLES,
    P,
    Q,
    filtered,
    mesh,
    neighbor,
    node_configuration,
    on_node,
    router,
    with_raw,
)
from tests.support.manifests.network_objects import JsonObject, frr
from tests.support.plan_samples import node
from tests.support.soak import examples

JOIN = (ip_network("fd98::/64"), ip_network("100.64.0.0/16"))


def selecting(selector: Any, name: str = "site") -> JsonObject:
    obj = frr(router(neighbor()), name=name)
    return {**obj, "spec": {**obj["spec"], "nodeSelector": selector}}


def errors(*documents: JsonObject, **options: Any) -> list[str]:
    """The only error, or none; a node with an error has nothing else."""
    configuration = node_configuration(documents, node(1), **options)
    if configuration.errors:
        assert configuration == NodeConfiguration("node1", errors=configuration.errors)
    return [str(error) for error in configuration.errors]


class TestSelection:
    @pytest.mark.parametrize(
        ("selector", "labels", "selects"),
        [
            ({}, {}, True),
            (None, {}, True),
            ({"matchLabels": {"rack": "1"}}, {"rack": "1"}, True),
            ({"matchLabels": {"rack": "1"}}, {"rack": "2"}, False),
            ({"matchExpressions": [{"key": "rack", "operator": "In", "values": ["1", "2"]}]}, {"rack": "2"}, True),
            ({"matchExpressions": [{"key": "rack", "operator": "DoesNotExist"}]}, {"rack": "2"}, False),
            ({"matchLabels": {"kubernetes.io/hostname": "node1"}}, {}, True),
            ({"matchLabels": {"kubernetes.io/hostname": "node2"}}, {}, False),
            ({"matchLabels": {"kubernetes.io/hostname": "node1"}}, {"kubernetes.io/hostname": "other"}, False),
            ({"matchLabels": {"kubernetes.io/hostname": "other"}}, {"kubernetes.io/hostname": "other"}, True),
            ({"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "Exists"}]}, {}, True),
        ],
    )
    def test_by_labels(self, selector: Any, labels: dict[str, str], selects: bool) -> None:
        configuration = node_configuration([selecting(selector)], node(1, labels=labels))
        assert (configuration.errors, bool(configuration.routers)) == ((), selects)
        assert configuration.is_empty is not selects

    def test_a_selector_that_nobody_can_read_stops_every_node(self) -> None:
        bad = selecting({"matchExpressions": [{"key": "rack", "operator": "Like", "values": ["1"]}]}, "bad")
        worse = selecting({"matchLabels": {"kubernetes.io/hostname": "node2", "a": "b c"}}, "also-bad")
        assert [str(error) for error in node_configuration([bad, worse, frr()], node(1)).errors] == [
            "node node1: could not parse nodeSelector for FRRConfiguration frr/also-bad",
            "node node1: could not parse nodeSelector for FRRConfiguration frr/bad",
        ]

    def test_other_kinds_are_no_configurations(self) -> None:
        assert node_configuration([{**frr(router(neighbor())), "kind": "RouteAdvertisements"}], node(1)).is_empty


class TestOfANode:
    @pytest.mark.parametrize(
        "own",
        [
            {"internal_ips": (ip_interface("192.0.2.1/24").ip,)},
            {"primary_addresses": (ip_interface("192.0.2.1/24"),)},
            {"host_cidrs": (ip_interface("198.51.100.1/24"), ip_interface("192.0.2.1/24"))},
        ],
    )
    def test_it_is_no_neighbour_of_itself(self, own: dict[str, Any]) -> None:
        document = frr(router(neighbor(), neighbor("192.0.2.2")), router(neighbor(asn=65001), vrf="red"))
        found = node_configuration([document], node(1, **own)).routers
        assert [[each.id for each in one.neighbors] for one in found] == [["192.0.2.2"], []]
        others = node_configuration([document], node(1)).routers
        assert [[each.id for each in one.neighbors] for one in others] == [[PEER, "192.0.2.2"], [f"{PEER}-red"]]

    @pytest.mark.parametrize("written", ["fc00::2", "FC00:0::2", "::ffff:172.18.0.2"])
    def test_its_address_in_other_notations(self, written: str) -> None:
        (one,) = node_configuration([frr(router(neighbor(written)))], node(1, v6=True)).routers
        assert one.neighbors == ()

    def test_router_id_where_there_is_no_ipv4_address(self) -> None:
        configurations = FrrConfigurations([frr(router(neighbor("fc00::9")), router(vrf="red", id="192.0.2.7"))])

        def found(**changes: Any) -> list[str]:
            return [each.router_id for each in configurations.on(node(1, **changes), JOIN).routers]

        assert found(v4=False, v6=True) == ["100.64.0.2", "192.0.2.7"]
        assert found(v6=True) == ["", "192.0.2.7"]
        assert found(v4=False, v6=True, node_id=None) == ["", "192.0.2.7"]
        no_room = configurations.on(node(1, v4=False, v6=True), [ip_network("100.64.0.0/31")]).routers
        assert [each.router_id for each in no_room] == ["", "192.0.2.7"]

    def test_profiles_and_raw_lines_are_sorted(self) -> None:
        one = with_raw(frr(bfdProfiles=[{"name": "slow"}, {"name": "fast", "receiveInterval": 50}]), "! 2", 7)
        other = with_raw(frr(bfdProfiles=[{"name": "slow", "echoMode": False}], name="other"), "! 1", 7)
        first = with_raw(frr(name="z"), "! 0", -1)
        found = node_configuration([one, other, first], node(1))
        assert found.bfd_profiles == (BfdProfile("fast", receive_interval=50), BfdProfile("slow"))
        assert found.raw == (Raw(-1, "z", "frr", "! 0"), Raw(7, "other", "frr", "! 1"), Raw(7, "site", "frr", "! 2"))


def test_the_merge_of_what_agrees() -> None:
    one = neighbor(
        toAdvertise={**filtered(P), "withLocalPref": [{"localPref": 9, "prefixes": [P]}]},
        toReceive=filtered({"prefix": P}),
        enableGracefulRestart=True,
    )
    other = neighbor(
        port=179,
        holdTime="180s",
        keepaliveTime="60s",
        connectTime="60s",
        bfdProfile="fast",
        toAdvertise={**filtered(Q), "withCommunity": [{"community": "1:2", "prefixes": [Q]}]},
        toReceive=filtered({"prefix": Q}),
        addressFamilies=["evpn"],
    )
    documents = [
        frr(router(one, prefixes=[P], id="192.0.2.8"), name="one"),
        frr(router(other, prefixes=[Q]), name="other", bfdProfiles=[{"name": "fast"}]),
    ]
    found = node_configuration(documents, node(1))
    assert found == node_configuration(documents[::-1], node(1))
    lines = render(found, "informational").splitlines()
    for line in (
        "  bgp router-id 192.0.2.8",
        f"  neighbor {PEER} graceful-restart",
        f"  neighbor {PEER} bfd profile fast",
        f"ip prefix-list {PEER}-9-ip-localpref-prefixes seq 1 permit {P}",
        f"ip prefix-list {PEER}-1:2-ip-community-prefixes seq 1 permit {Q}",
        f"ip prefix-list {PEER}-allowed-ipv4 seq 2 permit {Q}",
        f"ip prefix-list {PEER}-inpl-ipv4 seq 2 permit {Q}",
        f"    network {P}",
        f"    network {Q}",
    ):
        assert lines.count(line) == 1, line
    assert [each for each in lines if "timers" in each or " port " in each] == []


class TestSecrets:
    DOCUMENT = frr(router(neighbor(passwordSecret={"name": "peer"})))
    NEIGHBOR = f"node node1: failed to process neighbor 64512@{PEER} for router 64512-: "

    @pytest.mark.parametrize(
        ("secrets", "text"),
        [
            ({}, f"secret peer not found for neighbor 64512@{PEER}"),
            (
                {"peer": {"metadata": {"namespace": "frr"}, "type": "Opaque"}},
                'secret type mismatch on "frr"/"peer", type "kubernetes.io/basic-auth" is expected ',
            ),
            (
                {"peer": {"metadata": {"namespace": "frr"}, "type": "kubernetes.io/basic-auth", "data": {}}},
                'password field not specified in the secret "frr"/"peer"',
            ),
            (
                {"peer": {"type": "kubernetes.io/basic-auth", "data": {"password": "/w=="}}},
                'the password in the secret ""/"peer" is not text in base64',
            ),
            (
                {"peer": {"type": "kubernetes.io/basic-auth", "data": {"password": "YQpi"}}},
                f"the password of neighbor 64512@{PEER} must be one word of at most 80 characters for FRR",
            ),
        ],
    )
    def test_that_cannot_be_used(self, secrets: dict[str, JsonObject], text: str) -> None:
        assert errors(self.DOCUMENT, secrets=secrets) == [f"{self.NEIGHBOR}{text} (FRRConfiguration frr/site)"]

    def test_unread_ones_agree(self) -> None:
        """Two Secrets may contain the same password."""
        assert errors(self.DOCUMENT, frr(router(neighbor(passwordSecret={"name": "same"})), name="other")) == []
        assert errors(self.DOCUMENT, frr(router(neighbor(password="x")), name="other")) == []

    def test_read_ones_are_compared(self) -> None:
        def secret(password: str) -> JsonObject:
            return {"type": "kubernetes.io/basic-auth", "data": {"password": password}}

        other = frr(router(neighbor(passwordSecret={"name": "same"})), name="other")
        assert errors(self.DOCUMENT, other, secrets={"peer": secret("YQ=="), "same": secret("YQ==")}) == []
        assert errors(self.DOCUMENT, other, secrets={"peer": secret("YQ=="), "same": secret("Yg==")}) == [
            f"node node1: multiple passwords specified for {PEER} (FRRConfigurations frr/other and frr/site)"
        ]


def test_what_selects_several_nodes_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(obj: JsonObject, stored: StoredPassword) -> FrrPart:
        parsed.append(obj["metadata"]["name"])
        return frr_part(obj, stored)

    monkeypatch.setattr("ovnguard.reconciler.plan.bgp.node_configuration.frr_part", counted)
    configurations = FrrConfigurations([*mesh(3), mesh(3, number=2)[1], mesh(3, number=3)[1]])
    for number in (1, 2):
        configurations.on(node(number))
    assert parsed == ["ovnk-generated-1", "ovnk-managed-bgp", "ovnk-generated-2"]


@pytest.mark.parametrize("name", SAMPLES)
@given(st.randoms(use_true_random=False))
@settings(max_examples=examples(5), deadline=None)
def test_the_order_of_documents_does_not_matter(name: str, random: Any) -> None:
    sample = SAMPLES[name]
    documents = list(sample.documents)
    random.shuffle(documents)
    assert node_configuration(documents, sample.node) == node_configuration(sample.documents, sample.node)


TEXTS = st.one_of(
    st.sampled_from([PEER, P, "fc00::1", "", "a", "1:1", "All", "all", "1s", "internal", "x\n!"]), st.text()
)
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=True), TEXTS)
KEYS = st.sampled_from(
    [
        *("spec", "bgp", "routers", "neighbors", "asn", "address", "interface", "vrf", "prefixes", "imports", "evpn"),
        *("toAdvertise", "toReceive", "allowed", "mode", "prefix", "ge", "le", "withCommunity", "community", "raw"),
        *("rawConfig", "priority", "nodeSelector", "matchLabels", "bfdProfiles", "name", "metadata", "namespace"),
        *("password", "passwordSecret", "nextHop", "ipv4", "holdTime", "keepaliveTime", "l2vnis", "vni", "rd", "kind"),
    ]
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=5
)


@st.composite
def documents(draw: st.DrawFn) -> JsonObject:
    """An FRRConfiguration of any shape, often one with a router and a neighbour."""
    found = draw(st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=2))
    neighbors = [{**neighbor(), **each} for each in found]
    routers = [{**router(*neighbors), **draw(st.dictionaries(KEYS, VALUES, max_size=2))}]
    obj = {**frr(name=draw(st.sampled_from("abc"))), **draw(st.dictionaries(KEYS, VALUES, max_size=1))}
    if draw(st.booleans()):
        obj["spec"] = {"bgp": {"routers": routers}, **draw(st.dictionaries(KEYS, VALUES, max_size=2))}
    return obj


@given(st.lists(documents(), max_size=3, unique_by=lambda obj: ref_of(obj)[2:4]))
@settings(max_examples=examples(50), deadline=None)
def test_any_document_has_a_result(found: list[JsonObject]) -> None:
    there, back = (node_configuration(each, node(1)) for each in (found, found[::-1]))
    assert there == back
    text = render(there, "informational")
    assert bool(text) is not there.is_empty
    assert text.encode(errors="strict").decode() == text


def test_documents_stay_as_they_are() -> None:
    before = on_node(frr(router(neighbor(), prefixes=[P])), "node1")
    copy = on_node(frr(router(neighbor(), prefixes=[P])), "node1")
    node_configuration([before], node(1)._replace(labels={}))
    assert before == copy
