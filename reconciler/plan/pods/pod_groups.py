"""Pods' ports in the rows of their networks: the ports that can be planned, and errors for the others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.inputs.plannable_nodes import PlannableNodes, counted
from ovnguard.reconciler.plan.numbers.layer2_addresses import is_legacy
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.numbers.pod_addresses import Pool, is_platforms, layer2_pools, layer3_pools
from ovnguard.reconciler.plan.rows.model import PodPort, Remark
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.leases import missing_lease
from ovnguard.reconciler.plan.topology.pod_isolation import with_isolated_pods
from ovnguard.reconciler.plan.topology.pod_ports import is_shared, joined, pod_port_rows, pod_switch
from ovnguard.reconciler.plan.topology.pod_snat import with_pod_snat
from ovnguard.validators.network.addresses.addressing import AddressError
from ovnguard.validators.network.declared.node import CHASSIS_ID, Node
from ovnguard.validators.network.model import Network, Topology

_NAME: Final = "port name"
_KEY: Final = "tunnel key"
# What even two pods of one virtual machine cannot share.
_OWN: Final = (_NAME, _KEY)


@dataclass(frozen=True, slots=True)
class _Sound:
    """Pods of one network whose ports can be planned."""

    network: Network
    ids: NetworkIds
    ports: tuple[PodPort, ...]


@dataclass(slots=True)
class PodGroups:
    """Pods of all networks, with remarks about pods without ports."""

    chassis: Mapping[str, str]
    settings: Settings
    notes: list[Remark] = field(default_factory=list)
    # Names of the ports that pods with errors do not get, and those of pods on unknown nodes.
    refused: list[str] = field(default_factory=list)
    stranded: list[str] = field(default_factory=list)
    errors: list[Remark] = field(default_factory=list)
    _sound: dict[str, _Sound] = field(default_factory=dict)
    # Networks by the prefix of their pods' port names: '-', '/' and '.' are equal in OVN names.
    _prefixes: dict[str, list[str]] = field(default_factory=dict)

    def add(
        self, network: Network, ids: NetworkIds, pods: tuple[PodPort, ...], nodes: Sequence[Node], memo: Memo
    ) -> None:
        """Add the pods of one network, in order of creation."""
        make = partial(_checked, network, pods, nodes, self.chassis)
        checked: _CheckedPods = memo.of("pods", network, ids, make, pods)
        ports, prefixes = checked.sound, checked.prefixes
        others = {each for prefix in prefixes for each in self._prefixes.get(prefix, ())}
        self._sound[network.name] = _Sound(network, ids, self._with_own_names(ports, others) if others else ports)
        for prefix in prefixes:
            self._prefixes.setdefault(prefix, []).append(network.name)
        self.errors += checked.errors
        self.notes += checked.notes
        self.refused += checked.refused
        self.stranded += checked.stranded
        missing = missing_lease(network, self.settings)
        if missing and any(port.lease is not None for port in ports):
            self.notes.append(Remark(missing, network.name))

    def _with_own_names(self, ports: tuple[PodPort, ...], others: Iterable[str]) -> tuple[PodPort, ...]:
        """The ports whose names differ from those of ports of the ``others``, given as names of networks."""
        names = {port.name for other in others for port in self._sound[other].ports}
        self.errors += [_same_name(port) for port in ports if port.name in names]
        return tuple(port for port in ports if port.name not in names)

    def joined(self, groups: Mapping[str, tuple[Row, ...]], node: Node, memo: Memo) -> Mapping[str, tuple[Row, ...]]:
        """Return the row groups of a node's zone, with the ports of pods added to their networks' groups."""
        if not self._sound:
            return groups
        whole = dict(groups)
        for name, sound in self._sound.items():
            rows = groups.get(name)
            if rows is not None and sound.ports:
                made: dict[PodPort, tuple[Row, ...]] = memo.of(f"ports on {node.name}", sound.network, sound.ids, dict)
                make = partial(_zone_rows, rows, sound, node, self.chassis, self.settings, made)
                whole[name], errors = memo.of(
                    f"pods of {node.name}", sound.network, sound.ids, make, (sound.ports, rows)
                )
                self.errors += errors
        return whole


def pod_groups(
    networks: Iterable[Network],
    ids: Mapping[str, NetworkIds],
    pods: Mapping[str, tuple[PodPort, ...]],
    nodes: Sequence[Node],
    members: PlannableNodes,
    settings: Settings,
    memo: Memo,
) -> PodGroups:
    """Return the pods of all planned ``networks``; ``pods`` are by network name."""
    groups = PodGroups({node.name: node.chassis_id for node in members.peers} if pods else {}, settings)
    for network in networks if pods else ():
        if network.name in pods:
            groups.add(network, ids[network.name], pods[network.name], nodes, memo)
    return groups


class _CheckedPods(NamedTuple):
    """Valid pods, the prefixes of their names, errors and notes about the others, and the names of their ports."""

    sound: tuple[PodPort, ...]
    prefixes: frozenset[str]
    errors: list[Remark]
    notes: list[Remark]
    refused: list[str]
    stranded: list[str]


def _checked(
    network: Network, pods: Sequence[PodPort], nodes: Sequence[Node], chassis: Mapping[str, str]
) -> _CheckedPods:
    """Check the pods of a network: of two pods with the same claim, the later has no port."""
    claims = _Claims(network, nodes)
    known = {node.name for node in nodes}
    sound, errors, waiting, refused, stranded = [], [], [], [], []
    for pod in pods:
        fault = claims.take(pod)
        if fault:
            errors.append(Remark(fault, network.name, pod.node, pod.title))
            refused.append(pod.name)
        elif pod.node not in chassis:
            missing = f"waits for {CHASSIS_ID} of its node" if pod.node in known else "its node is not known"
            waiting.append(Remark(missing, network.name, pod.node, pod.title))
            stranded += [] if pod.node in known else [pod.name]
        else:
            sound.append(pod)
    prefixes = frozenset(Names(attachment).prefix for attachment in {pod.attachment for pod in sound})
    return _CheckedPods(tuple(sound), prefixes, errors, counted(waiting), refused, stranded)


def _same_name(pod: PodPort) -> Remark:
    return Remark(f"its port would have the name of another, {pod.name}", pod.network, pod.node, pod.title)


class _Claims:
    """Addresses, MACs and keys that pods of one network use, and those that no pod may use."""

    def __init__(self, network: Network, nodes: Sequence[Node]) -> None:
        self._network = network
        self._nodes = {node.name: node for node in nodes}
        # Names of holders: in comparisons, where the pods of one virtual machine are one, and in messages.
        self._held: dict[tuple[str, object], tuple[str, str]] = {}
        self._pools: dict[str, tuple[Pool, ...]] = {}
        for node in nodes if is_shared(network) else ():
            key = node.router_port_keys.get(network.name)
            if key is not None and is_legacy(node):
                self._held[_KEY, key] = ("", f"the router of node {node.name}")

    def take(self, pod: PodPort) -> str:
        """Claim the values of ``pod``; return why it cannot have them, or ''."""
        if is_shared(self._network) and pod.key is None:
            return f"no tunnel_id is recorded for {pod.attachment}"
        claims = list(self._claims(pod))
        holder = (f"machine {pod.namespace}/{pod.machine}") if pod.machine else f"pod {pod.title}"
        for claim in claims:
            if claim in self._held and (claim[0] in _OWN or self._held[claim][0] != holder):
                return f"{claim[0]} {str(claim[1]).rpartition(' ')[2]} is already held by {self._held[claim][1]}"
        pools = self._pools_of(pod.node)
        reserved = next((each for each in pod.addresses if is_platforms(pools, each)), None)
        if reserved is not None:
            return f"address {reserved} is not for pods"
        # in Layer3 networks a migrated virtual machine keeps an address of its first node
        strays = pod.addresses if pools and self._network.topology is not Topology.LAYER3 else ()
        stray = next((each for each in strays if not any(each in pool.subnet for pool in pools)), None)
        if stray is not None:
            return f"address {stray} is outside {', '.join(str(pool.subnet) for pool in pools)}"
        self._held.update(dict.fromkeys(claims, (holder, f"pod {pod.title}")))
        return ""

    def _claims(self, pod: PodPort) -> Iterable[tuple[str, object]]:
        yield _NAME, pod.name
        yield from (("address", each) for each in pod.addresses)
        # MACs matter on one switch
        yield "MAC", pod.mac if self._network.topology is not Topology.LAYER3 else f"{pod.node} {pod.mac}"
        if is_shared(self._network):
            yield _KEY, pod.key

    def _pools_of(self, node: str) -> tuple[Pool, ...]:
        """The subnets of the pod's switch, or none when they are unknown."""
        is_split = self._network.topology is Topology.LAYER3
        where = node if is_split else ""
        if where not in self._pools:
            found: tuple[Pool, ...] | AddressError = ()
            if not is_split:
                found = layer2_pools(self._network)
            elif node in self._nodes:
                found = layer3_pools(self._network, self._nodes[node])
            self._pools[where] = () if isinstance(found, AddressError) else found
        return self._pools[where]


def _zone_rows(
    rows: tuple[Row, ...],
    sound: _Sound,
    node: Node,
    chassis: Mapping[str, str],
    settings: Settings,
    made: dict[PodPort, tuple[Row, ...]],
) -> tuple[tuple[Row, ...], list[Remark]]:
    """The network's rows in one zone with its pods, and pods whose ports would be named like others.

    ``made`` are earlier rows of the same pods; it contains the current ones afterwards.
    """
    names = {row.uuid for row in rows}
    network, shared = sound.network, is_shared(sound.network)
    ports: dict[PodPort, tuple[Row, ...]] = {}
    errors = []
    for pod in sound.ports:
        remote = pod.node != node.name
        if remote and not shared:
            continue
        found = made.get(pod) or pod_port_rows(pod, network, chassis[pod.node], settings, remote=remote)
        if found[-1].uuid in names:
            errors.append(_same_name(pod))
        else:
            ports[pod] = found
    made.clear()
    made.update(ports)
    # the pods of one virtual machine have the same lease
    unique = {row.uuid: row for found in ports.values() for row in found}
    whole = joined(rows, pod_switch(network, node.name), tuple(unique.values()))
    if network.is_default:
        whole = with_isolated_pods(whole, network, ports)
        whole = with_pod_snat(whole, network, node, settings, ports) if settings.snat_per_pod else whole
    return whole, errors
