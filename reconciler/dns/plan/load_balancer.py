"""Where ``*.apps`` leads: the load balancer of the default IngressController, from the status of its Service.

Source: cluster-ingress-operator, which creates Service ``router-<name>`` for each IngressController, and collects host
names on AWS and addresses on Azure and Google Cloud only from the default one: a second controller would fight over
the same name.
"""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_address
from typing import Any, Final, NamedTuple

from ovnguard.reconciler.dns.plan.problems import Problem, Reason, shown
from ovnguard.reconciler.dns.plan.served_names import Dialect, canonical_name, is_served
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.model import IPAddress
from ovnguard.validators.network.ovnkube_settings.cluster_dns import parameters_for, suits
from ovnguard.validators.network.ovnkube_settings.service_addresses import (
    ignored_settings,
    is_load_balancer,
    reserved_addresses,
)
from ovnguard.validators.network.parse_values import dig, mapping, text_of

SERVICE: Final = "openshift-ingress/router-default"
CONTROLLER: Final = "openshift-ingress-operator/default"
PLATFORMS: Final = ("AWS", "Azure", "GCP")
# The API's own limit of each list of addresses.
MAX_ADDRESSES: Final = 16
_STATUS: Final = "status.loadBalancer.ingress"


class Addresses(NamedTuple):
    """Addresses to answer with."""

    addresses: tuple[IPAddress, ...] = ()
    problems: tuple[Problem, ...] = ()


class IngressTarget(NamedTuple):
    """The load balancer: host names to resolve on AWS, addresses on Azure and Google Cloud.

    Without both, the cloud has created none yet, or ``problems`` say why it is unusable. ``exists``: its Service does.
    ``reserved``: the addresses that the Service asks for.
    """

    exists: bool = False
    hostnames: tuple[str, ...] = ()
    addresses: tuple[IPAddress, ...] = ()
    problems: tuple[Problem, ...] = ()
    reserved: tuple[IPAddress, ...] = ()


def ingress_target(
    services: Iterable[JsonObject],
    controllers: Iterable[JsonObject],
    platform: str,
    base_domain: str,
    dialect: Dialect,
) -> IngressTarget:
    """Return the load balancer of ``*.apps`` on ``platform``, the type in the Infrastructure."""
    if platform not in PLATFORMS:
        text = f"platform {shown(platform)} has no load balancer to follow; only {', '.join(PLATFORMS)} do"
        return IngressTarget(problems=(Problem(Reason.UNSUPPORTED_PLATFORM, "Infrastructure cluster", text),))
    problems = [
        each for ctrl in _named(controllers, CONTROLLER) for each in _of_controller(ctrl, platform, base_domain)
    ]
    service = next(iter(_named(services, SERVICE)), None)
    if service is None:
        return IngressTarget(problems=tuple(problems))
    problems += _of_service(service, platform)
    listed = dig(service, "status", "loadBalancer", "ingress")
    entries = listed if isinstance(listed, list) and is_load_balancer(service) else []
    hostnames: tuple[str, ...] = ()
    found = Addresses()
    if platform == "AWS":
        hostnames = _hostnames(entries, base_domain, dialect, problems)
    else:
        found = addresses_of((dig(entry, "ip") for entry in entries), f"Service {SERVICE}: {_STATUS}[].ip")
    reserved = _reserved(service, platform)
    found_problems = (*problems, *found.problems, *reserved.problems, *_other_addresses(found, reserved))
    return IngressTarget(True, hostnames, found.addresses, found_problems, reserved.addresses)


def addresses_of(values: Iterable[object], subject: str) -> Addresses:
    """Return the addresses among ``values``, each once and in their order, that a load balancer can have.

    Of more than `MAX_ADDRESSES` the lowest are returned, so that the choice does not depend on the order.
    """
    found: dict[IPAddress, None] = {}
    problems: list[Problem] = []
    for value in values:
        address = _usable(value)
        if address is not None:
            found[address] = None
        elif len(problems) < MAX_ADDRESSES:
            text = f"{shown(value)} is not the address of a load balancer" if value else "has no address"
            problems.append(Problem(Reason.INVALID_ADDRESS, subject, text))
    if len(found) <= MAX_ADDRESSES:
        return Addresses(tuple(found), tuple(problems))
    text = f"{len(found)} addresses; the lowest {MAX_ADDRESSES} are used"
    return Addresses(_lowest(found), (*problems, Problem(Reason.TOO_MANY, subject, text)))


def _lowest(addresses: Iterable[IPAddress]) -> tuple[IPAddress, ...]:
    """The lowest addresses, as many of each family as there is room for."""
    ordered = sorted(addresses, key=lambda address: (address.version, int(address)))
    ranks = {ip: rank for version in (4, 6) for rank, ip in enumerate(ip for ip in ordered if ip.version == version)}
    kept = frozenset(sorted(ordered, key=ranks.__getitem__)[:MAX_ADDRESSES])
    return tuple(address for address in ordered if address in kept)


def _usable(value: object) -> IPAddress | None:
    try:
        address = ip_address(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if address is None or "%" in str(address):
        return None
    is_local = address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    return None if is_local or getattr(address, "ipv4_mapped", None) else address


def _named(objects: Iterable[JsonObject], name: str) -> Iterator[JsonObject]:
    for obj in objects:
        metadata = mapping(obj, "metadata")
        if f"{metadata.get('namespace')}/{metadata.get('name')}" == name:
            yield obj


def _of_controller(controller: JsonObject, platform: str, base_domain: str) -> Iterator[Problem]:
    subject = f"IngressController {CONTROLLER}"
    strategy = text_of(dig(controller, "status", "endpointPublishingStrategy", "type")) or text_of(
        dig(controller, "spec", "endpointPublishingStrategy", "type")
    )
    if strategy not in {"", "LoadBalancerService"}:
        text = f"publishes with {shown(strategy)}; *.apps needs LoadBalancerService"
        yield Problem(Reason.NOT_A_LOAD_BALANCER, f"{subject}: spec.endpointPublishingStrategy.type", text)
    chosen = parameters_for(controller)
    if chosen is not None and not suits(chosen.type, platform):
        text = f"{shown(chosen.type)} has no effect on {platform}"
        yield Problem(Reason.OTHER_PLATFORM, f"{subject}: {chosen.field}", text)
    domain = text_of(dig(controller, "status", "domain")) or text_of(dig(controller, "spec", "domain"))
    if domain and domain != f"apps.{base_domain}":
        text = f"serves {shown(domain)}, not apps.{base_domain}"
        yield Problem(Reason.OTHER_DOMAIN, f"{subject}: status.domain", text)


def _of_service(service: JsonObject, platform: str) -> Iterator[Problem]:
    if not is_load_balancer(service):
        yield Problem(Reason.NOT_A_LOAD_BALANCER, f"Service {SERVICE}: spec.type", "is not LoadBalancer")
    for setting in ignored_settings(service, platform):
        text = f"has no effect on {platform}"
        yield Problem(Reason.OTHER_PLATFORM, f"Service {SERVICE}: {setting.field}", text)


def _reserved(service: JsonObject, platform: str) -> Addresses:
    """The addresses that the Service asks for."""
    settings = [*reserved_addresses(service, platform)] if is_load_balancer(service) else []
    found = [addresses_of([each.value], f"Service {SERVICE}: {each.field}") for each in settings]
    return Addresses(
        tuple(address for each in found for address in each.addresses),
        tuple(problem for each in found for problem in each.problems),
    )


def _other_addresses(found: Addresses, reserved: Addresses) -> Iterator[Problem]:
    """A load balancer without an address that its Service asks for: records for that address lead nowhere."""
    missing = [address for address in reserved.addresses if address not in found.addresses]
    if found.addresses and missing:
        text = f"the load balancer has {_joined(found.addresses)}, and the Service asks for {_joined(missing)}"
        yield Problem(Reason.OTHER_ADDRESS, f"Service {SERVICE}: {_STATUS}", text)


def _joined(addresses: Iterable[IPAddress]) -> str:
    return ", ".join(map(str, addresses))


def _hostnames(entries: Sequence[Any], base_domain: str, dialect: Dialect, problems: list[Problem]) -> tuple[str, ...]:
    """Host names that can be resolved; the others become problems."""
    found: dict[str, None] = {}
    for index, entry in enumerate(entries[:MAX_ADDRESSES]):
        subject, written = f"Service {SERVICE}: {_STATUS}[{index}].hostname", text_of(dig(entry, "hostname"))
        name = canonical_name(written)
        if not name:
            text = f"{shown(written)} is not a DNS name" if written else "is missing; AWS has names, not addresses"
            problems.append(Problem(Reason.INVALID_NAME, subject, text))
        elif is_served(name, base_domain, dialect):
            text = f"{name} is itself one of the names that lead to the load balancer"
            problems.append(Problem(Reason.LOOP, subject, text))
        else:
            found[name] = None
    if len(entries) > MAX_ADDRESSES:
        text = f"{len(entries)} host names; the first {MAX_ADDRESSES} are used"
        problems.append(Problem(Reason.TOO_MANY, f"Service {SERVICE}: {_STATUS}", text))
    return tuple(found)
