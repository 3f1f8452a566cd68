"""Labels that fit: a name is wrapped, or shortened in its middle, and no two names of a picture become equal."""

from collections.abc import Iterable, Mapping
from typing import Final

_CUT: Final = "…"
# A line ends after one of these where it can.
_SEPARATORS: Final = ".-_/:, "


def wrapped(text: str, width: int) -> tuple[str, ...]:
    """Return lines of at most ``width`` characters; together they are ``text``."""
    lines = []
    while len(text) > width:
        ends = [at + 1 for at in range(width * 2 // 3, width) if text[at] in _SEPARATORS]
        end = ends[-1] if ends else width
        lines.append(text[:end])
        text = text[end:]
    return (*lines, text)


def shortened(names: Iterable[str], width: int, lines: int = 1) -> Mapping[str, tuple[str, ...]]:
    """Return up to ``lines`` lines of ``width`` characters for each name; different names have different ones."""
    known = {name: wrapped(name, width) for name in names}
    used = {name for name in known if len(name) <= width * lines}
    return {name: each if len(each) <= lines else _cut(name, width, lines, used) for name, each in known.items()}


def _cut(name: str, width: int, lines: int, used: set[str]) -> tuple[str, ...]:
    """The name, cut at the width, as lines that end at separators would be too many."""
    text = name if name in used else _unused(name, width * lines, used)
    used.add(text)
    return tuple(text[at : at + width] for at in range(0, len(text), width))


def _unused(name: str, most: int, used: set[str]) -> str:
    """The beginning and the end of a name, with a number if others have the same."""
    number, mark = 1, ""
    while True:
        kept = most - len(_CUT) - len(mark)
        text = f"{name[: kept - kept // 2]}{_CUT}{name[len(name) - kept // 2 :]}{mark}"
        if text not in used:
            return text
        number += 1
        mark = f"~{number}"
