"""Addresses for attachments that pods' records lack, from what all records have: the same input gives the same result.

OVN-Kubernetes divides the work: the zone of a pod's node allocates in the default network and in Layer3 networks, whose
subnets are the node's own; the cluster manager allocates in Layer2 and Localnet networks. A virtual machine that
migrates keeps its addresses: the new pod gets the entries of the machine's other pod.

Source: ovn-kubernetes ``pkg/clustermanager/pod``, ``pkg/ovn/base_network_controller_pods.go``, ``pkg/kubevirt/pod.go``.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from ovnguard.reconciler.plan.pods.pod_attachments import DesiredAttachment, desired_attachments
from ovnguard.reconciler.plan.pods.pod_entries import EntryFacts, pod_entry
from ovnguard.reconciler.plan.pods.pod_ipam import place_pods
from ovnguard.reconciler.plan.pods.pod_objects import PodObject, Pods, order_of, pod_object
from ovnguard.reconciler.plan.pods.pod_record import attached
from ovnguard.reconciler.plan.rows.model import PodPort, Remark
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.network_namespaces import PRIMARY_LABEL
from ovnguard.validators.network.cluster.pod_index import POD_NETWORKS
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.declared.node_values import BadValueError
from ovnguard.validators.network.model import DEFAULT_NETWORK, Network, Topology
from ovnguard.validators.network.parse_values import dig

_WAITS: Final = "the pod has no address yet"
_ELSEWHERE: Final = f"{_WAITS}: another process allocates in this network"


@dataclass(frozen=True, slots=True)
class BoundPod:
    """A pod with a node: what it requests, whatever it records, and the attachments that it records."""

    pod: PodObject
    recorded: frozenset[str]


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A port whose entry the record of its pod lacks."""

    port: PodPort
    entry: JsonObject


@dataclass(frozen=True, slots=True)
class NewEntries:
    """``entries`` are those to record, ``waiting`` the attachments without an address, and why."""

    entries: tuple[NewEntry, ...] = ()
    waiting: tuple[Remark, ...] = ()


class BoundPods:
    """Earlier read pods, for one caller: an unchanged object is not read again."""

    def __init__(self) -> None:
        # The objects are kept, so no other one can have the ``id()`` of one of them.
        self._known: dict[int, tuple[JsonObject, BoundPod | None]] = {}

    def read(self, objects: Iterable[JsonObject]) -> tuple[BoundPod, ...]:
        """Return the living pods among ``objects`` whose record can be read, in order of creation."""
        known = self._known
        ordered = sorted(objects, key=order_of)
        self._known = {id(obj): known.get(id(obj)) or (obj, _bound(obj)) for obj in ordered}
        return tuple(bound for _, bound in self._known.values() if bound is not None)


def is_of_zone(network: Network) -> bool:
    """Whether the zone of a pod's node allocates in the network, not the leader."""
    return network.topology is Topology.LAYER3


def is_of_leader(network: Network) -> bool:
    """Whether the leader allocates in the network."""
    return not is_of_zone(network)


def missing_entries(
    view: ClusterView,
    bound: Sequence[BoundPod],
    recorded: Mapping[str, Sequence[PodPort]],
    networks: Sequence[Network],
    nodes: Sequence[Node],
    facts: EntryFacts,
    concerns: Callable[[Network], bool],
) -> NewEntries:
    """Return the entries that records of ``bound`` pods lack in the networks that ``concerns`` accepts.

    ``recorded`` are the recorded ports of all pods by network, ``networks`` all that have their numbers.
    """
    has = {each.pod.title: each.recorded for each in bound}
    readable = tuple(each.pod for each in bound if not each.pod.errors)
    desired = desired_attachments(view, Pods(unrecorded=readable), networks)
    wanted = {
        name: [each for each in found if each.attachment not in has[each.pod.title]] for name, found in desired.items()
    }
    lacked = [network for network in networks if wanted.get(network.name)]
    by_name = {node.name: node for node in nodes}
    entries: list[NewEntry] = []
    waiting = [_unreadable(each.pod) for each in bound if each.pod.errors]
    if any(network.is_default for network in networks):
        attached_pods = {each.pod.title for each in desired.get(DEFAULT_NETWORK, ())}
        waiting += [_without_network(pod) for pod in readable if pod.title not in attached_pods]
    for network in lacked:
        if not concerns(network):
            others = (each.pod for each in wanted[network.name])
            waiting += [Remark(_ELSEWHERE, network.name, pod.node, pod.title) for pod in others]
            continue
        ports = tuple(recorded.get(network.name, ()))
        moved = dict(_moved(wanted[network.name], ports, network))
        fresh = [_with_mac(each, network) for each in wanted[network.name] if each not in moved]
        placed = place_pods(Pods({network.name: ports}), {network.name: fresh}, [network], nodes, {})
        given = placed.ports.get(network.name, ports)[len(ports) :]
        found = [(port, by_name.get(port.node)) for port in given]
        found += [(port, by_name.get(source.node)) for port, source in moved.values()]
        entries += [NewEntry(port, pod_entry(port, network, node, facts)) for port, node in found if node is not None]
        addressed = {(port.title, port.attachment) for port, _ in found}
        why = {error.pod: error.text for error in placed.errors}
        lacking = (each.pod for each in fresh if (each.pod.title, each.attachment) not in addressed)
        waiting += [Remark(why.get(pod.title, _WAITS), network.name, pod.node, pod.title) for pod in lacking]
    return NewEntries(tuple(entries), tuple(waiting))


def _unreadable(pod: PodObject) -> Remark:
    error = pod.errors[0]
    return Remark(f"{error.field}: {error.detail}", node=pod.node, pod=pod.title)


def _without_network(pod: PodObject) -> Remark:
    """Text: ovn-kubernetes."""
    needed = "a valid primary user defined network or network attachment definition custom resource"
    label = f'required namespace label "{PRIMARY_LABEL}" must both be present'
    text = f'invalid primary network state for namespace "{pod.namespace}": {needed}, and {label}'
    return Remark(text, node=pod.node, pod=pod.title)


def _moved(
    wanted: Iterable[DesiredAttachment], recorded: Sequence[PodPort], network: Network
) -> Iterator[tuple[DesiredAttachment, tuple[PodPort, PodPort]]]:
    """The ports of virtual machines that keep their addresses, each with the port that the machine has already."""
    machines = {(port.namespace, port.machine, port.attachment): port for port in recorded if port.machine}
    for each in wanted:
        launcher = each.pod.launcher
        keeps = launcher is not None and (not is_of_zone(network) or (network.is_default and launcher.keeps_address))
        if launcher is not None and keeps:
            source = machines.get((each.pod.namespace, launcher.machine, each.attachment))
            if source is not None:
                pod = each.pod
                yield each, (replace(source, pod=pod.name, uid=pod.uid, node=pod.node), source)


def _with_mac(desired: DesiredAttachment, network: Network) -> DesiredAttachment:
    """Where addresses do not give the MAC, upstream chooses any: here it follows from the pod, so it stays the same."""
    if network.subnets:
        return desired
    octets = bytearray(sha256(f"{desired.pod.uid}/{desired.attachment}".encode()).digest()[:6])
    # locally administered, of one station: IEEE 802
    octets[0] = octets[0] & 0xFC | 0x02
    return replace(desired, mac=octets.hex(":"))


def _bound(obj: JsonObject) -> BoundPod | None:
    annotations = dig(obj, "metadata", "annotations")
    record = dig(annotations, POD_NETWORKS)
    if record is None:
        found, recorded = pod_object(obj), frozenset[str]()
    else:
        metadata = {**obj["metadata"], "annotations": _without(annotations)}
        found = pod_object({**obj, "metadata": metadata})
        try:
            recorded = frozenset(each.attachment for each in attached(record))
        except BadValueError:
            # the reader of records reports it
            return None
    return None if found is None or found.is_done else BoundPod(found, recorded)


def _without(annotations: object) -> JsonObject:
    known = annotations if isinstance(annotations, dict) else {}
    return {key: text for key, text in known.items() if key != POD_NETWORKS}


def texts_by_network(waiting: Collection[Remark]) -> Mapping[str, str]:
    """Return one text about the pods that wait, by network."""
    found: dict[str, list[Remark]] = {}
    for each in waiting:
        found.setdefault(each.network, []).append(each)
    return {network: _text(remarks) for network, remarks in found.items() if network}


def _text(remarks: Sequence[Remark]) -> str:
    more = f" (and {len(remarks) - 1} more)" if len(remarks) > 1 else ""
    return f"pod {remarks[0].pod}: {remarks[0].text}{more}"
