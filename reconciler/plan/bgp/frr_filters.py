"""The prefix lists and route maps of one neighbour, with the names and numbers that frr-k8s gives them.

Source: frr-k8s, ``internal/frr/templates/prefixlists.tmpl``.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ovnguard.validators.network.frr.frr_community import LARGE
from ovnguard.validators.network.frr.frr_model import Incoming, Neighbor, Outgoing
from ovnguard.validators.network.frr.frr_values import FAMILIES, family_of_prefix
from ovnguard.validators.network.model import IPNetwork

_IP: Final = {"ipv4": "ip", "ipv6": "ipv6"}
_NEXT_HOP: Final = {4: "set ip next-hop", 6: "set ipv6 next-hop global"}


def filters_of(neighbor: Neighbor, always_block: Sequence[IPNetwork]) -> list[str]:
    """Return the lines of both route maps and of their prefix lists.

    Entries of both route maps are numbered by one counter, outgoing first, and entries of a prefix list by one counter
    of its name: the list of incoming prefixes has one name in both families.
    """
    numbered = _Numbered(neighbor.id)
    return [*_outgoing(neighbor, numbered), *_incoming(neighbor, numbered, always_block)]


class _Numbered:
    """Writes numbered entries."""

    def __init__(self, neighbor: str) -> None:
        self._neighbor = neighbor
        self._used: Counter[str] = Counter()

    def prefix_list(self, family: str, name: str, entries: Iterable[str]) -> Iterator[str]:
        for entry in entries:
            self._used[name] += 1
            yield f"{_IP[family]} prefix-list {name} seq {self._used[name]} {entry}"

    def route_map(self, direction: str, verdict: str, family: str, prefixes: str, *actions: str) -> Iterator[str]:
        self._used[""] += 1
        yield f"route-map {self._neighbor}-{direction} {verdict} {self._used['']}"
        yield f"  match {_IP[family]} address prefix-list {prefixes}"
        yield from (f"  {action}" for action in actions)


def _outgoing(neighbor: Neighbor, numbered: _Numbered) -> Iterator[str]:
    outgoing = neighbor.outgoing
    for name, family, action, prefixes in sorted(_modifiers(neighbor.id, outgoing)):
        yield from numbered.prefix_list(family, name, [f"permit {prefix}" for prefix in prefixes])
        yield from numbered.route_map("out", "permit", family, name, action, "on-match next")
    for family in FAMILIES.values():
        permitted = [f"permit {each}" for each in sorted(outgoing.prefixes) if family_of_prefix(each) == family]
        yield from numbered.prefix_list(family, f"{neighbor.id}-allowed-{family}", permitted or ["deny any"])
    hops = dict(outgoing.next_hops)
    for version, family in FAMILIES.items():
        actions = [f"{_NEXT_HOP[version]} {hops[version]}"] if version in hops else []
        yield from numbered.route_map("out", "permit", family, f"{neighbor.id}-allowed-{family}", *actions)


def _modifiers(neighbor: str, outgoing: Outgoing) -> Iterator[tuple[str, str, str, list[str]]]:
    """Name, family, action and prefixes of the lists that select what gets a preference or a community."""
    kinds = [(str(preference), "localpref", prefix) for prefix, preference in outgoing.preferences]
    kinds += [(community, "community", prefix) for community, prefix in outgoing.communities]
    found: dict[tuple[str, str, str], list[str]] = {}
    for value, kind, prefix in kinds:
        found.setdefault((value, kind, family_of_prefix(prefix)), []).append(prefix)
    for (value, kind, family), prefixes in found.items():
        name = f"{neighbor}-{value}-{_IP[family]}-{kind}-prefixes"
        yield name, family, _action(kind, value), sorted(prefixes)


def _action(kind: str, value: str) -> str:
    if kind == "localpref":
        return f"set local-preference {value}"
    large = value.removeprefix(f"{LARGE}:")
    return f"set community {value} additive" if large == value else f"set large-community {large} additive"


def _incoming(neighbor: Neighbor, numbered: _Numbered, always_block: Sequence[IPNetwork]) -> Iterator[str]:
    name = f"{neighbor.id}-inpl-{neighbor.session.family}"
    incoming = neighbor.incoming
    # As frr-k8s sorts them: by the text of prefix and lengths.
    accepted = sorted(incoming or (), key=lambda each: (f"{each.prefix}{each.le}{each.ge}", each))
    by_family = {family: [each for each in accepted if family_of_prefix(each.prefix) == family] for family in _IP}
    for family, prefixes in by_family.items():
        yield from numbered.prefix_list(family, name, map(_entry, prefixes))
    for family, prefixes in by_family.items():
        if not prefixes:
            yield from numbered.prefix_list(family, name, ["permit any" if incoming is None else "deny any"])
    if always_block:
        denied = f"{neighbor.id}-denied-inpl-{neighbor.session.family}"
        for subnet in always_block:
            family = FAMILIES[subnet.version]
            yield from numbered.prefix_list(family, denied, [f"permit {subnet} le {subnet.max_prefixlen}"])
        for family in FAMILIES.values():
            yield from numbered.route_map("in", "deny", family, denied)
    for family in FAMILIES.values():
        yield from numbered.route_map("in", "permit", family, name)


def _entry(accepted: Incoming) -> str:
    le = f" le {accepted.le}" if accepted.le else ""
    ge = f" ge {accepted.ge}" if accepted.ge else ""
    return f"permit {accepted.prefix}{le}{ge}"
