"""Services of the default network that pods of primary user-defined networks may reach.

Source: ovn-kubernetes option ``udn-allowed-default-services`` and its default.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final

from reconciler.plan.settings import Service
from validators.json_types import JsonObject
from validators.network.model import IPAddress
from validators.network.parse_values import dig
from validators.network.view import GroupKind

SERVICE: Final = GroupKind("", "Service")
# Namespace and name.
ALLOWED: Final = (("default", "kubernetes"), ("kube-system", "kube-dns"))
_FAMILIES: Final = 2


def allowed_services(objects: Iterable[JsonObject]) -> tuple[Service, ...]:
    """Return the allowed Services among ``objects``, in the order of `ALLOWED`; others are left out.

    Headless services and texts that are no addresses count as no address.
    """
    found = {(dig(obj, "metadata", "namespace"), dig(obj, "metadata", "name")): obj for obj in objects}
    return tuple(Service("/".join(key), _addresses(found[key])) for key in ALLOWED if key in found)


def unknown_services(known: Iterable[Service]) -> tuple[str, ...]:
    """Return the allowed services that are not among ``known``."""
    names = {service.name for service in known}
    return tuple(name for name in map("/".join, ALLOWED) if name not in names)


def missing_note(unknown: tuple[str, ...]) -> str:
    """Return what is to be said about services that no route can be made to."""
    whose = "their Services are" if len(unknown) > 1 else "its Service is"
    return f"no routes to {' and '.join(unknown)}: {whose} not known"


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
