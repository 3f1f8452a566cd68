"""The cluster manager's record on a pod: one JSON map for all its networks, by attachment.

The record is untrusted, because anyone who may patch a pod may write it.

Source: ovn-kubernetes ``pkg/util/pod_annotation.go``, annotation ``k8s.ovn.org/pod-networks``.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Final

from ovnguard.reconciler.plan.rows.model import Lease
from ovnguard.validators.base.object_names import is_dns1123_label, is_dns1123_subdomain
from ovnguard.validators.network.addresses.addressing import MAX_PORT_KEY
from ovnguard.validators.network.declared.node_values import BadValueError, is_ethernet_address, parse_ip
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, IPNetwork
from ovnguard.validators.network.parse_values import dig, text_of

LOCKED: Final = "infrastructure-locked"
"""The role of the default network for pods with another primary network."""
_MAX_TEXT: Final = 256 * 1024
_MAX_NETWORKS: Final = 100
_MAX_ADDRESSES: Final = 8
# upstream numbers the second and further attachments of a pod to one network
_NUMBER: Final = re.compile("(?:/[0-9]{1,4})?")
_EXAMPLE: Final = "ip_addresses must contain addresses, such as 10.128.2.5/23"


@dataclass(frozen=True, slots=True)
class Attached:
    """One entry of a pod's record; ``addresses`` is empty where pods bring their addresses themselves.

    ``lease`` is what DHCP gives a virtual machine in the pod, None for other pods and without addresses. ``role`` is
    that of the network for the pod.
    """

    attachment: str
    mac: str
    addresses: tuple[IPAddress, ...]
    key: int | None = None
    lease: Lease | None = None
    role: str = ""


def attached(text: object, *, with_lease: bool = False) -> Iterator[Attached]:
    """Iterate over the entries of a record, ``with_lease`` for the pod of a virtual machine. Raises BadValueError."""
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
        texts = _listed(attachment, entry)
        addresses = tuple(_address(attachment, each) for each in texts)
        lease = _lease(attachment, entry, texts) if with_lease else None
        yield Attached(attachment, mac.lower(), addresses, _key(attachment, entry), lease, text_of(dig(entry, "role")))


def _is_attachment(text: str) -> bool:
    namespace, _, rest = text.partition("/")
    name, slash, number = rest.partition("/")
    if not (is_dns1123_label(namespace) and is_dns1123_subdomain(name)):
        return False
    return _NUMBER.fullmatch(slash + number) is not None


def _listed(attachment: str, entry: object) -> list[object]:
    listed = dig(entry, "ip_addresses")
    if listed is None:
        single = dig(entry, "ip_address")
        listed = [single] if single else []
    if not isinstance(listed, list) or len(listed) > _MAX_ADDRESSES:
        raise BadValueError(f"{attachment}: ip_addresses must be a list of at most {_MAX_ADDRESSES}")
    return listed


def _address(attachment: str, text: object) -> IPAddress:
    """An address, with or without the length of its subnet."""
    try:
        head, slash, length = text.partition("/") if isinstance(text, str) else ("", "", "")
        address = parse_ip(head)
    except BadValueError as error:
        raise BadValueError(f"{attachment}: {_EXAMPLE}") from error
    if slash and not (length.isascii() and length.isdecimal() and len(length) <= 3):
        raise BadValueError(f"{attachment}: {_EXAMPLE}")
    return address


def _lease(attachment: str, entry: object, texts: list[object]) -> Lease | None:
    """The subnets of the entry's addresses, of each IP version the last one as upstream, and its IPv4 gateway."""
    try:
        subnets = [ip_network(str(text), strict=False) for text in texts]
    except ValueError as error:
        raise BadValueError(f"{attachment}: {_EXAMPLE}") from error
    last: dict[int, IPNetwork] = {subnet.version: subnet for subnet in subnets}
    listed = dig(entry, "gateway_ips")
    try:
        gateways = [parse_ip(text) for text in listed[:_MAX_ADDRESSES]] if isinstance(listed, list) else []
    except BadValueError as error:
        raise BadValueError(f"{attachment}: gateway_ips must contain addresses, such as 10.128.2.1") from error
    router = next((each for each in gateways if each.version == 4), None)
    return Lease(tuple(last[version] for version in sorted(last)), router) if last else None


def _key(attachment: str, entry: object) -> int | None:
    """The key of the pod's port; 0 or a missing value means no key."""
    key = dig(entry, "tunnel_id")
    if key is None or (key == 0 and isinstance(key, int)):
        return None
    if not isinstance(key, int) or isinstance(key, bool) or not 1 <= key <= MAX_PORT_KEY:
        raise BadValueError(f"{attachment}: tunnel_id must be a whole number from 1 to {MAX_PORT_KEY}")
    return key
