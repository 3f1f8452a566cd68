"""FRRConfigurations that contradict each other leave a node without configuration, and the error names both."""

from typing import Any

import pytest

from ovnguard.reconciler.plan.bgp.node_configuration import NodeConfiguration
from tests.support.frr_samples import PEER, P, filtered, neighbor, node_configuration, router
from tests.support.manifests.network_objects import JsonObject, frr
from tests.support.plan_samples import node


def errors(*documents: JsonObject) -> list[str]:
    """The only error, or none; a node with an error has nothing else."""
    configuration = node_configuration(documents, node(1))
    if configuration.errors:
        assert configuration == NodeConfiguration("node1", errors=configuration.errors)
    return [str(error) for error in configuration.errors]


def evpn(**found: Any) -> JsonObject:
    return router(evpn=found)


FAST = [{"name": "fast"}, {"name": "slow"}]
EVPN = 'could not merge EVPN configuration for vrf "", err: '


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        (router(asn=1), router(asn=2), "different asns (1 != 2) specified for same vrf: "),
        (router(asn=1, vrf="red"), router(asn=2, vrf="red"), "different asns (1 != 2) specified for same vrf: red"),
        (
            router(id="1.1.1.1"),
            router(id="1.1.1.2"),
            "different router ids (1.1.1.1 != 1.1.1.2) specified for same vrf: ",
        ),
        (router(neighbor(asn=1)), router(neighbor(asn=2)), f"multiple asns specified for {PEER}"),
        (
            router(neighbor()),
            router({"address": PEER, "dynamicASN": "internal"}),
            f"multiple asns specified for {PEER}",
        ),
        (router(neighbor()), router(neighbor(port=1179)), f"multiple ports specified for {PEER}"),
        (
            router(neighbor(sourceaddress="192.0.2.8")),
            router(neighbor(sourceaddress="192.0.2.9")),
            f"multiple source addresses specified for {PEER}",
        ),
        (router(neighbor(password="a")), router(neighbor(password="b")), f"multiple passwords specified for {PEER}"),
        (router(neighbor(password="a")), router(neighbor()), f"multiple passwords specified for {PEER}"),
        (
            router(neighbor(passwordSecret={"name": "s"})),
            router(neighbor()),
            f"multiple passwords specified for {PEER}",
        ),
        (
            router(neighbor(bfdProfile="fast")),
            router(neighbor(bfdProfile="slow")),
            f"multiple bfd profiles specified for {PEER}",
        ),
        (
            router(neighbor(ebgpMultiHop=True)),
            router(neighbor()),
            f"conflicting ebgp-multihop specified for {PEER}",
        ),
        (
            router(neighbor(dualStackAddressFamily=True)),
            router(neighbor()),
            f"conflicting advertiseDualStack specified for {PEER}",
        ),
        (
            router(neighbor(holdTime="90s", keepaliveTime="60s")),
            router(neighbor()),
            f"multiple hold times specified for {PEER}",
        ),
        (
            router(neighbor(holdTime="180s", keepaliveTime="30s")),
            router(neighbor()),
            f"multiple keepalive times specified for {PEER}",
        ),
        (router(neighbor(connectTime="10s")), router(neighbor()), f"multiple connect times specified for {PEER}"),
        (
            router(neighbor(asn=65001, localASN=65010)),
            router(neighbor(asn=65001)),
            f"multiple localASNs specified for {PEER}",
        ),
        (
            router(neighbor(asn=65001, vrf="x"), vrf="red"),
            router(neighbor(asn=65002), vrf="red"),
            f"multiple asns specified for {PEER}-red",
        ),
        (
            router(neighbor(toAdvertise={"nextHop": {"ipv4": "192.0.2.7"}})),
            router(neighbor(toAdvertise={"nextHop": {"ipv4": "192.0.2.8"}})),
            f"could not merge outgoing for neighbor {PEER} vrf , err: "
            "multiple next hops (192.0.2.7 != 192.0.2.8) specified",
        ),
        (
            router(
                neighbor(toAdvertise={**filtered(P), "withLocalPref": [{"localPref": 1, "prefixes": [P]}]}),
                prefixes=[P],
                vrf="red",
            ),
            router(
                neighbor(toAdvertise={**filtered(P), "withLocalPref": [{"localPref": 2, "prefixes": [P]}]}),
                prefixes=[P],
                vrf="red",
            ),
            f"could not merge outgoing for neighbor {PEER} vrf red, err: "
            f"multiple local prefs (1 != 2) specified for prefix {P}",
        ),
        (
            evpn(advertiseVNIs="All"),
            evpn(advertiseVNIs="Disabled"),
            EVPN + 'different advertiseVNIs ("All" != "Disabled")',
        ),
        (evpn(advertiseSVI=True), evpn(), EVPN + "different advertiseSVI (true != false)"),
        (
            evpn(l2vnis=[{"vni": 1, "rd": "1:1"}]),
            evpn(l2vnis=[{"vni": 1, "rd": "1:2"}]),
            EVPN + "could not merge l2vni 1, err: different RD values (1:1 != 1:2)",
        ),
        (
            evpn(l2vnis=[{"vni": 1, "importRTs": ["1:1"]}]),
            evpn(l2vnis=[{"vni": 1}]),
            EVPN + "could not merge l2vni 1, err: "
            "conflicting import route targets: mixing implicit and explicit route targets",
        ),
        (
            evpn(l3vni={"vni": 1, "exportRTs": ["1:1"]}),
            evpn(l3vni={"vni": 1}),
            EVPN + "conflicting export route targets: mixing implicit and explicit route targets",
        ),
        (evpn(l3vni={"vni": 1}), evpn(l3vni={"vni": 2}), EVPN + "different l3vni numbers (1 != 2)"),
    ],
)
def test_contradictions_name_both_objects(one: JsonObject, other: JsonObject, text: str) -> None:
    between = frr(router(neighbor("192.0.2.99")), name="b-between")
    documents = [frr(one, name="a-one", bfdProfiles=FAST), between, frr(other, name="c-other", bfdProfiles=FAST)]
    expected = [f"node node1: {text} (FRRConfigurations frr/a-one and frr/c-other)"]
    if "asns (" in text and "red" not in text:
        # The third object has the AS number of the first, or of neither.
        documents.pop(1)
    assert errors(*documents) == expected
    assert errors(*reversed(documents)) == expected


def test_profiles_that_contradict_each_other() -> None:
    one, other = (frr(name=name, bfdProfiles=[{"name": "x", "minimumTtl": ttl}]) for name, ttl in (("a", 1), ("b", 2)))
    text = "duplicate bfd profile name x with different values for config b (FRRConfigurations frr/a and frr/b)"
    assert errors(one, other) == [f"node node1: {text}"]


def test_an_object_that_contradicts_itself_is_named_alone() -> None:
    bad = frr(router(neighbor(), neighbor(port=1)), name="z")
    text = f"multiple ports specified for {PEER} (FRRConfiguration frr/z)"
    assert errors(frr(router(neighbor())), bad) == [f"node node1: {text}"]
