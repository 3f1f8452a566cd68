"""The DNS records that the user owes, and whether they exist.

Sources: OpenShift enhancement "BYO custom DNS", 'Workflow Description': api and api-int before the installation, *.apps
after it; released API: all of them after it, because CoreDNS on the nodes answers until then.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from ipaddress import ip_address
from typing import Final, NamedTuple

from ovnguard.reconciler.dns.plan.observed import Observed, Resolved
from ovnguard.reconciler.dns.plan.served_names import API, API_INT, APPS, Dialect, canonical_name
from ovnguard.validators.network.model import IPAddress
from ovnguard.validators.network.ovnkube_settings.install_dns import is_external, load_balancers, static_addresses

_TYPES: Final = {4: "A", 6: "AAAA"}
# A wildcard is checked by a name that no route has.
_PROBE: Final = "ovnguard-check"
_NO_ADDRESS: Final = "the name has no address"
_LISTS: Final = {API: "api", API_INT: "api_int", APPS: "ingress"}
_RESERVED: Final = {API: "api", API_INT: "apiInt", APPS: "ingress"}


class When(StrEnum):
    """When a record must exist."""

    BEFORE = "before the installation"
    AFTER = "after the installation"


class RecordState(StrEnum):
    """Whether a record exists. ``RESOLVES``: the name has addresses, and nothing says which are right. ``LATER``: its
    value is not known before a later step.
    """

    CORRECT = "correct"
    RESOLVES = "resolves"
    WRONG = "wrong"
    MISSING = "missing"
    UNCHECKED = "not checked"
    LATER = "later"

    @property
    def is_right(self) -> bool:
        """Whether the user owes nothing more, as far as is known."""
        return self in {RecordState.CORRECT, RecordState.RESOLVES}

    @property
    def is_owed(self) -> bool:
        """Whether the user has to create or correct the record now."""
        return self in {RecordState.WRONG, RecordState.MISSING}


class Record(NamedTuple):
    """One record that the user owes. ``value`` is empty where it is unknown, and ``source`` says what it is."""

    name: str
    type: str
    value: str
    when: When
    source: str
    state: RecordState = RecordState.UNCHECKED
    detail: str = ""


def owed_records(observed: Observed) -> tuple[Record, ...]:
    """Return all records of the user, those of the API server first; none where the platform manages DNS."""
    dialect = observed.dialect
    if dialect is None or not observed.base_domain:
        return ()
    return tuple(record for name in (API, API_INT, APPS) for record in _of_name(observed, name, dialect))


def names_to_resolve(observed: Observed) -> tuple[str, ...]:
    """Return the names whose addresses `owed_records` and the state of the installation depend on."""
    if observed.dialect is None or not observed.base_domain:
        return ()
    asked = [asked_name(record.name) for record in owed_records(observed)]
    targets = filter(None, map(canonical_name, observed.targets.values()))
    return tuple(dict.fromkeys((*asked, *observed.target.hostnames, *targets)))


def asked_name(record: str) -> str:
    """Return the name that shows whether a record exists: its own, or one that its wildcard matches."""
    return record.replace("*", _PROBE, 1)


def _of_name(observed: Observed, name: str, dialect: Dialect) -> Iterator[Record]:
    """The records of one name: an alias, or one for each address; one without value where that is unknown."""
    full = f"{name}.{observed.base_domain}"
    when = When.AFTER if dialect is Dialect.RELEASED or name == APPS else When.BEFORE
    alias, addresses, source = _value(observed, name, dialect)
    found = observed.resolved.get(asked_name(full))
    for address in addresses if not alias else ():
        state, detail = _state_of_address(found, address, addresses)
        yield Record(full, _TYPES[address.version], str(address), when, source, state, detail)
    if alias:
        state, detail = _state_of_alias(found, observed.resolved.get(alias))
        yield Record(full, "CNAME", alias, when, source, state, detail)
    elif not addresses:
        state, detail = _state_of_unknown(found, when)
        yield Record(full, "CNAME" if observed.platform == "AWS" else "A", "", when, source, state, detail)


def _value(observed: Observed, name: str, dialect: Dialect) -> tuple[str, tuple[IPAddress, ...], str]:
    """The alias or the addresses that a record leads to, and what they are."""
    if name == APPS:
        target = observed.target
        source = "the load balancer of *.apps"
        if target.hostnames or target.addresses:
            return next(iter(target.hostnames), ""), target.addresses, source
        if target.reserved:
            return "", target.reserved, "the address that the Service asks for"
    else:
        source = _load_balancer(observed, name)
        if text := observed.targets.get(name, ""):
            address = _address(text)
            return ("", (address,), source) if address else (canonical_name(text), (), source)
    reserved = _reserved(observed, name)
    if reserved:
        return "", reserved, "the address in install-config.yaml"
    if dialect is Dialect.RELEASED:
        listed = observed.hosted(_LISTS[name]).addresses
        # a private cluster has one load balancer for both names
        listed = listed or (observed.hosted("api_int").addresses if name == API else ())
        return "", listed, source
    return "", (), source


def _load_balancer(observed: Observed, name: str) -> str:
    """What the record of ``api`` or ``api-int`` leads to, in words."""
    named = load_balancers(observed.install_config) if observed.install_config is not None else None
    if named is None:
        return f"the load balancer of {name}"
    own = named.api_int if name == API_INT or not (named.api or named.is_external) else named.api
    return f"the DNS name of load balancer {own}" if own else f"the load balancer of {name}"


def _reserved(observed: Observed, name: str) -> tuple[IPAddress, ...]:
    """The static addresses in the install configuration."""
    config = observed.install_config
    if config is None:
        return ()
    wanted = {_RESERVED[name]} if name != API or is_external(config) else {"apiInt"}
    found = (_address(text) for kind, _, text in static_addresses(config) if kind in wanted)
    return tuple(address for address in found if address is not None)


def _state_of_address(
    found: Resolved | None, address: IPAddress, expected: Sequence[IPAddress]
) -> tuple[RecordState, str]:
    if found is None:
        return RecordState.UNCHECKED, ""
    if address in found.addresses:
        return RecordState.CORRECT, ""
    wrong = [each for each in found.addresses if each.version == address.version and each not in expected]
    return (RecordState.WRONG, _leads_to(wrong)) if wrong else (RecordState.MISSING, found.problem or _NO_ADDRESS)


def _state_of_alias(found: Resolved | None, expected: Resolved | None) -> tuple[RecordState, str]:
    """An alias is correct if its addresses are among those of the load balancer, which may return some of them."""
    if found is None or expected is None:
        return RecordState.UNCHECKED, ""
    if not found.addresses:
        return RecordState.MISSING, found.problem or _NO_ADDRESS
    if not expected.addresses:
        return RecordState.UNCHECKED, f"the load balancer's name does not resolve: {expected.problem or _NO_ADDRESS}"
    wrong = [address for address in found.addresses if address not in expected.addresses]
    return (RecordState.WRONG, _leads_to(wrong)) if wrong else (RecordState.CORRECT, "")


def _state_of_unknown(found: Resolved | None, when: When) -> tuple[RecordState, str]:
    if when is When.AFTER:
        return RecordState.LATER, ""
    if found is None:
        return RecordState.UNCHECKED, ""
    if found.addresses:
        return RecordState.RESOLVES, _leads_to(found.addresses)
    return RecordState.MISSING, found.problem or _NO_ADDRESS


def _leads_to(addresses: Sequence[IPAddress]) -> str:
    return f"leads to {', '.join(map(str, addresses))}"


def _address(text: str) -> IPAddress | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
