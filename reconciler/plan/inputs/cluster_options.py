"""The settings of a plan from the options with which the cluster's ovnkube runs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from ipaddress import ip_network
from typing import Final

from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.model import IPNetwork
from ovnguard.validators.network.ovnkube_settings.option_names import (
    ACL_LOGGING_RATE,
    ALLOWED_SERVICES,
    DNS_NAME,
    DNS_NAMESPACE,
    EMPTY_LB_EVENTS,
    JOIN_SUBNETS,
    MASQUERADE_SUBNETS,
    MULTICAST,
    ROUTE_ADVERTISEMENTS,
    SNAT_PER_POD,
    SNAT_PORTS,
    TRANSIT_SUBNETS,
)
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import OvnkubeOptions
from ovnguard.validators.network.parse_values import MAX_ITEMS, decimal

_PORTS: Final = re.compile(r"[0-9]{1,5}-[0-9]{1,5}", re.ASCII)
_HIGHEST_RATE: Final = 2**31 - 1


def with_options(settings: Settings, options: OvnkubeOptions) -> Settings:
    """Return ``settings`` with the options; one that is absent, undecided or unreadable changes nothing."""
    value = options.value
    namespace, _, name = settings.dns_service.partition("/")
    return replace(
        settings,
        multicast=options.is_on(MULTICAST),
        snat_per_pod=options.is_on(SNAT_PER_POD),
        empty_lb_events=options.is_on(EMPTY_LB_EVENTS),
        advertises=settings.advertises or options.is_on(ROUTE_ADVERTISEMENTS),
        acl_logging_rate=decimal(value(ACL_LOGGING_RATE), 1, _HIGHEST_RATE) or settings.acl_logging_rate,
        dns_service=f"{value(DNS_NAMESPACE) or namespace}/{value(DNS_NAME) or name}",
        allowed_services=tuple(_services(value(ALLOWED_SERVICES) or "")) or settings.allowed_services,
        snat_ports=ports if _PORTS.fullmatch(ports := value(SNAT_PORTS) or "") else settings.snat_ports,
        default_join_subnets=_subnets(options, JOIN_SUBNETS, settings.default_join_subnets),
        masquerade_subnets=_subnets(options, MASQUERADE_SUBNETS, settings.masquerade_subnets),
        transit_subnets=_subnets(options, TRANSIT_SUBNETS, settings.transit_subnets),
    )


def may_explain_drift(options: Sequence[str]) -> Iterator[str]:
    """Yield the head of an audit where a cluster has ``options`` from which no plan follows."""
    if options:
        listed = ", ".join(map(printable, options))
        yield f"ovnguard plans nothing from these options, which may explain drift: {listed}"


def _services(text: str) -> Iterator[str]:
    """The services of a list, each ``namespace/name``."""
    listed = (each.strip() for each in text.split(",")[:MAX_ITEMS])
    return (each for each in listed if all(each.split("/")) and each.count("/") == 1)


def _subnets(options: OvnkubeOptions, names: Sequence[str], known: tuple[IPNetwork, ...]) -> tuple[IPNetwork, ...]:
    """The subnets of both families: what an option contains replaces what is known of its family."""
    found = {net.version: net for net in known}
    for version, name in zip((4, 6), names, strict=True):
        given = [each.value for each in options.anywhere.get(name, ())]
        net = _subnet(options.value(name) or (given[0] if given else None))
        if net is not None and net.version == version:
            found[version] = net
    return tuple(found[version] for version in sorted(found))


def _subnet(text: str | None) -> IPNetwork | None:
    try:
        return None if text is None else ip_network(text)
    except ValueError:
        return None
