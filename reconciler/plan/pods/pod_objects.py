"""Pod objects and the cluster manager's records on them, as inputs of a plan.

An invalid record is an error about that pod and does not affect others.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from ovnguard.reconciler.plan.inputs.attachment_names import network_names
from ovnguard.reconciler.plan.pods.machines import Launcher, PortState, launcher_fields, launcher_of, port_states
from ovnguard.reconciler.plan.pods.open_ports import OPEN_PORTS, open_ports_of
from ovnguard.reconciler.plan.pods.pod_record import LOCKED, Attached, attached
from ovnguard.reconciler.plan.pods.pod_requests import DEFAULT_REQUEST, REQUESTS, Request, requests_of
from ovnguard.reconciler.plan.rows.model import OpenPort, PodPort, Remark, RunningMachine
from ovnguard.validators.base.field import FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster.network_namespaces import primary_of
from ovnguard.validators.network.cluster.pod_index import POD_NETWORKS
from ovnguard.validators.network.cluster_view import POD, ClusterView
from ovnguard.validators.network.declared.node_values import BadValueError, valid_name
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress
from ovnguard.validators.network.parse_values import dig, invalid, text_of

_REQUESTED: Final = tuple(f"metadata.annotations[{key}]" for key in (REQUESTS, DEFAULT_REQUEST))
_DONE: Final = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class PodObject:
    """A pod on a node that does not use the host's network. ``recorded`` is None without a record.

    ``requested`` are the attachments that a pod without a record requests besides its automatic ones. ``launcher`` is
    None for a pod without a virtual machine; a completed pod is here only with one, to show that a migration failed.
    ``open_ports`` are those of its annotation, none where ``unopened`` says why. ``chosen`` are the addresses that a
    pod without a record requests on its primary network.
    """

    namespace: str
    name: str
    uid: str
    node: str
    recorded: tuple[Attached, ...] | None
    errors: tuple[FieldError, ...] = ()
    requested: tuple[Request, ...] = ()
    launcher: Launcher | None = None
    open_ports: tuple[OpenPort, ...] = ()
    unopened: str = ""
    chosen: tuple[IPAddress, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether it has completed."""
        return self.launcher is not None and self.launcher.is_done

    @property
    def title(self) -> str:
        """Namespace and name."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class PodError:
    """A fault in the record of the pod ``namespace/name``."""

    pod: str
    error: FieldError

    @property
    def is_of_record(self) -> bool:
        """Whether it is not about what the pod requests, which matters only to who allocates addresses."""
        return self.error.field not in _REQUESTED

    def __str__(self) -> str:
        return f"pod {self.pod}: {self.error.field}: {self.error.detail}"


@dataclass(frozen=True, slots=True)
class Pods:
    """All pods. ``ports`` are the recorded ports, by network and in order of creation, for `make_plan`.

    ``unrecorded`` are pods without a record, in order of creation. ``running`` are the virtual machines that keep their
    address in the default network, ``detached`` the recorded ports on attachments that no object declares.
    """

    ports: Mapping[str, tuple[PodPort, ...]] = field(default_factory=dict, hash=False)
    unrecorded: tuple[PodObject, ...] = ()
    running: tuple[RunningMachine, ...] = ()
    detached: tuple[PodPort, ...] = ()
    notes: tuple[Remark, ...] = ()
    errors: tuple[PodError, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """One parsed pod: its object, the fields that were read, and the result. Nobody changes the object in place."""

    source: JsonObject
    seen: tuple[object, ...]
    pod: PodObject | None


@dataclass(slots=True)
class PodMemo:
    """Earlier parsed pods, for one caller: an unchanged pod is not parsed again and stays the same object."""

    read: dict[str, _Read] = field(default_factory=dict)
    made: dict[tuple[str, str, str], PodPort] = field(default_factory=dict)


def pods_of(view: ClusterView, memo: PodMemo | None = None, objects: Sequence[JsonObject] | None = None) -> Pods:
    """Return the known pods of ``view``, or only ``objects``, on its known networks; none when it knows no pods.

    An attachment belongs to the network that a NetworkAttachmentDefinition of this name declares, else to the network
    of the UserDefinedNetwork or ClusterUserDefinedNetwork for which it is rendered. ``memo`` makes the next call cheap.
    """
    memo = PodMemo() if memo is None else memo
    read = _read((view.objects(POD) if objects is None else objects) or (), memo)
    states = _states(read)
    pods, inventory = [pod for pod in read if not pod.is_done], inventory_of(view)
    network_of, isolates = network_names(inventory), _isolation(inventory)
    made: dict[tuple[str, str, str], PodPort] = {}
    ports: dict[str, list[PodPort]] = {}
    strangers: dict[str, list[PodObject]] = {}
    detached = []
    for pod in pods:
        for each in pod.recorded or ():
            network = network_of(each.attachment)
            if not network:
                strangers.setdefault(each.attachment, []).append(pod)
                detached.append(_port(pod, each, "", states, isolated=False))
                continue
            isolated = each.attachment == DEFAULT_NETWORK and (each.role == LOCKED or isolates(pod.namespace))
            port = _port(pod, each, network, states, isolated=isolated)
            identity = (network, each.attachment, pod.title)
            kept = memo.made.get(identity)
            made[identity] = port = kept if kept is not None and kept == port else port
            ports.setdefault(network, []).append(port)
    memo.made = made
    return Pods(
        {network: tuple(each) for network, each in ports.items()},
        tuple(pod for pod in pods if pod.recorded is None and not pod.errors),
        tuple(_running(pods, states)),
        tuple(detached),
        (*(_unknown(attachment, found) for attachment, found in strangers.items()), *_unopened(pods)),
        tuple(PodError(pod.title, error) for pod in pods for error in pod.errors),
    )


def pod_object(obj: JsonObject) -> PodObject | None:
    """Return the pod that a core/v1 Pod describes, None for one without a node, on the host's network, or completed.

    A completed pod of a virtual machine is not None.
    """
    metadata, spec = obj.get("metadata"), obj.get("spec")
    done = text_of(dig(obj, "status", "phase")) in _DONE
    node = dig(spec, "nodeName")
    if not node or dig(spec, "hostNetwork") is True:
        return None
    launcher = launcher_of(obj, title_of(obj), text_of(node), done=done)
    if done and launcher is None:
        return None
    namespace, name = dig(metadata, "namespace") or "default", dig(metadata, "name")
    uid = text_of(dig(metadata, "uid"))
    named = (("metadata.namespace", namespace), ("metadata.name", name), ("spec.nodeName", node))
    wrong = next(((path, value) for path, value in named if not valid_name(value)), None)
    shown = (text_of(namespace)[:253], text_of(name)[:253], uid[:253], text_of(node)[:253])
    if wrong is not None:
        error = invalid(*wrong, "must be a DNS-1123 subdomain of at most 253 octets")
        return PodObject(*shown, None, (error,))
    if done:
        return PodObject(*shown, None, launcher=launcher)
    annotations = dig(metadata, "annotations")
    opened, unopened = _opened(dig(annotations, OPEN_PORTS))
    named_ports = (launcher, opened, unopened)
    where = POD_NETWORKS
    try:
        record = dig(annotations, POD_NETWORKS)
        if record is not None:
            return PodObject(*shown, tuple(attached(record, with_lease=launcher is not None)), (), (), *named_ports)
        where = REQUESTS
        requested = tuple(requests_of(dig(annotations, where), str(namespace)))
        where = DEFAULT_REQUEST
        chosen = tuple(each for one in requests_of(dig(annotations, where), str(namespace)) for each in one.wanted)
        return PodObject(*shown, None, (), requested, *named_ports, chosen)
    except BadValueError as problem:
        error = invalid(f"metadata.annotations[{where}]", dig(annotations, where), str(problem))
        return PodObject(*shown, None, (error,))


def title_of(obj: JsonObject) -> str:
    """Return namespace and name of a Pod object, as errors name it."""
    metadata = obj.get("metadata")
    return f"{text_of(dig(metadata, 'namespace') or 'default')[:253]}/{text_of(dig(metadata, 'name'))[:253]}"


def _read(objects: Sequence[JsonObject], memo: PodMemo) -> list[PodObject]:
    """Pods in order of creation, by name among those of one second."""
    read: dict[str, _Read] = {}
    found = []
    for obj in sorted(objects, key=order_of):
        title = title_of(obj)
        known = memo.read.get(title)
        if known is None or known.source is not obj:
            seen = _seen(obj)
            unchanged = known is not None and known.seen == seen
            known = _Read(obj, seen, known.pod if known is not None and unchanged else pod_object(obj))
        # of two objects with the same name, possible only in files, the later one is ignored
        if title not in read and known.pod is not None:
            found.append(known.pod)
        read.setdefault(title, known)
    memo.read = read
    return found


def order_of(obj: JsonObject) -> tuple[str, str, str]:
    """Return the place of a Pod among others: by creation, then by namespace and name."""
    metadata = obj.get("metadata")
    created = text_of(dig(metadata, "creationTimestamp"))
    return created, text_of(dig(metadata, "namespace")), text_of(dig(metadata, "name"))


def _seen(obj: JsonObject) -> tuple[object, ...]:
    """All fields that `pod_object` reads."""
    metadata, spec = obj.get("metadata"), obj.get("spec")
    return (
        dig(metadata, "namespace"),
        dig(metadata, "name"),
        dig(metadata, "uid"),
        dig(metadata, "annotations", POD_NETWORKS),
        dig(metadata, "annotations", REQUESTS),
        dig(metadata, "annotations", DEFAULT_REQUEST),
        dig(metadata, "annotations", OPEN_PORTS),
        dig(spec, "nodeName"),
        dig(spec, "hostNetwork"),
        dig(obj, "status", "phase"),
        launcher_fields(metadata),
    )


def _opened(text: object) -> tuple[tuple[OpenPort, ...], str]:
    """The ports that a pod opens, or none and the reason."""
    try:
        return open_ports_of(text), ""
    except BadValueError as problem:
        return (), str(problem)


def _isolation(inventory: Inventory) -> Callable[[str], bool]:
    """Return whether the pods of a namespace have another primary network than the default one.

    Their record says so too, but whoever may change it could take the role away.
    """
    return cache(lambda namespace: primary_of(inventory, namespace) is not None)


def _unopened(pods: Iterable[PodObject]) -> Iterator[Remark]:
    for pod in pods:
        if pod.unopened:
            yield Remark(f"no port is open: metadata.annotations[{OPEN_PORTS}]: {pod.unopened}", pod=pod.title)


def _states(pods: Iterable[PodObject]) -> Mapping[str, PortState]:
    """The state of the ports of all virtual machines' pods, by title."""
    machines: dict[tuple[str, str], list[Launcher]] = {}
    for pod in pods:
        if pod.launcher is not None:
            machines.setdefault((pod.namespace, pod.launcher.machine), []).append(pod.launcher)
    return {title: state for each in machines.values() for title, state in port_states(each).items()}


def _port(pod: PodObject, each: Attached, network: str, states: Mapping[str, PortState], *, isolated: bool) -> PodPort:
    named = (network, each.attachment, pod.namespace, pod.name, pod.uid, pod.node, each.mac, each.addresses, each.key)
    opened = pod.open_ports if isolated else ()
    state = None if pod.launcher is None else states.get(pod.title)
    if pod.launcher is None or state is None:
        return PodPort(*named, isolated=isolated, open_ports=opened)
    is_default, runs_at = each.attachment == DEFAULT_NETWORK, state.runs_at
    lease = None if is_default and not pod.launcher.keeps_address else each.lease
    moved = runs_at is not None and runs_at.node != pod.node and (is_default or runs_at.is_target)
    return PodPort(*named, pod.launcher.machine, state.enabled, lease, moved, isolated, opened)


def _running(pods: Sequence[PodObject], states: Mapping[str, PortState]) -> Iterator[RunningMachine]:
    for pod in pods:
        launcher, state = pod.launcher, states.get(pod.title)
        if launcher is None or state is None or state.runs_at is not launcher:
            continue
        for each in pod.recorded or ():
            if each.attachment == DEFAULT_NETWORK:
                yield RunningMachine(DEFAULT_NETWORK, pod.namespace, launcher.machine, pod.node, each.addresses)


def _unknown(attachment: str, pods: list[PodObject]) -> Remark:
    more = f" (and {len(pods) - 1} more)" if len(pods) > 1 else ""
    return Remark(f"no port on {attachment}, which no object declares{more}", pod=pods[0].title)
