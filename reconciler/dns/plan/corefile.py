"""The configuration of CoreDNS on the nodes: it answers the cluster's own names and forwards all others.

Source: machine-config-operator, ``templates/common/cloud-platform-alt-dns/files/coredns-corefile.yaml``. Unlike there,
dots in patterns are literal, patterns match whole names, and a name without an address has no answer at all: its
queries go to the user's DNS.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from ovnguard.reconciler.dns.plan.problems import Problem, Reason
from ovnguard.reconciler.dns.plan.served_names import API, API_INT, APPS, SERVED, Dialect, is_base_domain
from ovnguard.reconciler.dns.plan.upstreams import MAX_UPSTREAMS, Upstream
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress

TTL: Final = 60
HEALTH_PORT: Final = 18080
_TYPES: Final = {4: "A", 6: "AAAA"}
_INDENT: Final = "    "


class NodeAddress(NamedTuple):
    """A node's name and one of its addresses."""

    name: str
    address: IPAddress


@dataclass(frozen=True, slots=True)
class CorefileInput:
    """What the configuration depends on.

    ``base_domain`` is the cluster's own domain (``<cluster>.<base domain of the installation>``). ``ingress``, ``api``
    and ``api_int`` are addresses of load balancers; the proposed API uses only those of ``ingress``, in any order.
    ``reload``: the seconds between two looks of CoreDNS at its configuration; 0 for its own default. ``health_port`` is
    that of its liveness probe.
    """

    base_domain: str
    dialect: Dialect
    upstreams: tuple[Upstream, ...]
    ingress: tuple[IPAddress, ...] = ()
    api: tuple[IPAddress, ...] = ()
    api_int: tuple[IPAddress, ...] = ()
    nodes: tuple[NodeAddress, ...] = ()
    reload: int = 0
    health_port: int = HEALTH_PORT


class Corefile(NamedTuple):
    """The text of the configuration, empty when ``problems`` prevent it."""

    text: str
    problems: tuple[Problem, ...] = ()


def node_addresses(nodes: Iterable[Node]) -> tuple[NodeAddress, ...]:
    """Return the internal addresses of nodes, by name."""
    return tuple(sorted((NodeAddress(node.name, ip) for node in nodes for ip in node.internal_ips), key=_by_name))


def corefile(wanted: CorefileInput) -> Corefile:
    """Return the configuration; the same set of addresses in another order yields the same text."""
    problems = tuple(_problems(wanted))
    if problems:
        return Corefile("", problems)
    body = [
        "errors",
        "bufsize 512",
        f"health :{wanted.health_port}",
        f"forward . {' '.join(map(str, wanted.upstreams[:MAX_UPSTREAMS]))} {{",
        f"{_INDENT}policy sequential",
        "}",
        "cache 30",
        f"reload {wanted.reload}s" if wanted.reload else "reload",
        *_templates(wanted),
        *_hosts(wanted),
    ]
    return Corefile("\n".join((". {", *(_INDENT + line for line in body), "}", "")))


def addresses_in(text: str, base_domain: str) -> Mapping[str, tuple[str, ...]]:
    """Return the addresses that a configuration of `corefile` answers with, by served name; other texts have none."""
    names = {_pattern(base_domain, name): name for name in SERVED[Dialect.RELEASED]}
    found: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["match"]:
            name = names.get(words[-1], "")
        elif words[:1] == ["answer"] and name:
            found[name] = (*found.get(name, ()), words[-1].removesuffix('"'))
    return found


def _problems(wanted: CorefileInput) -> Iterator[Problem]:
    if not is_base_domain(wanted.base_domain):
        yield Problem(Reason.INVALID_NAME, "spec.baseDomain", "is not a DNS name in lower case")
    if not wanted.upstreams:
        yield Problem(Reason.NO_UPSTREAM, "resolv.conf", "No upstream DNS servers found")


def _templates(wanted: CorefileInput) -> Iterator[str]:
    """Two blocks per served name: one for each record type, that of the cluster's primary family first."""
    addresses = {APPS: wanted.ingress, API: wanted.api, API_INT: wanted.api_int}
    families = _families(wanted)
    for name in SERVED[wanted.dialect]:
        for version in families if addresses[name] else ():
            answers = _answers(addresses[name], version, wanted.dialect)
            yield from _template(wanted.base_domain, name, version, answers)


def _families(wanted: CorefileInput) -> tuple[int, int]:
    """Both address families; that of api-int, or else of the first name that has an address, is first.

    In the proposed API, addresses have no order: IPv4 is first where there is any.
    """
    if wanted.dialect is Dialect.PROPOSED:
        first = min((address.version for address in wanted.ingress), default=4)
    else:
        listed = (*wanted.api_int, *wanted.ingress, *wanted.api)
        first = listed[0].version if listed else 4
    return (4, 6) if first == 4 else (6, 4)


def _answers(addresses: Sequence[IPAddress], version: int, dialect: Dialect) -> list[IPAddress]:
    """The addresses of one family to answer with: all that a name resolves to, or the first in the cluster's list."""
    found = [address for address in addresses if address.version == version]
    return sorted(set(found), key=int) if dialect is Dialect.PROPOSED else found[:1]


def _template(domain: str, name: str, version: int, answers: Sequence[IPAddress]) -> Iterator[str]:
    yield f"template IN {_TYPES[version]} {domain} {{"
    yield f"{_INDENT}match {_pattern(domain, name)}"
    for address in answers:
        yield f'{_INDENT}answer "{{{{ .Name }}}} {TTL} in {{{{ .Type }}}} {address}"'
    yield f"{_INDENT}fallthrough"
    yield "}"


def _pattern(domain: str, name: str) -> str:
    first = ".*[.]apps" if name == APPS else name
    return f"^{first}[.]{domain.replace('.', '[.]')}[.]$"


def _hosts(wanted: CorefileInput) -> Iterator[str]:
    yield "hosts {"
    for node in sorted(set(wanted.nodes), key=_by_name):
        yield f"{_INDENT}{node.address} {node.name} {node.name}.{wanted.base_domain}"
    yield f"{_INDENT}fallthrough"
    yield "}"


def _by_name(node: NodeAddress) -> tuple[str, int, int]:
    return node.name, node.address.version, int(node.address)
