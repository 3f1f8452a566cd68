"""A cluster's life: networks, nodes and pods come, change and go, and after each step every zone is as if planned anew.

Everything that is given is recorded on the objects, as annotations are, and nowhere else.
"""

from collections.abc import Iterable
from ipaddress import ip_interface, ip_network

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ovnguard.reconciler.plan.numbers.host_subnets import host_subnets
from ovnguard.reconciler.plan.numbers.live_allocations import live_allocations
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.numbers.network_ids import allocate
from ovnguard.reconciler.plan.numbers.node_ids import node_ids, router_port_keys
from ovnguard.reconciler.plan.numbers.pod_addresses import PodAddresses, layer2_pools, layer3_pools
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import PodPort
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.row_diff import apply, diff
from ovnguard.validators.network.addresses.addressing import AddressError
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, NoOverlay, Role, Routing, Subnet, Topology, Transport
from tests.support.plan_samples import DUAL_DEFAULT, LAYER3_DUAL, SERVICES, V4, V6, layer3, node, udn
from tests.support.plan_scenarios import without_overlay
from tests.support.pod_placing import place_pod
from tests.support.soak import examples

LAYER2_OF = {"dual": (V4, V6), "v4": (V4,), "v6": (V6,)}
SMALL = (Subnet(ip_network("10.50.0.0/23"), 24), Subnet(ip_network("fd50::/62"), 64))


def unrecorded(kind: str, number: int) -> Network:
    """A network of one kind that nobody has given anything to yet."""
    name = f"cluster_udn_net{number}"
    if kind in LAYER2_OF:
        return udn(name, *LAYER2_OF[kind])
    if kind == "side2":
        return udn(name, V4, role=Role.SECONDARY, transit_subnets=())
    if kind == "wire":
        return udn(name, V4, role=Role.SECONDARY, transit_subnets=(), topology=Topology.LOCALNET)
    network = layer3(name, *(SMALL if kind == "small3" else LAYER3_DUAL), network_id=None)
    if kind == "routed3":
        return without_overlay(network, snat=True, routing=Routing.UNMANAGED)
    return network._replace(role=Role.SECONDARY) if kind == "side3" else network


KINDS = (*LAYER2_OF, "side2", "wire", "layer3", "small3", "routed3", "side3")


class Life(RuleBasedStateMachine):
    """The objects of a cluster, and the rows of its zones."""

    def __init__(self) -> None:
        super().__init__()
        self.networks: dict[str, Network] = {"default": DUAL_DEFAULT}
        self.nodes: dict[str, Node] = {}
        self.pods: dict[str, dict[str, PodAddresses]] = {}
        self.homes: dict[str, str] = {}
        self.rows: dict[str, tuple[Row, ...]] = {}
        self.memos: dict[str, Memo] = {}
        self.legacy = False
        self.count = 0
        self.anew = Plan(())

    @initialize(mode=st.sampled_from(["shared", "local"]), legacy=st.booleans())
    def begin(self, mode: str, legacy: bool) -> None:
        self.mode, self.legacy = mode, legacy
        self.join(1)
        self.join(2)

    @rule(kind=st.sampled_from(KINDS))
    def add_network(self, kind: str) -> None:
        self.count += 1
        network = unrecorded(kind, self.count)
        self.networks[network.name] = network
        self.settle()

    @precondition(lambda self: len(self.networks) > 1)
    @rule(data=st.data())
    def remove_network(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(set(self.networks) - {"default"})))
        del self.networks[name]
        self.pods.pop(name, None)
        self.nodes = {
            each.name: each._replace(
                host_subnets={net: own for net, own in each.host_subnets.items() if net != name},
                router_port_keys={net: key for net, key in each.router_port_keys.items() if net != name},
            )
            for each in self.nodes.values()
        }
        self.settle()

    @rule(data=st.data())
    def resize(self, data: st.DataObject) -> None:
        """A subnet more for a Layer3 network that has few."""
        small = [each for each in self.networks.values() if each.subnets == SMALL]
        if small:
            network = data.draw(st.sampled_from(small))
            more = (*SMALL, Subnet(ip_network("10.60.0.0/20"), 24), Subnet(ip_network("fd60::/56"), 64))
            self.networks[network.name] = network._replace(subnets=more)
            self.settle()

    @rule()
    def switch_snat(self) -> None:
        for name, network in self.networks.items():
            if network.transport is Transport.NO_OVERLAY and network.no_overlay is not None:
                options = NoOverlay(not network.no_overlay.outbound_snat, network.no_overlay.routing)
                self.networks[name] = network._replace(no_overlay=options)
        self.settle()

    @rule(number=st.integers(1, 6))
    def join(self, number: int) -> None:
        name = f"node{number}"
        if name in self.nodes:
            return
        base = node(number, v6=True, mode=self.mode, node_id=None, host_subnets={})
        # before the upgrade every network's gateway routers have keys; the default one stands for "some network"
        self.nodes[name] = base._replace(router_port_keys={"default": 1} if self.legacy else {})
        self.settle()

    @precondition(lambda self: len(self.nodes) > 1)
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.nodes)))
        del self.nodes[name]
        self.rows.pop(name, None)
        for places in self.pods.values():
            for pod in [pod for pod in places if self.homes[pod] == name]:
                del places[pod]
        self.settle()

    @precondition(lambda self: self.legacy)
    @rule(data=st.data())
    def upgrade(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.nodes)))
        self.nodes[name] = self.nodes[name]._replace(topology_version="2.0")
        self.settle()

    @rule(data=st.data())
    def add_pod(self, data: st.DataObject) -> None:
        network = self.networks[data.draw(st.sampled_from(sorted(self.networks)))]
        home = self.nodes[data.draw(st.sampled_from(sorted(self.nodes)))]
        places = self.pods.setdefault(network.name, {})
        if network.topology is Topology.LAYER3:
            pools = layer3_pools(network, home)
            keys = None
        else:
            pools = layer2_pools(network)
            keys = [
                each.router_port_keys[network.name]
                for each in self.nodes.values()
                if network.name in each.router_port_keys
            ]
        assert not isinstance(pools, AddressError)
        place = place_pod(pools, list(places.values()), keys=keys)
        if isinstance(place, PodAddresses):
            self.count += 1
            places[f"pod{self.count}"] = place
            self.homes[f"pod{self.count}"] = home.name
            self.settle()

    @rule(data=st.data())
    def remove_pod(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.networks)))
        places = self.pods.get(name, {})
        if places:
            del places[data.draw(st.sampled_from(sorted(places)))]
            self.settle()

    def settle(self) -> None:
        """Give out what is missing, record it, and bring every zone from its rows to the plan."""
        before = dict(self.networks), dict(self.nodes)
        self.record()
        self.nothing_moved(*before)
        for name in self.nodes:
            held = live_allocations(row for rows in self.rows.values() for row in rows)
            memo = self.memos.setdefault(name, Memo())
            plan = make_plan(self.ordered, self.members, SERVICES, (name,), held, memo, self.ports())
            for zone in plan.zones:
                rows = self.rows.get(name, ())
                self.rows[name] = apply(diff(rows, zone.rows), rows)
        self.anew = make_plan(self.ordered, self.members, SERVICES, pods=self.ports())

    def ports(self) -> dict[str, tuple[PodPort, ...]]:
        """The pods by network, as their records tell of them; an attachment bears the network's name."""
        return {
            network: tuple(
                PodPort(
                    *(network, f"ns/{network}", "ns", pod, f"uid-{pod}", self.homes[pod]),
                    *(place.mac, tuple(each.ip for each in place.addresses), place.key),
                )
                for pod, place in places.items()
            )
            for network, places in self.pods.items()
        }

    def record(self) -> None:
        ids = node_ids(self.members).numbers
        self.nodes = {name: each._replace(node_id=ids[name]) for name, each in self.nodes.items()}
        held = live_allocations(row for rows in self.rows.values() for row in rows)
        given = allocate(self.ordered, {name: each for name, each in held.items() if name in self.networks}).ids
        for name, network in self.networks.items():
            numbers = given[name]
            both = () if numbers.router_key is None else (numbers.switch_key, numbers.router_key)
            if not network.is_default:
                self.networks[name] = network._replace(network_id=numbers.network_id, tunnel_keys=both)
        for network in self.ordered:
            if network.topology is Topology.LAYER3:
                for name, subnets in host_subnets(network, self.members).subnets.items():
                    shares = {**self.nodes[name].host_subnets, network.name: subnets}
                    self.nodes[name] = self.nodes[name]._replace(host_subnets=shares)
            pods = self.pods.get(network.name, {}).values()
            keys = [place.key for place in pods if place.key is not None]
            for name, key in router_port_keys(network, self.members, keys).numbers.items():
                recorded = {**self.nodes[name].router_port_keys, network.name: key}
                self.nodes[name] = self.nodes[name]._replace(router_port_keys=recorded)

    @property
    def ordered(self) -> list[Network]:
        return list(self.networks.values())

    @property
    def members(self) -> list[Node]:
        return list(self.nodes.values())

    def nothing_moved(self, networks: dict[str, Network], nodes: dict[str, Node]) -> None:
        """What was recorded of whom stays is recorded still."""
        for name, old in networks.items():
            new = self.networks[name]
            assert old.network_id in (None, new.network_id)
            assert old.tunnel_keys in ((), new.tunnel_keys)
        for name, was in nodes.items():
            now = self.nodes[name]
            assert was.node_id in (None, now.node_id)
            for network, subnets in was.host_subnets.items():
                assert now.host_subnets[network] == subnets
            for network, key in was.router_port_keys.items():
                assert now.router_port_keys[network] == key

    @invariant()
    def rows_are_the_plan_from_scratch(self) -> None:
        assert {zone.node: tuple(zone.rows) for zone in self.anew.zones} == self.rows
        assert self.anew.errors == ()

    @invariant()
    def nothing_is_held_twice(self) -> None:
        once(each.node_id for each in self.members)
        ids = self.anew.ids
        once(each.network_id for each in ids.values())
        once(key for each in ids.values() for key in (each.switch_key, each.router_key) if key is not None)
        for network in self.ordered:
            once(subnet for each in self.members for subnet in each.host_subnets.get(network.name, ()))
            places = self.pods.get(network.name, {}).values()
            once(address.ip for place in places for address in place.addresses)
            once(place.mac for place in places)
            keys = [place.key for place in places]
            if network.needs_transit_subnet:
                keys += [each.router_port_keys.get(network.name) for each in self.members]
            once(key for key in keys if key is not None)

    @invariant()
    def pods_have_their_ports(self) -> None:
        """In their own zone, and of Layer2 networks in all."""
        for name, rows in self.rows.items():
            ports = [row for row in rows if row.table == "Logical_Switch_Port"]
            found = sorted(str(row.columns["name"]) for row in ports if row.entry("external_ids", "pod") == "true")
            wanted = (
                port
                for network, pods in self.ports().items()
                for port in pods
                if self.networks[network].topology is Topology.LAYER2 or port.node == name
            )
            assert found == sorted(port.name for port in wanted)

    @invariant()
    def addresses_of_routers_are_nobody_elses(self) -> None:
        for rows in self.rows.values():
            ports = [row for row in rows if row.table == "Logical_Router_Port"]
            once((row.network, ip_interface(text).ip) for row in ports for text in row.texts("networks"))
            once((row.network, key) for row in ports if (key := row.entry("options", "requested-tnl-key")))


def once(values: Iterable[object]) -> None:
    listed = list(values)
    assert len(set(listed)) == len(listed), listed


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=examples(12), stateful_step_count=10)
