"""Services of the default network that other networks use: those that pods of primary networks may reach, and DNS.

Source: ovn-kubernetes options ``udn-allowed-default-services``, ``dns-service-namespace`` and ``dns-service-name``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from ovnguard.reconciler.plan.rows.settings import AllowedService, Settings
from ovnguard.reconciler.plan.services.endpoint_slices import address_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.parse_values import dig, text_of

_FAMILIES: Final = 2


def cluster_addresses(objects: Iterable[JsonObject]) -> Mapping[str, tuple[str, ...]]:
    """Return the texts of the cluster addresses of Services, by ``namespace/name``."""
    names = ("namespace", "name")
    return {"/".join(text_of(dig(obj, "metadata", each)) for each in names): tuple(_texts(obj)) for obj in objects}


def with_default_services(settings: Settings, found: Mapping[str, tuple[str, ...]]) -> Settings:
    """Return ``settings`` with the addresses of the services that it names, as far as they are ``found``.

    Headless services and invalid texts count as no address.
    """
    allowed = dict.fromkeys(settings.allowed_services)
    dns = settings.dns_service
    return replace(
        settings,
        services=tuple(_service(name, found[name]) for name in allowed if name in found),
        unknown_services=tuple(name for name in allowed if name not in found),
        dns=_service(dns, found[dns]) if dns in found else None,
    )


def missing_note(unknown: tuple[str, ...]) -> str:
    """Return the note about services without routes."""
    whose = "their Services are" if len(unknown) > 1 else "its Service is"
    return f"no routes to {' and '.join(unknown)}: {whose} not known"


def _service(name: str, texts: Iterable[str]) -> AllowedService:
    return AllowedService(name, tuple(address for text in texts if (address := address_of(text)) is not None))


def _texts(obj: JsonObject) -> Iterator[str]:
    texts = dig(obj, "spec", "clusterIPs")
    if not isinstance(texts, list) or not texts:
        texts = [dig(obj, "spec", "clusterIP")]
    return (text for text in texts[:_FAMILIES] if isinstance(text, str))
