"""Finds the position of a printed field path in a document."""

import re
from typing import Final

from validators.manifest.yaml_reader import Node, Position

_TOKEN: Final = re.compile(r"\.?([^.\[\]]+)|\[([^\]]*)\]")


def find(node: Node, field: str) -> Position:
    """Follow the printed path as far as the document goes. A key of a map may itself contain dots and brackets."""
    best = node.position
    rest = field
    while rest:
        step = _longest_key(node, rest) or _token(rest)
        if step is None:
            break
        key, rest = step
        member = node.members.get(key)
        if member is None and isinstance(key, str) and key.isdigit():
            key = int(key)
            member = node.members.get(key)
        if member is None:
            break
        best = node.keys.get(key, member.position) if isinstance(key, str) else member.position
        node = member
    return best


def _longest_key(node: Node, rest: str) -> tuple[str | int, str] | None:
    """Return the longest written key that ``rest`` begins with, as ``.key`` or ``[key]``."""
    for key in sorted((key for key in node.members if isinstance(key, str)), key=len, reverse=True):
        for opening, closing in (("", ""), (".", ""), ("[", "]")):
            text = f"{opening}{key}{closing}"
            if rest.startswith(text) and (len(rest) == len(text) or closing or rest[len(text)] in ".["):
                return key, rest[len(text) :]
    return None


def _token(rest: str) -> tuple[str | int, str] | None:
    found = _TOKEN.match(rest)
    return (found[1] or found[2], rest[found.end() :]) if found else None
