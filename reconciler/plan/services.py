"""Services of the default network that pods of primary user-defined networks may reach.

Source: ovn-kubernetes option ``udn-allowed-default-services`` and its default.
"""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address
from typing import Final, TypeGuard

from reconciler.plan.settings import Backend, Service, ServicePort
from validators.base.json_types import JsonObject
from validators.network.cluster_view import GroupKind
from validators.network.model import IPAddress
from validators.network.parse_values import dig, text_of

SERVICE: Final = GroupKind("", "Service")
ENDPOINT_SLICE: Final = GroupKind("discovery.k8s.io", "EndpointSlice")
SERVICE_NAME: Final = "kubernetes.io/service-name"
# Namespace and name.
ALLOWED: Final = (("default", "kubernetes"), ("kube-system", "kube-dns"))
_FAMILIES: Final = 2
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_MAX_PORT: Final = 65535


def allowed_services(objects: Iterable[JsonObject], slices: Sequence[JsonObject] | None = None) -> tuple[Service, ...]:
    """Return the allowed Services among ``objects``, in the order of `ALLOWED`; others are left out.

    ``slices`` are EndpointSlices, or None when they are unknown: services then have no ports. Headless services and
    invalid texts count as no address.
    """
    names = ("namespace", "name")
    found = {tuple(text_of(dig(obj, "metadata", each)) for each in names): obj for obj in objects}
    known = () if slices is None else slices
    return tuple(
        Service(
            "/".join(key),
            _addresses(found[key]),
            () if slices is None else tuple(_ports(found[key], [each for each in known if _serves(each, key)])),
        )
        for key in ALLOWED
        if key in found
    )


def unknown_services(known: Iterable[Service]) -> tuple[str, ...]:
    """Return the allowed services that are not among ``known``."""
    names = {service.name for service in known}
    return tuple(name for name in map("/".join, ALLOWED) if name not in names)


def missing_note(unknown: tuple[str, ...]) -> str:
    """Return the note about services without routes."""
    whose = "their Services are" if len(unknown) > 1 else "its Service is"
    return f"no routes to {' and '.join(unknown)}: {whose} not known"


def unserved_notes(services: Iterable[Service]) -> list[str]:
    """Return the note about services with unknown servers, at most one sentence."""
    names = [service.name for service in services if not service.ports]
    return [f"no load balancers of {' and '.join(names)}: EndpointSlices are not known"] if names else []


def _addresses(obj: JsonObject) -> tuple[IPAddress, ...]:
    texts = dig(obj, "spec", "clusterIPs")
    if not isinstance(texts, list) or not texts:
        texts = [dig(obj, "spec", "clusterIP")]
    return tuple(address for text in texts[:_FAMILIES] if (address := _address(text)) is not None)


def _address(text: object) -> IPAddress | None:
    try:
        return ip_address(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _serves(endpoints: JsonObject, key: tuple[str, str]) -> bool:
    metadata = endpoints.get("metadata")
    return (dig(metadata, "namespace"), dig(metadata, "labels", SERVICE_NAME)) == key


def _ports(service: JsonObject, slices: Sequence[JsonObject]) -> Iterator[ServicePort]:
    for entry in _mappings(dig(service, "spec", "ports")):
        protocol, port = entry.get("protocol", _PROTOCOLS[0]), entry.get("port")
        if protocol in _PROTOCOLS and _is_port(port):
            backends = (each for endpoints in slices for each in _backends(endpoints, entry.get("name"), protocol))
            yield ServicePort(protocol.lower(), port, tuple(sorted(set(backends), key=_order)))


def _backends(endpoints: JsonObject, name: object, protocol: object) -> Iterator[Backend]:
    """Ready servers of the port of this name; an absent name and an empty one are the same."""
    for entry in _mappings(endpoints.get("ports")):
        port = entry.get("port")
        same = (entry.get("name") or "", entry.get("protocol", _PROTOCOLS[0])) == (name or "", protocol)
        if not same or not _is_port(port):
            continue
        for endpoint in _mappings(endpoints.get("endpoints")):
            # an unknown readiness counts as ready
            if dig(endpoint, "conditions", "ready") is False:
                continue
            texts = endpoint.get("addresses")
            # all addresses of an endpoint lead to the same server: the first one represents it
            address = _address(texts[0]) if isinstance(texts, list) and texts else None
            if address is not None:
                yield Backend(address, port)


def _mappings(value: object) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _is_port(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MAX_PORT


def _order(backend: Backend) -> tuple[int, int, int]:
    return backend.address.version, int(backend.address), backend.port
