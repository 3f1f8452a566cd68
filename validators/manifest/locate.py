"""Finds the position of a printed field path in a document."""

from bisect import bisect_right
from typing import Final

from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.manifest.yaml_reader import Node, Position

_TOKEN: Final = lazy_pattern(r"\.?([^.\[\]]+)|\[([^\]]*)\]")


def find(node: Node, field: str) -> Position:
    """Follow the printed path as far as the document goes. A key of a map may itself contain dots and brackets."""
    return _follow(node, field)[0]


def value_position(node: Node, field: str) -> Position | None:
    """Return where the value at the printed path begins; None if the document has no such field."""
    _, value, rest = _follow(node, field)
    return None if rest else value.position


def _follow(node: Node, field: str) -> tuple[Position, Node, str]:
    """The position of the last field of the path that the document has, its value, and the rest of the path."""
    best = node.position
    rest, is_root = field, True
    while rest:
        step = _longest_key(node, rest, is_root=is_root) or _token(rest)
        if step is None:
            break
        key, left = step
        is_root = False
        member = node.members.get(key)
        if member is None and isinstance(key, str) and key.isdigit():
            key = int(key)
            member = node.members.get(key)
        if member is None:
            break
        best = node.keys.get(key, member.position) if isinstance(key, str) else member.position
        node, rest = member, left
    return best, node, rest


def _longest_key(node: Node, rest: str, *, is_root: bool) -> tuple[str | int, str] | None:
    """Return the longest written key that ``rest`` begins with: ``key`` at the root, ``.key`` or ``[key]`` below.

    Only lengths that some key has are tried, so that a path costs no more in an object of many keys.
    """
    opening = "" if is_root or rest[0] not in ".[" else rest[0]
    closing = "]" if opening == "[" else ""
    longest = len(rest) - len(opening) - len(closing)
    lengths = node.key_lengths()
    for length in reversed(lengths[: bisect_right(lengths, longest)]):
        end = len(opening) + length
        if rest[end] == "]" if closing else (end == len(rest) or rest[end] in ".["):
            key = rest[len(opening) : end]
            if key in node.keys:
                return key, rest[end + len(closing) :]
    return None


def _token(rest: str) -> tuple[str | int, str] | None:
    found = _TOKEN.match(rest)
    return (found[1] or found[2], rest[found.end() :]) if found else None
