"""What a plan lacks on purpose is a difference with a reason."""

from dataclasses import replace
from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.comparison.explanation import explained
from ovnguard.reconciler.plan.comparison.explanations import EXPLANATIONS
from ovnguard.reconciler.plan.comparison.left_out import LeftOut, Reason
from ovnguard.reconciler.plan.comparison.row_differences import compare
from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row

IDS = {"k8s.ovn.org/network": "red_net"}
SWITCH = new_row("Logical_Switch", {"name": "red_net_ovn_layer2_switch", "external_ids": IDS})
REMOTE = new_row("Logical_Switch_Port", {"name": "red.net_red_two", "type": "remote", "external_ids": IDS})
ROUTER = new_row("Logical_Router_Port", {"name": "rtoe-GR_red_net_n", "external_ids": IDS})
BINDING = new_row("Static_MAC_Binding", {"logical_port": "rtoe-GR_red_net_n", "ip": "169.254.0.2", "mac": "x"})


def rules(left_out: LeftOut, *rows: Row) -> dict[str, str]:
    """The rule that explains each row that only the zone has, '' for none."""
    found = {each.identity: explained(each, EXPLANATIONS) for each in compare(rows, (), left_out).differences}
    return {identity: rule.id if rule is not None else "" for identity, rule in found.items()}


def test_a_row_without_a_reason_stays_drift() -> None:
    assert set(rules(LeftOut(), SWITCH, REMOTE, ROUTER, BINDING).values()) == {""}
    assert set(rules(LeftOut(frozenset({"other"}), frozenset({"p"}), frozenset({"q"})), SWITCH, REMOTE).values()) == {
        ""
    }


def test_rows_of_an_idle_network_are_in_grace() -> None:
    found = rules(LeftOut(idle=frozenset({"red_net"})), SWITCH, REMOTE, ROUTER, BINDING)
    assert set(found.values()) == {"grace"}
    # also those that the default network's controller makes for it
    ids = {"k8s.ovn.org/owner-controller": "default-network-controller", "network": "red_net"}
    policy = Row("Logical_Router_Policy", "u", {"priority": 102, "match": "m", "external_ids": ids})
    assert set(rules(LeftOut(idle=frozenset({"red_net"})), policy).values()) == {"grace"}


def test_ports_of_pods_are_left_out_by_name() -> None:
    port = frozenset({"red.net_red_two"})
    assert rules(LeftOut(refused=port), SWITCH, REMOTE) == {
        "red_net_ovn_layer2_switch": "",
        "red.net_red_two": "refused-pods",
    }
    assert rules(LeftOut(stranded=port), REMOTE) == {"red.net_red_two": "stranded-pods"}


def test_pods_with_another_primary_network_are_not_served() -> None:
    ids = {"EgressSVC": "red/web"}
    columns: dict[str, Column] = {"priority": 101, "match": "ip4.src == 10.244.0.3", "external_ids": ids}
    policy = new_row("Logical_Router_Policy", columns, "p")
    router = new_row("Logical_Router", {"name": "ovn_cluster_router", "policies": refs([policy])})
    identity = "ovn_cluster_router | 101 ip4.src == 10.244.0.3"
    assert rules(LeftOut(unserved=frozenset({"10.244.0.3"})), policy, router)[identity] == (
        "egress-services-of-primary-networks"
    )
    assert rules(LeftOut(unserved=frozenset({"10.244.0.30"})), policy, router)[identity] == ""


def test_reasons_are_read_and_written() -> None:
    left_out = LeftOut(frozenset({"b", "a"}), stranded=frozenset({"c"}))
    names: dict[str, list[str]] = {
        "idle": ["a", "b"],
        "refused": [],
        "stranded": ["c"],
        "unserved": [],
        "unstarted": [],
        "unrouted": [],
        "unadvertised": [],
        "upgraded": [],
        "detached": [],
    }
    assert left_out.as_json() == names
    assert left_out.reason("ACL", "c", "x") is None
    assert left_out.reason("Logical_Switch_Port", "c", "x") is Reason.STRANDED


def test_planned_rows_of_a_network_that_never_starts_are_explained() -> None:
    for left_out, rule in ((LeftOut(unstarted=frozenset({"red_net"})), "reservation-beyond-ipv6"), (LeftOut(), "")):
        found = [explained(each, EXPLANATIONS) for each in compare((), (SWITCH, ROUTER), left_out).differences]
        assert [each.id if each is not None else "" for each in found] == [rule, rule]
    # what OVN-Kubernetes has of it is no such row
    assert set(rules(LeftOut(unstarted=frozenset({"red_net"})), SWITCH).values()) == {""}


def test_members_of_a_set_are_left_out_by_name() -> None:
    name = "default-network-controller:EgressService:egresssvc-served-pods:v4"
    ids = {"k8s.ovn.org/id": name}
    observed = Row("Address_Set", "u", {"name": "a1", "addresses": ("10.244.0.3", "10.244.0.4"), "external_ids": ids})
    planned = replace(observed, columns={**observed.columns, "addresses": ("10.244.0.4",)})
    for unserved, rule in (({"10.244.0.3"}, "egress-services-of-primary-networks"), ({"10.244.0.4"}, "")):
        (difference,) = compare([observed], [planned], LeftOut(unserved=frozenset(unserved))).differences
        found = explained(difference, EXPLANATIONS)
        assert (found.id if found is not None else "") == rule


def test_routes_to_further_addresses_of_default_services_are_explained() -> None:
    ids = {"k8s.ovn.org/udn-enabled-default-service": "kube-system/kube-dns", **IDS}
    columns: dict[str, Column] = {"ip_prefix": "fd00::a", "policy": ("dst-ip",), "nexthop": "fd00::2"}
    route = Row("Logical_Router_Static_Route", "u", {**columns, "external_ids": ids})
    bare = Row("Logical_Router", "r", {"name": "red_net_transit_router"})
    router = replace(bare, columns={**bare.columns, "static_routes": (Ref("u"),)})
    for unrouted, rule in (({"fd00::a"}, "default-services-of-the-second-family"), ({"fd00::b"}, "")):
        found = compare([bare], [router, route], LeftOut(unrouted=frozenset(unrouted))).differences
        (explanation,) = [explained(each, EXPLANATIONS) for each in found]
        assert (explanation.id if explanation is not None else "") == rule


def test_shared_rows_are_of_no_network_that_never_starts() -> None:
    copp = new_row("Copp", {"name": "ovnkube-default"})
    router = new_row("Logical_Router", {"name": "red_net_transit_router", "external_ids": IDS, "copp": refs([copp])})
    found = compare((), (copp, router), LeftOut(unstarted=frozenset({"red_net"}))).differences
    assert {each.table: each.left_out for each in found} == {"Copp": None, "Logical_Router": Reason.UNSTARTED}


SUBNETS = "default-network-controller:AdvertisedNetwork:advertised-network-subnets:v4"
LEFT = "default-network-controller:EgressIP:egressip-served-pods:v4:cluster_udn_gone"


@pytest.mark.parametrize(
    ("members", "left", "reason"),
    [
        (("10.104.0.0/16",), {LEFT}, Reason.DELETED),
        (("10.104.0.0/16", "10.105.0.0/16"), {LEFT}, None),
        (("10.104.0.0/16",), set(), None),
        (("10.104.0.0/16",), {LEFT.replace("gone", "idle")}, None),
        (("10.104.0.0/16",), {LEFT.replace("v4", "v6")}, None),
        (("10.20.0.0/15",), {LEFT}, None),
        (("10.20.7.0/24",), {LEFT}, None),
        (("8.8.8.0/24",), {LEFT}, None),
        (("10.104.0.1",), {LEFT}, None),
        (("red",), {LEFT}, None),
    ],
)
def test_a_deleted_network_leaves_one_private_subnet(
    members: tuple[str, ...], left: set[str], reason: Reason | None
) -> None:
    left_out = LeftOut(idle=frozenset({"cluster_udn_idle"}), used=frozenset({ip_network("10.20.0.0/16")}))
    assert left_out.of_members("Address_Set", SUBNETS, members, left) is reason
