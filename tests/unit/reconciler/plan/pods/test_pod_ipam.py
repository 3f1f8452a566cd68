"""Places of pods without record: what is recorded stays, nothing is given twice, the same input gives the same."""

from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation, LivePort, live_allocations
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.pods.pod_attachments import DesiredAttachment, desired_attachments
from ovnguard.reconciler.plan.pods.pod_ipam import Placement, place_pods
from ovnguard.reconciler.plan.pods.pod_objects import PodObject, Pods, pods_of
from ovnguard.reconciler.plan.rows.model import PodPort
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Role, Subnet, Topology
from tests.support.manifests.egress_manifests import BLUE, UDN, namespace
from tests.support.manifests.pod_manifests import cudn, nad
from tests.support.manifests.pod_manifests import pod as manifest
from tests.support.plan_samples import SERVICES, layer3, node, nodes, pod, sharing, udn
from tests.support.plan_scenarios import LAYER2, generations
from tests.support.soak import examples, limit

NOTHING = LiveAllocation()
SMALL = udn("a_net", "192.0.2.0/28", network_id=2, tunnel_keys=(16711685, 16715781))


def wish(name: str, node: str = "node1", attachment: str = "ns/net", wanted: tuple = ()) -> DesiredAttachment:
    return DesiredAttachment(PodObject("ns", name, f"uid-{name}", node, None), attachment, wanted)


def placed(
    wishes: Sequence[DesiredAttachment],
    *recorded: PodPort,
    network: Network = SMALL,
    members: tuple[Node, ...] = nodes(2),
    held: LiveAllocation = NOTHING,
) -> Placement:
    pods = Pods({network.name: recorded} if recorded else {})
    return place_pods(pods, {network.name: wishes}, [network], members, {network.name: held})


def table(placement: Placement) -> list[str]:
    ports = [port for each in placement.ports.values() for port in each]
    return [f"{port.pod} {' '.join(map(str, port.addresses))} {port.mac} {port.key}" for port in ports]


def test_what_is_recorded_comes_first_and_the_others_follow() -> None:
    first = pod(SMALL, "kept", "node1", "192.0.2.4", key=40)
    given = placed([wish("b"), wish("a", "node2")], first)
    assert table(given) == [
        "kept 192.0.2.4 0a:58:c0:00:02:04 40",
        "b 192.0.2.3 0a:58:c0:00:02:03 41",
        "a 192.0.2.5 0a:58:c0:00:02:05 42",
    ]
    text = "network a_net: allocated addresses for pods that record none: ns/b 192.0.2.3; ns/a 192.0.2.5"
    assert ([str(note) for note in given.notes], given.errors) == ([text], ())
    more = placed([wish(name) for name in "abcde"])
    assert more.notes[0].text.endswith("ns/a 192.0.2.3; ns/b 192.0.2.4; ns/c 192.0.2.5; and 2 more")


@limit(180)
def test_running_out_is_an_error_with_the_numbers() -> None:
    given = placed([wish(str(number)) for number in range(14)])
    assert len(given.ports["a_net"]) == 12
    text = "no IPv4 address left: all 12 of 192.0.2.0/28 for pods are in use"
    assert [str(error) for error in given.errors] == [
        f"network a_net, node node1, pod ns/{number}: {text}" for number in (12, 13)
    ]
    keyless = [pod(SMALL, f"p{key}", "node1", key=key) for key in range(10, 32768)]
    (error,) = placed([wish("a")], *keyless).errors
    assert error.text == "no port key left: all 32758 of 10 to 32767 are in use"


def test_live_rows_are_a_record_too() -> None:
    names = [wish("z"), wish("m")]
    before = placed(names)
    rows = make_plan([SMALL], nodes(2), SERVICES, pods=before.ports).zones[0].rows
    held = live_allocations(rows)["a_net"]
    assert held.ports == {
        "ns.net_ns_z": LivePort("0a:58:c0:00:02:03", (ip_address("192.0.2.3"),), 10),
        "ns.net_ns_m": LivePort("0a:58:c0:00:02:04", (ip_address("192.0.2.4"),), 11),
    }
    after = placed([wish("a"), *names], held=held)
    assert table(after)[1:] == table(before)
    assert table(after)[0] == "a 192.0.2.5 0a:58:c0:00:02:05 12"
    # an annotation counts more than a row
    taken = placed(names, pod(SMALL, "kept", "node1", "192.0.2.3", key=10), held=held)
    assert [line.split()[:2] for line in table(taken)] == [
        ["kept", "192.0.2.3"],
        ["z", "192.0.2.5"],
        ["m", "192.0.2.4"],
    ]


@pytest.mark.parametrize(
    "port",
    [
        LivePort("0a:58:c0:00:02:01", (ip_address("192.0.2.1"),), 10),
        LivePort("0a:58:0a:00:00:09", (ip_address("10.0.0.9"),), 10),
        LivePort("0a:58:c0:00:02:09", (), 10),
        LivePort("0a:58:c0:00:02:09", (ip_address("192.0.2.9"),)),
        LivePort("0a:58:c0:00:02:02", (ip_address("192.0.2.9"),), 10),
    ],
)
def test_what_rows_hold_and_the_network_no_longer_gives_counts_for_nothing(port: LivePort) -> None:
    given = placed([wish("a")], held=LiveAllocation(ports={"ns.net_ns_a": port}))
    assert table(given) == ["a 192.0.2.3 0a:58:c0:00:02:03 10"]


def test_spoiled_rows_hold_nothing() -> None:
    rows = make_plan([SMALL], nodes(1), SERVICES, pods=placed([wish("a")]).ports).zones[0].rows
    for column, value in (("addresses", ("x y",)), ("addresses", ()), ("options", {"requested-tnl-key": "70000"})):
        changed = [replace(row, columns={**row.columns, column: value}) for row in rows if "addresses" in row.columns]
        assert all(not each.ports for each in live_allocations(changed).values())


def test_the_closed_port_of_a_virtual_machine_still_holds_its_addresses() -> None:
    (port,) = placed([wish("a")]).ports[SMALL.name]
    plans = [
        make_plan([SMALL], nodes(1), SERVICES, pods={SMALL.name: (each,)})
        for each in (port, replace(port, machine="vm", enabled=False))
    ]
    first, second = (live_allocations(plan.zones[0].rows)[SMALL.name].ports for plan in plans)
    assert first == second != {}


def test_pods_of_layer3_networks_have_addresses_of_their_node() -> None:
    network = layer3("a_split", Subnet(ip_network("10.20.0.0/16"), 24), Subnet(ip_network("fd20::/48"), 64))
    members = (*sharing(nodes(2), network), node(3))
    given = placed(
        [wish("a"), wish("b", "node2"), wish("c", "node3"), wish("d", "x")], network=network, members=members
    )
    assert table(given) == [
        "a 10.20.2.3 fd20:0:0:2::3 0a:58:0a:14:02:03 None",
        "b 10.20.3.3 fd20:0:0:3::3 0a:58:0a:14:03:03 None",
    ]
    waits = "the pod has no address yet: it waits for k8s.ovn.org/node-subnets (and 1 more)"
    assert str(given.notes[1]) == f"network a_split, node node3, pod ns/c: {waits}"
    assert given.errors == ()


def test_networks_without_subnets_leave_it_to_the_pod() -> None:
    bare = udn("a_bare", role=Role.SECONDARY, subnets=(), transit_subnets=())
    given = placed([wish("a")], network=bare)
    text = "the pod has no address yet: it waits for k8s.ovn.org/pod-networks"
    assert ([note.text for note in given.notes], given.ports["a_bare"]) == ([text], ())


def test_pods_do_not_get_keys_of_routers_or_excluded_addresses() -> None:
    (port,) = placed([wish("a")], network=LAYER2, members=generations("on")).ports[LAYER2.name]
    assert port.key == 104
    excluded = (ip_network("192.0.2.0/30"), ip_network("192.0.2.4/32"))
    wire = SMALL._replace(topology=Topology.LOCALNET, role=Role.SECONDARY, excluded_subnets=excluded)
    assert table(placed([wish("a")], network=wire)) == ["a 192.0.2.5 0a:58:c0:00:02:05 None"]


def test_a_pod_may_ask_for_an_address_of_its_primary_network() -> None:
    asked = (ip_address("192.0.2.9"),)
    assert table(placed([wish("a", wanted=asked)])) == ["a 192.0.2.9 0a:58:c0:00:02:09 10"]
    (error,) = placed([wish("a", wanted=asked), wish("b", wanted=asked)]).errors
    assert str(error) == "network a_net, node node1, pod ns/b: 192.0.2.9 is already held"


FAMILIES = "requested IPs family types must match network's IP family configuration"


@pytest.mark.parametrize(
    ("network", "asked", "text"),
    [
        (
            SMALL._replace(role=Role.SECONDARY),
            ("192.0.2.9",),
            "cannot allocate a static IP request with IPAM for pod ns/net/ns/a (custom network configuration disabled)",
        ),
        (LAYER2, ("203.203.0.9",), f"layer2 network expects 2 IP(s), got 1: {FAMILIES}"),
        (SMALL, ("192.0.2.9", "192.0.2.10"), f"layer2 network expects 1 IP(s), got 2: {FAMILIES}"),
        (SMALL, ("2001:db8::9",), f"layer2 network expects 1 IP(s), got 1: {FAMILIES}"),
        (SMALL, ("198.51.100.9",), "failed to allocate IP 198.51.100.9 for a_net: not contained in any known subnet"),
    ],
)
def test_addresses_that_ovn_kubernetes_does_not_give_are_an_error(
    network: Network, asked: tuple[str, ...], text: str
) -> None:
    given = placed([wish("a", wanted=tuple(map(ip_address, asked)))], network=network)
    assert ([error.text for error in given.errors], table(given)) == ([text], [])


def test_without_subnets_a_pod_has_the_addresses_that_it_asks_for_and_keeps_its_key() -> None:
    bare = udn("a_bare", role=Role.SECONDARY, subnets=(), transit_subnets=(), network_id=3)
    asked = (ip_address("192.0.2.9"), ip_address("2001:db8::9"))
    wishes = [wish("b", wanted=(ip_address("192.0.2.8"),)), wish("a", wanted=asked)]
    given = placed(wishes, network=bare)
    assert table(given) == ["b 192.0.2.8 0a:58:c0:00:02:08 10", "a 192.0.2.9 2001:db8::9 0a:58:c0:00:02:09 11"]
    held = live_allocations(make_plan([bare], nodes(2), SERVICES, ("node1",), pods=given.ports).zones[0].rows)["a_bare"]
    assert table(placed(wishes[1:], network=bare, held=held)) == table(given)[1:]


def test_a_pod_may_choose_its_addresses_where_ovn_kubernetes_has_the_feature_on() -> None:
    chosen = manifest("a", chosen=[{"namespace": "ovn-kubernetes", "name": "default", "ips": ["203.203.0.77/16"]}])
    flag = {"name": "ovnkube-cluster-manager", "args": ["--enable-preconfigured-udn-addresses"]}
    manager = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "ovnkube-control-plane", "namespace": "ovn-kubernetes"},
        "spec": {"template": {"spec": {"containers": [flag]}}},
    }
    network = network_of(UDN).network
    assert network is not None

    def wanted(*objects: dict, planned: Network = network) -> list[tuple[str, ...]]:
        view = ObjectsView([UDN, BLUE, chosen, *objects])
        found = desired_attachments(view, pods_of(view), [planned])
        return [tuple(map(str, each.wanted)) for each in found["blue_net"]]

    assert wanted() == [()]
    assert wanted(manager) == [("203.203.0.77",)]
    assert wanted(planned=network._replace(reserved_subnets=(ip_network("203.203.8.0/24"),))) == [("203.203.0.77",)]


NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
RECORDED = st.lists(
    st.tuples(st.integers(3, 14), st.integers(10, 20)), unique_by=(lambda x: x[0], lambda x: x[1]), max_size=6
)


@settings(max_examples=examples(15))
@given(NAMES, NAMES, RECORDED)
def test_nobody_is_given_what_another_has_and_rows_are_replayed(
    first: list[str], second: list[str], record: list
) -> None:
    recorded = [pod(SMALL, f"r{last}", "node2", f"192.0.2.{last}", key=key) for last, key in record]
    held = LiveAllocation()
    known: dict[str, str] = {}
    for names in (first, second, second):
        given = placed([wish(name) for name in names], *recorded, held=held)
        ports = given.ports.get("a_net", ())
        assert given == placed([wish(name) for name in names], *recorded, held=held)
        assert len(ports) + len(given.errors) == len(recorded) + len(names)
        for claim in ([each.addresses for each in ports], [each.key for each in ports], [each.mac for each in ports]):
            assert len(set(claim)) == len(ports)
        plan = make_plan([SMALL], nodes(2), SERVICES, ("node1",), pods=given.ports)
        assert plan.errors == ()
        held = live_allocations(plan.zones[0].rows)["a_net"]
        now = dict(zip((each.title for each in ports), table(given), strict=True))
        assert all(now[title] == text for title, text in known.items() if title in now)
        known = now


def test_wishes_are_the_networks_that_a_pod_is_to_be_on() -> None:
    side = nad("blue", "side", "side-net")
    green = cudn("green")
    green["spec"]["namespaceSelector"] = {"matchLabels": {"team": "a"}}
    objects = [UDN, side, green, manifest("a", requests="side,side,net"), manifest("b", {})]
    networks = [parsed for each in objects if (parsed := network_of(each).network) is not None]
    networks += [layer3("default")]

    def wishes(*more: dict, planned: Sequence[Network] = networks) -> dict[str, list[str]]:
        view = ObjectsView([*objects, *more])
        found = desired_attachments(view, pods_of(view), planned)
        return {name: [each.attachment for each in wishes] for name, wishes in found.items()}

    side_only = {"side-net": ["blue/side", "blue/side/1"]}
    assert wishes() == {"default": ["default"], "blue_net": ["blue/net"], **side_only}
    assert wishes(BLUE) == wishes()
    assert wishes(namespace("blue")) == {"default": ["default"], **side_only}
    assert wishes(planned=networks[:1]) == {"blue_net": ["blue/net"]}
    # a namespace with the label for a primary network waits for it, also with the default network
    assert wishes(BLUE, planned=networks[1:]) == side_only
    assert wishes(namespace("blue"), planned=networks[1:]) == {"default": ["default"], **side_only}
    objects.remove(UDN)
    assert wishes(BLUE) == {"default": ["default"], "cluster_udn_green": ["blue/green"], **side_only}
