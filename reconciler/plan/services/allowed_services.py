"""Services of the default network that pods of primary user-defined networks may reach.

Source: ovn-kubernetes option ``udn-allowed-default-services`` and its default.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from reconciler.plan.rows.settings import AllowedService
from reconciler.plan.services.endpoint_slices import address_of
from validators.base.json_types import JsonObject
from validators.network.model import IPAddress
from validators.network.parse_values import dig, text_of

# Namespace and name.
ALLOWED: Final = (("default", "kubernetes"), ("kube-system", "kube-dns"))
_FAMILIES: Final = 2


def allowed_services(objects: Iterable[JsonObject]) -> tuple[AllowedService, ...]:
    """Return the allowed Services among ``objects``, in the order of `ALLOWED`; others are left out.

    Headless services and invalid texts count as no address.
    """
    names = ("namespace", "name")
    found = {tuple(text_of(dig(obj, "metadata", each)) for each in names): obj for obj in objects}
    return tuple(AllowedService("/".join(key), tuple(_addresses(found[key]))) for key in ALLOWED if key in found)


def unknown_services(known: Iterable[AllowedService]) -> tuple[str, ...]:
    """Return the allowed services that are not among ``known``."""
    names = {service.name for service in known}
    return tuple(name for name in map("/".join, ALLOWED) if name not in names)


def missing_note(unknown: tuple[str, ...]) -> str:
    """Return the note about services without routes."""
    whose = "their Services are" if len(unknown) > 1 else "its Service is"
    return f"no routes to {' and '.join(unknown)}: {whose} not known"


def _addresses(obj: JsonObject) -> Iterator[IPAddress]:
    texts = dig(obj, "spec", "clusterIPs")
    if not isinstance(texts, list) or not texts:
        texts = [dig(obj, "spec", "clusterIP")]
    found = (address_of(text) for text in texts[:_FAMILIES] if isinstance(text, str))
    return (address for address in found if address is not None)
