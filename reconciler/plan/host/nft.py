"""nftables as values: ovnguard's table with its sets and chains, and its text for `nft -f`.

Only the few expressions that plans use are modelled. An observed rule with any other expression keeps its JSON text,
which never equals a planned rule.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, collapse_addresses
from typing import Final

from ovnguard.validators.network.model import IPNetwork

FAMILY: Final = "inet"
TABLE: Final = "ovnguard"


@dataclass(frozen=True, slots=True)
class Match:
    """``left`` is a selector of `nft_json.SELECTORS`, ``right`` an address, a network, a word, or ``@set``."""

    left: str
    right: str
    negated: bool = False

    def __str__(self) -> str:
        right = f'"{self.right}"' if self.left == "oifname" else self.right
        # nft reads and prints a set with the bare selector
        return f"{self.left} {'!= ' if self.negated else ''}{right}"


@dataclass(frozen=True, slots=True)
class NftRule:
    """Matches, all of which must hold, and a verdict: masquerade, return, drop, ``jump CHAIN``, ``snat ip to A``."""

    matches: tuple[Match, ...]
    verdict: str

    def __str__(self) -> str:
        return " ".join([*map(str, self.matches), self.verdict])


@dataclass(frozen=True, slots=True)
class Hook:
    """The hook of a base chain: type nat or filter, the hook's name, the priority as a number."""

    type: str
    hook: str
    priority: int

    def __str__(self) -> str:
        return f"type {self.type} hook {self.hook} priority {self.priority}; policy accept;"


@dataclass(frozen=True, slots=True)
class NftChain:
    """A chain of ovnguard's table; with ``hook``, a base chain."""

    name: str
    rules: tuple[NftRule, ...] = ()
    hook: Hook | None = None


@dataclass(frozen=True, slots=True)
class NftSet:
    """An interval set of addresses of one IP version; ``elements`` are addresses and networks, sorted, disjoint."""

    name: str
    version: int
    elements: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """The type of its elements."""
        return f"ipv{self.version}_addr"


def elements_of(networks: Iterable[IPNetwork]) -> tuple[str, ...]:
    """Return networks of one IP version as elements of a set: merged, because intervals must not overlap, and sorted.

    A single address has no prefix length, as nft prints it.
    """
    networks = tuple(networks)
    v4 = [each for each in networks if isinstance(each, IPv4Network)]
    v6 = [each for each in networks if isinstance(each, IPv6Network)]
    return (
        *(str(each).removesuffix("/32") for each in collapse_addresses(v4)),
        *(str(each).removesuffix("/128") for each in collapse_addresses(v6)),
    )


def ruleset(sets: Iterable[NftSet], chains: Iterable[NftChain]) -> str:
    """Return ovnguard's table as text for `nft -f`; '' without sets and chains."""
    blocks = [_set_text(each) for each in sets] + [_chain_text(each) for each in chains]
    if not blocks:
        return ""
    return f"table {FAMILY} {TABLE} {{\n" + "\n".join(blocks) + "}\n"


def _set_text(each: NftSet) -> str:
    elements = f"\t\telements = {{ {', '.join(each.elements)} }}\n" if each.elements else ""
    return f"\tset {each.name} {{\n\t\ttype {each.type}\n\t\tflags interval\n{elements}\t}}\n"


def _chain_text(each: NftChain) -> str:
    lines = [str(each.hook)] if each.hook is not None else []
    lines += map(str, each.rules)
    return f"\tchain {each.name} {{\n" + "".join(f"\t\t{line}\n" for line in lines) + "\t}\n"
