"""Source NAT of each pod, where ovnkube runs with disable-snat-multiple-gws: on the default network alone."""

from collections.abc import Iterable
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import EgressAssignment, EgressHop, EgressPod, PodPort
from ovnguard.reconciler.plan.rows.row import Ref, Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import NODE_IPS, exempted
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import SERVICES, nodes, pod, sharing
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER3_BOTH, without_overlay

DEFAULT = DUAL_OVERLAY_DEFAULT
PER_POD = replace(SERVICES, snat_per_pod=True)
ONE = pod(DEFAULT, "one", "node1", "10.128.4.5", "fd01:0:0:2::5")
ISOLATED = replace(pod(DEFAULT, "two", "node1", "10.128.4.6"), isolated=True)
OTHER = pod(DEFAULT, "far", "node2", "10.128.6.5")
NODE, NODE6 = "172.18.0.2", "fc00::2"


def planned(
    *pods: PodPort,
    network: Network = DEFAULT,
    settings: Settings = PER_POD,
    mode: str = "shared",
    memo: Memo | None = None,
) -> Plan:
    members = sharing(nodes(2, v6=True, mode=mode), network)
    plan = make_plan([network], members, settings, memo=memo, pods={network.name: pods} if pods else {})
    assert plan.errors == ()
    return plan


def on_gateway(plan: Plan) -> list[Row]:
    """The source NAT to the node's own addresses, without that of the join addresses."""
    rows = {Ref(row.uuid): row for row in plan.zones[0].rows}
    (router,) = (row for row in rows.values() if row.table == "Logical_Router" and "GR_" in str(row.columns["name"]))
    held = router.columns["nat"]
    assert isinstance(held, tuple)
    found = [rows[each] for each in held if isinstance(each, Ref)]
    return [row for row in found if not str(row.columns["logical_ip"]).startswith(("100.64.", "fd98:"))]


def pairs(rows: Iterable[Row]) -> set[tuple[object, object]]:
    return {(row.columns["logical_ip"], row.columns["external_ip"]) for row in rows}


def test_each_own_pod_is_translated_and_no_subnet() -> None:
    """Pods with another primary network, too: OVN-Kubernetes translates every port of the default network."""
    expected = {("10.128.4.5", NODE), ("fd01:0:0:2::5", NODE6), ("10.128.4.6", NODE)}
    assert pairs(on_gateway(planned(ONE, ISOLATED, OTHER))) == expected
    assert pairs(on_gateway(planned(ONE, ISOLATED, OTHER, mode="local"))) == expected
    assert on_gateway(planned()) == []
    subnets = {("10.128.0.0/14", NODE), ("fd01::/48", NODE6)}
    assert pairs(on_gateway(planned(ONE, settings=SERVICES))) == subnets
    (row, *_) = on_gateway(planned(ISOLATED))
    assert (row.columns["match"], row.columns["logical_port"], row.columns["exempted_ext_ips"]) == ("", (), ())


def test_user_defined_networks_keep_source_nat_of_their_subnets() -> None:
    own = pod(LAYER3_BOTH, "own", "node1", "10.20.1.5")
    found, usual = (planned(own, network=LAYER3_BOTH, settings=each) for each in (PER_POD, SERVICES))
    assert list(found.zones[0].rows) == list(usual.zones[0].rows)


def test_an_advertised_pod_is_translated_only_towards_nodes() -> None:
    settings = replace(PER_POD, advertises=True, advertised={"default": ()}, ip_versions=(4, 6))
    matches = {row.columns["logical_ip"]: row.columns["match"] for row in on_gateway(planned(ONE, settings=settings))}
    assert matches == {
        "10.128.4.5": f"ip4.dst == ${NODE_IPS.at(4)}",
        "fd01:0:0:2::5": f"ip6.dst == ${NODE_IPS.at(6)}",
    }


@pytest.mark.parametrize(("mode", "is_exempted"), [("shared", True), ("local", False)])
def test_without_an_overlay_destinations_are_exempted_as_for_a_subnet(mode: str, is_exempted: bool) -> None:
    network = without_overlay(DEFAULT, snat=True)
    plan = planned(ONE, network=network, mode=mode)
    sets = {version: Ref(exempted(network, version, ()).uuid) for version in (4, 6)}
    found = {row.columns["logical_ip"]: row.columns["exempted_ext_ips"] for row in on_gateway(plan)}
    assert found == {
        "10.128.4.5": (sets[4],) if is_exempted else (),
        "fd01:0:0:2::5": (sets[6],) if is_exempted else (),
    }
    assert {Ref(row.uuid) for row in plan.zones[0].rows}.issuperset(sets.values()) is is_exempted


def test_a_pod_that_leaves_here_with_an_egress_ip_has_only_that() -> None:
    def leaving(*hops: str) -> Settings:
        served = (EgressPod(ONE.title, "node1", ONE.addresses),)
        where = tuple(EgressHop(node, ip_address("172.18.0.90")) for node in hops)
        return replace(PER_POD, egress=(EgressAssignment("red", "default", 50_000, where, served),))

    memo = Memo()
    both = {("10.128.4.5", NODE), ("fd01:0:0:2::5", NODE6)}
    assert pairs(on_gateway(planned(ONE, settings=leaving("node2"), memo=memo))) == both
    assert pairs(on_gateway(planned(ONE, settings=leaving("node1", "node2"), memo=memo))) == {
        ("10.128.4.5", "172.18.0.90"),
        ("fd01:0:0:2::5", NODE6),
    }
    assert pairs(on_gateway(planned(ONE, settings=leaving("node2"), memo=memo))) == both
