"""Pod objects and the cluster manager's records on them, as inputs of a plan.

A pod's record is one JSON map for all its networks, by attachment. The record is untrusted, because anyone who may
patch a pod may write it: an invalid record is an error about that pod and does not affect others.

Source: ovn-kubernetes ``pkg/util/pod_annotation.go``, annotation ``k8s.ovn.org/pod-networks``.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from reconciler.plan.attachment_names import network_names
from reconciler.plan.model import PodPort, Remark
from reconciler.plan.pods.pod_requests import REQUESTS, Request, requests_of
from validators.base.field import FieldError
from validators.base.json_types import JsonObject
from validators.base.object_names import is_dns1123_label, is_dns1123_subdomain
from validators.network.addresses.addressing import MAX_PORT_KEY
from validators.network.cluster.inventory import inventory_of
from validators.network.cluster.pod_index import POD_NETWORKS
from validators.network.cluster_view import POD, ClusterView
from validators.network.declared.node_values import BadValueError, is_ethernet_address, parse_ip, valid_name
from validators.network.model import DEFAULT_NETWORK, IPAddress
from validators.network.parse_values import dig, invalid, text_of

RECORD: Final = f"metadata.annotations[{POD_NETWORKS}]"
_DONE: Final = ("Succeeded", "Failed")
_MAX_TEXT: Final = 256 * 1024
_MAX_NETWORKS: Final = 100
_MAX_ADDRESSES: Final = 8
# upstream numbers the second and further attachments of a pod to one network
_NUMBER: Final = re.compile("(?:/[0-9]{1,4})?")


@dataclass(frozen=True, slots=True)
class Attached:
    """One entry of a pod's record; ``addresses`` is empty where pods bring their addresses themselves."""

    attachment: str
    mac: str
    addresses: tuple[IPAddress, ...]
    key: int | None = None


@dataclass(frozen=True, slots=True)
class PodObject:
    """A running pod on a node that does not use the host's network. ``recorded`` is None without a record.

    ``requested`` are the attachments that a pod without a record requests besides its automatic ones.
    """

    namespace: str
    name: str
    uid: str
    node: str
    recorded: tuple[Attached, ...] | None
    errors: tuple[FieldError, ...] = ()
    requested: tuple[Request, ...] = ()

    @property
    def title(self) -> str:
        """Namespace and name."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class PodError:
    """A fault in the record of the pod ``namespace/name``."""

    pod: str
    error: FieldError

    def __str__(self) -> str:
        return f"pod {self.pod}: {self.error.field}: {self.error.detail}"


@dataclass(frozen=True, slots=True)
class Pods:
    """All pods. ``ports`` are the recorded ports, by network and in order of creation, for `make_plan`.

    ``unrecorded`` are pods without a record, in order of creation.
    """

    ports: Mapping[str, tuple[PodPort, ...]] = field(default_factory=dict, hash=False)
    unrecorded: tuple[PodObject, ...] = ()
    notes: tuple[Remark, ...] = ()
    errors: tuple[PodError, ...] = ()


@dataclass(slots=True)
class PodMemo:
    """Earlier parsed pods, for one caller: an unchanged pod is not parsed again and stays the same object."""

    read: dict[str, tuple[tuple[object, ...], PodObject | None]] = field(default_factory=dict)
    made: dict[tuple[str, str, str], PodPort] = field(default_factory=dict)


def pods_of(view: ClusterView, memo: PodMemo | None = None) -> Pods:
    """Return the known pods of ``view`` on its known networks; none when it knows no pods.

    An attachment belongs to the network that a NetworkAttachmentDefinition of this name declares, else to the network
    of the UserDefinedNetwork or ClusterUserDefinedNetwork for which it is rendered. ``memo`` makes the next call cheap.
    """
    memo = PodMemo() if memo is None else memo
    pods = _read(view, memo)
    network_of = network_names(inventory_of(view))
    made: dict[tuple[str, str, str], PodPort] = {}
    ports: dict[str, list[PodPort]] = {}
    strangers: dict[str, list[PodObject]] = {}
    for pod in pods:
        for each in pod.recorded or ():
            network = network_of(each.attachment)
            if not network:
                strangers.setdefault(each.attachment, []).append(pod)
                continue
            port = _port(pod, each, network)
            identity = (network, each.attachment, pod.title)
            kept = memo.made.get(identity)
            made[identity] = port = kept if kept is not None and kept == port else port
            ports.setdefault(network, []).append(port)
    memo.made = made
    return Pods(
        {network: tuple(each) for network, each in ports.items()},
        tuple(pod for pod in pods if pod.recorded is None and not pod.errors),
        tuple(_unknown(attachment, found) for attachment, found in strangers.items()),
        tuple(PodError(pod.title, error) for pod in pods for error in pod.errors),
    )


def pod_object(obj: JsonObject) -> PodObject | None:
    """Return the pod that a core/v1 Pod describes, None for one without a node, on the host's network, or completed."""
    metadata, spec = obj.get("metadata"), obj.get("spec")
    if dig(spec, "hostNetwork") is True or text_of(dig(obj, "status", "phase")) in _DONE:
        return None
    node = dig(spec, "nodeName")
    if not node:
        return None
    namespace, name = dig(metadata, "namespace") or "default", dig(metadata, "name")
    uid = text_of(dig(metadata, "uid"))
    named = (("metadata.namespace", namespace), ("metadata.name", name), ("spec.nodeName", node))
    wrong = next(((path, value) for path, value in named if not valid_name(value)), None)
    shown = (text_of(namespace)[:253], text_of(name)[:253], uid[:253], text_of(node)[:253])
    if wrong is not None:
        error = invalid(*wrong, "must be a DNS-1123 subdomain of at most 253 octets")
        return PodObject(*shown, None, (error,))
    text, asked = (dig(metadata, "annotations", key) for key in (POD_NETWORKS, REQUESTS))
    try:
        if text is None:
            return PodObject(*shown, None, requested=tuple(requests_of(asked, str(namespace))))
        return PodObject(*shown, tuple(_attached(text)))
    except BadValueError as problem:
        wrong_one = (RECORD, text) if text is not None else (f"metadata.annotations[{REQUESTS}]", asked)
        return PodObject(*shown, None, (invalid(*wrong_one, str(problem)),))


def title_of(obj: JsonObject) -> str:
    """Return namespace and name of a Pod object, as errors name it."""
    metadata = obj.get("metadata")
    return f"{text_of(dig(metadata, 'namespace') or 'default')[:253]}/{text_of(dig(metadata, 'name'))[:253]}"


def _read(view: ClusterView, memo: PodMemo) -> list[PodObject]:
    """Pods in order of creation, by name among those of one second."""
    read: dict[str, tuple[tuple[object, ...], PodObject | None]] = {}
    found = []
    for obj in sorted(view.objects(POD) or (), key=_order):
        seen = _seen(obj)
        title = title_of(obj)
        known = memo.read.get(title)
        if known is None or known[0] != seen:
            known = (seen, pod_object(obj))
        # of two objects with the same name, possible only in files, the later one is ignored
        if title not in read and known[1] is not None:
            found.append(known[1])
        read.setdefault(title, known)
    memo.read = read
    return found


def _order(obj: JsonObject) -> tuple[str, str, str]:
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
        dig(spec, "nodeName"),
        dig(spec, "hostNetwork"),
        dig(obj, "status", "phase"),
    )


def _port(pod: PodObject, each: Attached, network: str) -> PodPort:
    return PodPort(
        network, each.attachment, pod.namespace, pod.name, pod.uid, pod.node, each.mac, each.addresses, each.key
    )


def _unknown(attachment: str, pods: list[PodObject]) -> Remark:
    more = f" (and {len(pods) - 1} more)" if len(pods) > 1 else ""
    return Remark(f"no port on {attachment}, which no object declares{more}", pod=pods[0].title)


def _attached(text: object) -> Iterator[Attached]:
    """The entries of a record. Raises BadValueError."""
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        raise BadValueError(f"must be text of at most {_MAX_TEXT} characters")
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadValueError("must be JSON") from error
    if not isinstance(decoded, dict) or len(decoded) > _MAX_NETWORKS:
        raise BadValueError(f"must be a JSON object of at most {_MAX_NETWORKS} networks")
    for attachment, entry in decoded.items():
        if attachment != DEFAULT_NETWORK and not _is_attachment(attachment):
            raise BadValueError("every key must be default or namespace/name of an attachment")
        mac = dig(entry, "mac_address")
        if not isinstance(mac, str) or not is_ethernet_address(mac):
            raise BadValueError(f"{attachment}: mac_address must be six octets, such as 0a:58:0a:80:02:05")
        yield Attached(attachment, mac.lower(), _addresses(attachment, entry), _key(attachment, entry))


def _is_attachment(text: str) -> bool:
    namespace, _, rest = text.partition("/")
    name, slash, number = rest.partition("/")
    if not (is_dns1123_label(namespace) and is_dns1123_subdomain(name)):
        return False
    return _NUMBER.fullmatch(slash + number) is not None


def _addresses(attachment: str, entry: object) -> tuple[IPAddress, ...]:
    listed = dig(entry, "ip_addresses")
    if listed is None:
        single = dig(entry, "ip_address")
        listed = [single] if single else []
    if not isinstance(listed, list) or len(listed) > _MAX_ADDRESSES:
        raise BadValueError(f"{attachment}: ip_addresses must be a list of at most {_MAX_ADDRESSES}")
    return tuple(_address(attachment, text) for text in listed)


def _address(attachment: str, text: object) -> IPAddress:
    """An address, with or without the length of its subnet."""
    try:
        head, slash, length = text.partition("/") if isinstance(text, str) else ("", "", "")
        address = parse_ip(head)
    except BadValueError as error:
        raise BadValueError(f"{attachment}: ip_addresses must contain addresses, such as 10.128.2.5/23") from error
    if slash and not (length.isascii() and length.isdecimal() and len(length) <= 3):
        raise BadValueError(f"{attachment}: ip_addresses must contain addresses, such as 10.128.2.5/23")
    return address


def _key(attachment: str, entry: object) -> int | None:
    """The key of the pod's port; 0 or a missing value means no key."""
    key = dig(entry, "tunnel_id")
    if key is None or (key == 0 and isinstance(key, int)):
        return None
    if not isinstance(key, int) or isinstance(key, bool) or not 1 <= key <= MAX_PORT_KEY:
        raise BadValueError(f"{attachment}: tunnel_id must be a whole number from 1 to {MAX_PORT_KEY}")
    return key
