import copy
import re
from typing import Any

import pytest

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.network import rules
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.network_namespaces import PRIMARY_LABEL
from ovnguard.validators.network.cluster_view import ClusterView, EmptyView, ObjectsView
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.rules import RuleContext, Severity, all_rules
from tests.support.manifests.network_objects import (
    OVN,
    JsonObject,
    advertisement,
    cudn,
    layer2,
    layer3,
    nad,
    node,
    operator,
    udn,
)

MANAGED = {"asNumber": 64600, "bgpTopology": "fullMesh"}
POD: JsonObject = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "sky"}}
NODES = (node("a", 2), node("b", 3), node("c", 4))
PREFIX = "pod or join subnet overlaps with already configured internal subnets: "
L2 = "spec.network.layer2"
L3 = "spec.network.layer3"
# An inventory does not keep its view alive.
KEPT: list[ClusterView] = []
TRANSIT = "metadata.annotations[ovnguard.io/transit-subnets]"


def context(obj: JsonObject, old: JsonObject | None = None, world: tuple[JsonObject, ...] = ()) -> RuleContext:
    network = network_of(obj)
    assert network.errors == ()
    view = ObjectsView(world) if world else EmptyView()
    KEPT.append(view)
    return RuleContext(
        operation="CREATE" if old is None else "UPDATE",
        object=obj,
        old=old,
        network=network.network,
        old_network=network_of(old).network if old is not None else None,
        facts=cluster_facts(view),
        inventory=inventory_of(view),
    )


def run(ctx: RuleContext) -> tuple[tuple[FieldError, ...], tuple[FieldError, ...], tuple[str, ...]]:
    errors, warnings, unchecked = rules.run(ctx)
    return errors, warnings, tuple(each.text for each in unchecked)


def errors(obj: JsonObject, old: JsonObject | None = None, world: tuple[JsonObject, ...] = ()) -> list[str]:
    return [f"{error.rule} {error.text}" for error in run(context(obj, old, world))[0]]


def warnings(obj: JsonObject) -> list[str]:
    return [f"{error.rule} {error.text}" for error in run(context(obj))[1]]


def test_ids_are_unique_and_every_rule_explains_itself() -> None:
    assert len({rule.id for rule in all_rules()}) == len(all_rules())
    for rule in all_rules():
        assert rule.id.startswith(("OVNG-NET-", "OVNG-L2-", "OVNG-DYN-", "OVNG-IC-", "OVNG-DNS-"))
        assert rule.message
        assert rule.hint
        assert rule.design
        assert rule.severity in Severity


@pytest.mark.parametrize(
    "obj",
    [
        operator({}),
        layer2("10.41.0.0/16", transit="100.88.0.0/16"),
        layer3("10.40.0.0/16"),
        layer2("10.41.0.0/16", role="Secondary"),
        cudn(
            topology="Localnet",
            localnet={"role": "Secondary", "physicalNetworkName": "p", "subnets": ["100.65.0.0/24"]},
        ),
        udn(topology="Layer2", layer2={"role": "Secondary", "ipam": {"mode": "Disabled"}}),
        nad(transitSubnet="100.88.0.0/16"),
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}},
    ],
)
def test_good_networks_have_no_messages(obj: JsonObject) -> None:
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "red", "labels": {PRIMARY_LABEL: ""}}}
    zoned = node("d", 5, zone_name="d")
    other = {**udn(topology="Layer2", layer2={"role": "Secondary"}), "metadata": {"name": "green", "namespace": "red"}}
    service = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "EgressService",
        "metadata": {"name": "web", "namespace": "gray"},
    }
    world = (*NODES, zoned, operator({}), advertisement({"some": "network"}), other, space, POD, service)
    assert run(context(obj, None, world)) == ((), (), ())
    assert run(context(obj, copy.deepcopy(obj), world)) == ((), (), ())


UNCHECKED: list[tuple[JsonObject, tuple[str, ...]]] = [
    (
        layer2("10.41.0.0/16", transit="100.88.0.0/16"),
        (
            "the operator Network (OVNG-NET-002, OVNG-L2-029)",
            "RouteAdvertisements and other networks (OVNG-NET-043, OVNG-NET-044)",
            "RouteAdvertisements (OVNG-NET-047)",
            "nodes (OVNG-NET-010, OVNG-L2-003, OVNG-L2-032)",
            "other networks (OVNG-L2-035, OVNG-L2-006, OVNG-L2-007, OVNG-L2-008, OVNG-L2-011)",
            "namespaces (OVNG-L2-020, OVNG-L2-014, OVNG-L2-022)",
            "other networks and namespaces (OVNG-L2-016, OVNG-L2-018)",
            "namespaces and Pods (OVNG-L2-023)",
            "zones of nodes (OVNG-L2-026)",
            "EgressServices and namespaces (OVNG-NET-063)",
        ),
    ),
    (
        layer3("10.40.0.0/16"),
        (
            "the operator Network (OVNG-NET-002, OVNG-L2-029)",
            "RouteAdvertisements and other networks (OVNG-NET-043, OVNG-NET-044)",
            "nodes (OVNG-NET-010, OVNG-NET-011, OVNG-L2-032)",
            "other networks (OVNG-L2-035, OVNG-L2-006, OVNG-L2-008, OVNG-L2-011)",
            "namespaces (OVNG-L2-020, OVNG-L2-014, OVNG-L2-022)",
            "other networks and namespaces (OVNG-L2-016, OVNG-L2-018)",
            "namespaces and Pods (OVNG-L2-023)",
            "EgressServices and namespaces (OVNG-NET-063)",
        ),
    ),
    (
        layer3("10.40.0.0/16", transport="NoOverlay", noOverlay={"outboundSNAT": "Enabled", "routing": "Managed"}),
        (
            "the operator Network (OVNG-NET-002, OVNG-NET-006, OVNG-NET-015, OVNG-NET-014, OVNG-L2-029)",
            "the ClusterVersion (OVNG-NET-056)",
            "RouteAdvertisements and other networks (OVNG-NET-043, OVNG-NET-044)",
            "FRRConfigurations (OVNG-NET-035)",
            "nodes (OVNG-NET-046, OVNG-NET-025, OVNG-NET-010, OVNG-NET-011, OVNG-L2-032)",
            "the Infrastructure (OVNG-NET-024)",
            "EgressIPs and namespaces (OVNG-NET-026)",
            "EgressServices and namespaces (OVNG-NET-028, OVNG-NET-063)",
            "namespaces (OVNG-NET-030, OVNG-L2-020, OVNG-L2-014, OVNG-L2-022)",
            "other networks (OVNG-L2-035, OVNG-L2-006, OVNG-L2-008, OVNG-L2-011)",
            "other networks and namespaces (OVNG-L2-016, OVNG-L2-018)",
            "namespaces and Pods (OVNG-L2-023)",
        ),
    ),
    (
        cudn(topology="Localnet", localnet={"role": "Secondary", "physicalNetworkName": "p"}),
        (
            "RouteAdvertisements (OVNG-NET-047)",
            "other networks (OVNG-L2-035, OVNG-L2-006, OVNG-L2-008, OVNG-L2-011)",
            "namespaces (OVNG-L2-020)",
            "other networks and namespaces (OVNG-L2-018)",
        ),
    ),
]
# A rule that no row above has is about other objects, or newer than this table; its case file shows what it needs.
LISTED = frozenset(re.findall(r"OVNG-[A-Z0-9]+-[0-9]+", repr(UNCHECKED)))


@pytest.mark.parametrize(("obj", "expected"), UNCHECKED)
def test_unchecked_rules_are_noted_once(obj: JsonObject, expected: tuple[str, ...]) -> None:
    errors, warnings, unchecked = rules.run(context(obj))
    listed = [each._replace(rules=tuple(name for name in each.rules if name in LISTED)) for each in unchecked]
    assert (errors, warnings) == ((), ())
    assert [each.text for each in listed if each.rules] == [f"not checked: needs {each}" for each in expected]


@pytest.mark.parametrize(
    ("obj", "field", "value", "detail"),
    [
        (
            layer2("100.64.3.0/24"),
            f"{L2}.subnets[0]",
            "100.64.3.0/24",
            'user defined subnet "100.64.3.0/24" overlaps built-in join subnet "100.64.0.0/16"',
        ),
        (
            layer2("10.41.0.0/16", "fd98::/63"),
            f"{L2}.subnets[1]",
            "fd98::/63",
            'user defined subnet "fd98::/63" overlaps built-in join subnet "fd98::/64"',
        ),
        (
            layer2("169.254.1.0/24"),
            f"{L2}.subnets[0]",
            "169.254.1.0/24",
            'user defined subnet "169.254.1.0/24" overlaps masquerade subnet "169.254.0.0/17"',
        ),
        (
            layer3("100.88.0.0/15"),
            f"{L3}.subnets[0].cidr",
            "100.88.0.0/15",
            'user defined subnet "100.88.0.0/15" overlaps transit switch subnet "100.88.0.0/16"',
        ),
        # the join subnet of the other family is in use although nobody wrote it down
        (
            layer2("100.65.128.0/17"),
            f"{L2}.subnets[0]",
            "100.65.128.0/17",
            'user defined join subnet "100.65.0.0/16" overlaps user defined subnet "100.65.128.0/17"',
        ),
        (
            layer2("100.65.0.0/16", role="Secondary"),
            f"{L2}.subnets[0]",
            "100.65.0.0/16",
            'user defined join subnet "100.65.0.0/16" overlaps user defined subnet "100.65.0.0/16"',
        ),
        (
            layer2("10.41.0.0/16", joinSubnets=["100.64.0.0/24"]),
            f"{L2}.joinSubnets",
            "100.64.0.0/24",
            'user defined join subnet "100.64.0.0/24" overlaps built-in join subnet "100.64.0.0/16"',
        ),
        (
            layer2("10.41.0.0/16", joinSubnets=["10.41.8.0/24"]),
            f"{L2}.joinSubnets",
            "10.41.8.0/24",
            'user defined join subnet "10.41.8.0/24" overlaps user defined subnet "10.41.0.0/16"',
        ),
        (
            udn(topology="Layer2", layer2={"role": "Primary", "subnets": ["100.64.0.0/16"]}),
            "spec.layer2.subnets[0]",
            "100.64.0.0/16",
            'user defined subnet "100.64.0.0/16" overlaps built-in join subnet "100.64.0.0/16"',
        ),
        (
            nad(subnets="100.64.0.0/16"),
            "spec.config",
            "100.64.0.0/16",
            'user defined subnet "100.64.0.0/16" overlaps built-in join subnet "100.64.0.0/16"',
        ),
    ],
)
def test_overlap_with_internal_subnets(obj: JsonObject, field: str, value: str, detail: str) -> None:
    assert errors(obj) == [f'OVNG-NET-001 {field}: Invalid value: "{value}": {PREFIX}{detail}']


def test_a_layer2_network_may_cover_the_transit_subnet_of_the_cluster() -> None:
    assert errors(layer2("100.88.0.0/15", transit="100.90.0.0/16")) == []


def test_overlap_with_cluster_and_service_subnets() -> None:
    assert errors(layer2("10.129.0.0/16", "172.30.5.0/24"), None, (operator({}),)) == [
        f'OVNG-NET-002 {L2}.subnets[0]: Invalid value: "10.129.0.0/16": {PREFIX}'
        'user defined subnet "10.129.0.0/16" overlaps cluster subnet "10.128.0.0/14"',
        f'OVNG-NET-002 {L2}.subnets[1]: Invalid value: "172.30.5.0/24": {PREFIX}'
        'user defined subnet "172.30.5.0/24" overlaps service subnet "172.30.0.0/16"',
    ]


@pytest.mark.parametrize(
    ("obj", "field", "value", "detail"),
    [
        (
            operator({}, serviceNetwork=["10.130.0.0/16"]),
            "spec.serviceNetwork[0]",
            "10.130.0.0/16",
            'service subnet "10.130.0.0/16" overlaps cluster subnet "10.128.0.0/14"',
        ),
        (
            operator({}, clusterNetwork=[{"cidr": "100.64.0.0/16"}]),
            "spec.clusterNetwork[0].cidr",
            "100.64.0.0/16",
            'built-in join subnet "100.64.0.0/16" overlaps cluster subnet "100.64.0.0/16"',
        ),
        (
            operator({"ipv4": {"internalJoinSubnet": "10.128.9.0/24"}}),
            f"{OVN}.ipv4.internalJoinSubnet",
            "10.128.9.0/24",
            'built-in join subnet "10.128.9.0/24" overlaps cluster subnet "10.128.0.0/14"',
        ),
        (
            operator({"ipv4": {"internalTransitSwitchSubnet": "100.64.128.0/17"}}),
            f"{OVN}.ipv4.internalTransitSwitchSubnet",
            "100.64.128.0/17",
            'transit switch subnet "100.64.128.0/17" overlaps built-in join subnet "100.64.0.0/16"',
        ),
        (
            operator({"gatewayConfig": {"ipv6": {"internalMasqueradeSubnet": "fd98::/112"}}}),
            f"{OVN}.gatewayConfig.ipv6.internalMasqueradeSubnet",
            "fd98::/112",
            'masquerade subnet "fd98::/112" overlaps built-in join subnet "fd98::/64"',
        ),
    ],
)
def test_overlap_inside_the_default_network(obj: JsonObject, field: str, value: str, detail: str) -> None:
    expected = f'OVNG-NET-003 {field}: Invalid value: "{value}": illegal network configuration: {detail}'
    assert errors(obj) == [expected]


PLAIN = operator()
PROPOSED = operator(
    {
        "routeAdvertisements": "Enabled",
        "defaultNetworkTransport": "NoOverlay",
        "defaultNetworkNoOverlayOptions": {"outboundSNAT": "Enable", "routing": "Managed"},
        "bgpManagedConfig": MANAGED,
    }
)
RELEASED = operator(
    {
        "routeAdvertisements": "Enabled",
        "transport": "NoOverlay",
        "noOverlayConfig": {"outboundSNAT": "Enabled", "routing": "Managed"},
        "bgpManagedConfig": {"asNumber": 64600, "bgpTopology": "FullMesh"},
    }
)
TRANSPORT, OPTIONS, BGP = (
    f"OVNG-NET-004 {OVN}: Invalid value: {field} field is immutable"
    for field in ("DefaultNetworkTransport", "defaultNetworkNoOverlayOptions", "bgpManagedConfig")
)
FIXED = f"OVNG-NET-004 {OVN}: Invalid value: "


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # a parent that appears or vanishes
        (PLAIN, PROPOSED, [TRANSPORT, OPTIONS, BGP]),
        (PROPOSED, PLAIN, [TRANSPORT, OPTIONS, BGP]),
        (PLAIN, operator({"defaultNetworkTransport": "Geneve", "bgpManagedConfig": MANAGED}), [BGP]),
        (operator({"defaultNetworkTransport": "Geneve", "bgpManagedConfig": MANAGED}), PLAIN, [BGP]),
        (PLAIN, operator({"defaultNetworkTransport": "Geneve"}), []),
        (operator({"mtu": 1400}), PLAIN, []),
        (PLAIN, RELEASED, [f"{FIXED}transport can only be set to Geneve after installation"]),
        (
            RELEASED,
            PLAIN,
            [f"{FIXED}transport may not be removed once set", f"{FIXED}noOverlayConfig may not be removed once set"],
        ),
        (PLAIN, operator({"transport": "Geneve"}), []),
        # one spelling after the other: what they mean counts
        (PROPOSED, RELEASED, []),
        (RELEASED, PROPOSED, []),
        (
            PROPOSED,
            operator({"transport": "Geneve"}),
            [f"{FIXED}transport may not be removed once set", f"{FIXED}noOverlayConfig may not be removed once set"],
        ),
        (operator({"mtu": 1400}), RELEASED, [f"{FIXED}transport can only be set to Geneve after installation"]),
    ],
)
def test_the_default_network_keeps_its_transport(old: JsonObject, new: JsonObject, expected: list[str]) -> None:
    assert errors(new, old, (*NODES, operator({}))) == expected


def test_the_default_network_keeps_its_routing_in_the_other_spelling() -> None:
    new = copy.deepcopy(RELEASED)
    new["spec"]["defaultNetwork"]["ovnKubernetesConfig"]["noOverlayConfig"]["routing"] = "Unmanaged"
    assert errors(new, PROPOSED) == [f"{FIXED}routing is immutable once set"]


def no_overlay(**changes: str) -> JsonObject:
    options = {"outboundSNAT": "Enabled", "routing": "Unmanaged", **changes}
    return layer3("10.40.0.0/16", transport="NoOverlay", noOverlay=options)


def test_a_network_keeps_its_transport() -> None:
    rule = "OVNG-NET-005 spec.network"
    plain = layer3("10.40.0.0/16")
    assert errors(no_overlay(), plain) == [f'{rule}.transport: Invalid value: "NoOverlay": Transport is immutable']
    assert errors(plain, no_overlay()) == [f'{rule}.transport: Invalid value: "Geneve": Transport is immutable']
    assert errors(no_overlay(routing="Managed"), no_overlay()) == [
        f"{rule}.noOverlay: Invalid value: NoOverlay is immutable"
    ]
    assert errors(no_overlay(), no_overlay()) == []


def test_managed_routing_needs_managed_bgp() -> None:
    managed = no_overlay(routing="Managed")
    expected = [
        'OVNG-NET-006 spec.network.noOverlay.routing: Invalid value: "Managed": '
        "routing Managed requires bgpManagedConfig with an AS number in the operator Network"
    ]
    assert errors(managed, None, (routed(),)) == expected
    assert errors(managed, None, (routed(bgpManagedConfig={"bgpTopology": "fullMesh"}),)) == expected
    assert errors(managed, None, (routed(bgpManagedConfig=MANAGED),)) == []
    assert errors(no_overlay(), None, (routed(),)) == []


def routed(**config: Any) -> JsonObject:
    return operator({"routeAdvertisements": "Enabled", **config}, additionalRoutingCapabilities={"providers": ["FRR"]})


@pytest.mark.parametrize(
    ("asn", "detail"),
    [
        (23456, "invalid as-number: 23456 is reserved (AS_TRANS for 16-bit to 32-bit AS translation)"),
        (65535, "invalid as-number: 65535 is reserved"),
        (4294967295, "invalid as-number: 4294967295 is reserved"),
    ],
)
def test_reserved_as_numbers(asn: int, detail: str) -> None:
    released = operator({"bgpManagedConfig": {"asNumber": asn, "bgpTopology": "FullMesh"}})
    proposed = operator({"bgpManagedConfig": {"asNumber": asn, "bgpTopology": "fullMesh"}})
    text = f"{OVN}.bgpManagedConfig.asNumber: Invalid value: {asn}: {detail}"
    assert (errors(released), warnings(released)) == ([f"OVNG-NET-007 {text}"], [])
    assert (errors(proposed), warnings(proposed)) == ([], [f"OVNG-NET-008 {text}"])
    assert errors(released, copy.deepcopy(released)) == []


def test_no_overlay_wants_route_advertisements() -> None:
    off = copy.deepcopy(PROPOSED)
    off["spec"]["defaultNetwork"]["ovnKubernetesConfig"]["routeAdvertisements"] = "Disabled"
    assert warnings(PROPOSED) == []
    assert warnings(off) == [
        f'OVNG-NET-009 {OVN}.routeAdvertisements: Invalid value: "Disabled": '
        "routeAdvertisements should be Enabled when defaultNetworkTransport is NoOverlay"
    ]


@pytest.mark.parametrize(
    ("obj", "highest", "expected"),
    [
        (layer2("10.41.0.0/16", joinSubnets=["100.70.0.0/29"]), 7, []),
        (
            layer2("10.41.0.0/16", joinSubnets=["100.70.0.0/29"]),
            8,
            [
                f'OVNG-NET-010 {L2}.joinSubnets: Invalid value: "100.70.0.0/29": '
                'user defined join subnet "100.70.0.0/29" has 8 addresses, node ids up to 8 need 9'
            ],
        ),
        (
            operator({"ipv4": {"internalJoinSubnet": "100.66.0.0/29"}}),
            8,
            [
                f'OVNG-NET-010 {OVN}.ipv4.internalJoinSubnet: Invalid value: "100.66.0.0/29": '
                'built-in join subnet "100.66.0.0/29" has 8 addresses, node ids up to 8 need 9'
            ],
        ),
        (layer2("10.41.0.0/16", transit="100.88.0.0/28"), 7, []),
        (
            layer2("10.41.0.0/16", transit="100.88.0.0/28"),
            8,
            [
                f'OVNG-L2-003 {TRANSIT}: Invalid value: "100.88.0.0/28": '
                'transit switch subnet "100.88.0.0/28" has 16 addresses, node ids up to 8 need 18'
            ],
        ),
    ],
)
def test_room_for_every_node_id(obj: JsonObject, highest: int, expected: list[str]) -> None:
    assert errors(obj, None, (node("a", highest),)) == expected


@pytest.mark.parametrize("world", [(), (node("a", 8),)])
def test_room_for_the_first_node_whatever_is_known(world: tuple[JsonObject, ...]) -> None:
    assert errors(layer2("10.41.0.0/16", transit="100.88.0.0/30"), None, world) == [
        f'OVNG-L2-001 {TRANSIT}: Invalid value: "100.88.0.0/30": '
        'transit switch subnet "100.88.0.0/30" has 4 addresses, node ids start at 2 and need 6'
    ]
    assert errors(layer2("10.41.0.0/16", transit="100.88.0.0/29"), None, ()) == []


def test_a_subnet_for_every_node() -> None:
    detail = "IPv4 subnets provide 2 node subnets, but the cluster has 3 nodes"
    assert errors(layer3("10.40.0.0/23", "fd40::/48"), None, NODES) == [
        f'OVNG-NET-011 {L3}.subnets: Invalid value: "10.40.0.0/23": {detail}'
    ]
    assert errors(layer3("10.40.0.0/23", "10.50.0.0/24/25"), None, NODES) == []


def test_masquerade_addresses() -> None:
    small = operator({"gatewayConfig": {"ipv4": {"internalMasqueradeSubnet": "169.254.169.0/29"}}})
    obj = layer2("10.41.0.0/16")
    assert errors(obj, None, (small,)) == [
        f'OVNG-NET-012 {L2}.subnets: Invalid value: "10.41.0.0/16": '
        'masquerade subnet "169.254.169.0/29" of the cluster has no addresses for any network id, '
        "the network may be given any up to 4095"
    ]
    obj["metadata"]["annotations"] = {"ovnguard.io/network-id": "4095"}
    assert errors(obj, None, (operator({}),)) == []


def test_recorded_transit_subnets_must_be_usable() -> None:
    facts = (operator({}), node("a", 2, host_cidrs='["192.168.7.3/24"]'))
    text = f"OVNG-L2-001 {TRANSIT}: Invalid value: "

    def details(transit: str, *subnets: str) -> list[str]:
        found = errors(layer2(*(subnets or ("10.41.0.0/16",)), transit=transit), None, facts)
        return [error for error in found if error.startswith("OVNG-L2-001")]

    assert details("100.88.0.0/16") == []
    assert details("fd97::/64") == [
        f'{text}"fd97::/64": must have one subnet of each IP family of the network\'s subnets: IPv4'
    ]
    assert details("100.88.0.0/16", "10.41.0.0/16", "fd41::/64") == [
        f'{text}"100.88.0.0/16": must have one subnet of each IP family of the network\'s subnets: IPv4 and IPv6'
    ]
    for transit, other in (
        ("10.41.0.0/24", 'user defined subnet "10.41.0.0/16"'),
        ("10.128.0.0/16", 'cluster subnet "10.128.0.0/14"'),
        ("172.30.1.0/24", 'service subnet "172.30.0.0/16"'),
        ("100.64.0.0/16", 'built-in join subnet "100.64.0.0/16"'),
        ("100.65.0.0/16", 'user defined join subnet "100.65.0.0/16"'),
        ("192.168.0.0/16", 'host network of node a "192.168.7.0/24"'),
    ):
        detail = f'{PREFIX}transit switch subnet "{transit}" overlaps {other}'
        assert details(transit) == [f'{text}"{transit}": {detail}']
    assert details("8.8.0.0/16") == [
        f'{text}"8.8.0.0/16": transit switch subnet "8.8.0.0/16" must lie in 10.0.0.0/8 or 100.64.0.0/10 or '
        "172.16.0.0/12 or 192.168.0.0/16"
    ]


def test_transit_subnets_that_are_valid_never_change() -> None:
    old = layer2("10.41.0.0/16", transit="100.90.0.0/16")
    new = layer2("10.41.0.0/16", transit="100.91.0.0/16")
    expected = [
        f'OVNG-L2-002 {TRANSIT}: Invalid value: "100.91.0.0/16": '
        "transit subnets are immutable while they are valid: 100.90.0.0/16 was selected before"
    ]
    assert errors(new, old) == expected
    assert errors(old, old) == []
    assert errors(new, old, (operator({}, serviceNetwork=["100.90.0.0/24"]),)) == []
    assert errors(nad(transitSubnet="100.91.0.0/16"), nad(transitSubnet="100.90.0.0/16")) == [
        text.replace(TRANSIT, "spec.config") for text in expected
    ]


@pytest.mark.parametrize(
    ("subnet", "where"),
    [("10.41.0.0/32", "10.41.0.0/32"), ("10.41.0.0/31", "10.41.0.0/31"), ("fd41::/128", "fd41::/128")],
)
def test_gateway_and_management_port_need_an_address(subnet: str, where: str) -> None:
    assert errors(layer2(subnet)) == [
        f'OVNG-L2-004 {L2}.subnets[0]: Invalid value: "{subnet}": '
        f"no free address for the gateway and the management port of {subnet} in {where}"
    ]


def test_what_was_wrong_before_is_not_held_against_an_update() -> None:
    old = layer2("100.64.3.0/24", "fd98::/64")
    new = {**copy.deepcopy(old), "metadata": {"name": "blue", "labels": {"a": "b"}}}
    assert len(errors(old)) == 2
    assert errors(new, old) == []
    other: dict[str, Any] = layer2("100.64.4.0/24", "fd98::/64")
    assert [text.partition(" Invalid")[0] for text in errors(other, old)] == [f"OVNG-NET-001 {L2}.subnets[0]:"]
