"""Equal changes of several nodes as one: words such as `NODE` take the place of what is each node's own."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias, TypeVar

from ovnguard.reconciler.plan.render.guesses import NUMBER

NODE: Final = "<node>"
ADDRESS: Final = "<address>"
SUBNET: Final = "<subnet>"
CHASSIS: Final = "<chassis>"
Own: TypeAlias = Mapping[str, str]
"""What is a node's own, besides its name: the texts, with the words in their place."""
Owns: TypeAlias = Sequence[Own]
"""The same in several extents: what is one node's own may be part of a network on all nodes."""
_LEGEND: Final = {
    NODE: f"{NODE} is the name of each node",
    ADDRESS: f"{ADDRESS} is an address of each node",
    SUBNET: f"{SUBNET} is the subnet of each node",
    CHASSIS: f"{CHASSIS} is the chassis of each node",
}
_NAME_ALONE: Final[Own] = MappingProxyType({})
_T = TypeVar("_T", bound=Hashable)


class FoldedText(NamedTuple):
    """The same lines about each of ``nodes``."""

    nodes: tuple[str, ...]
    lines: tuple[str, ...]


def folded_texts(
    texts: Mapping[str, Sequence[str]], owns: Mapping[str, Owns] = MappingProxyType({})
) -> list[FoldedText]:
    """Return the lines of each node; nodes whose lines differ only by their names and by what is their own are one."""

    def general_lines(lines: tuple[str, ...], node: str) -> list[tuple[str, ...]]:
        return [tuple(each(line) for line in lines) for each in generalizations(node, owns.get(node, ()))]

    found = folded({node: [tuple(lines)] for node, lines in texts.items()}, general_lines)
    return [FoldedText(nodes, lines) for lines, nodes in found]


def folded(
    items: Mapping[str, Iterable[_T]], general_of: Callable[[_T, str], Iterable[_T]]
) -> list[tuple[_T, tuple[str, ...]]]:
    """Return the items of nodes, each with its nodes, in the order of their first nodes.

    Items are one where they or one of their general forms are equal, the one that makes the most nodes one.
    """
    keys: list[tuple[str, _T, list[tuple[int, _T, int]]]] = []
    for node, own in items.items():
        # a node may have several equal items
        seen = Counter[tuple[int, _T]]()
        for each in own:
            forms = list(enumerate((each, *general_of(each, node))))
            keys.append((node, each, [(level, form, seen[level, form]) for level, form in forms]))
            seen.update(forms)
    sizes = Counter(key for _, _, own_keys in keys for key in own_keys)
    found: dict[tuple[int, _T, int], list[tuple[str, _T]]] = {}
    for node, each, own_keys in keys:
        found.setdefault(max(own_keys, key=lambda key: sizes[key]), []).append((node, each))
    return [
        (form if len(members) > 1 else members[0][1], tuple(node for node, _ in members))
        for (_, form, _), members in found.items()
    ]


def legend(texts: Iterable[str]) -> str:
    """Return the line that explains the words in ``texts``, '' where there are none."""
    listed = list(texts)
    found = [text for word, text in _LEGEND.items() if any(word in each for each in listed)]
    return f"({', '.join(found)})" if found else ""


def generalizations(node: str, owns: Owns) -> list[Callable[[str], str]]:
    """Return what makes texts of ``node`` general: without its name, then also without each of ``owns``."""
    return [partial(general, node=node, own=own) for own in (_NAME_ALONE, *owns)]


def general(text: str, node: str, own: Own = _NAME_ALONE) -> str:
    """Return ``text`` with `NODE` in place of the node's name, and with the words of what is its ``own``.

    Equal texts of two nodes differ only by these.
    """
    if any(word in text for word in _LEGEND):
        return text
    for each in (chassis for chassis, word in own.items() if word == CHASSIS):
        text = text.replace(each, CHASSIS)
    text = NUMBER.sub(lambda found: _word(found[0], own), text) if own else text
    return _whole(node).sub(NODE, text) if node in text else text


def _word(number: str, own: Own) -> str:
    """The word in place of a subnet, or of an address with or without the length of its prefix."""
    address, slash, length = number.partition("/")
    return own.get(number) or f"{own.get(address, address)}{slash}{length}"


@lru_cache(maxsize=4096)
def _whole(node: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![0-9A-Za-z]){re.escape(node)}(?![0-9A-Za-z]|[-.][0-9A-Za-z])")
