"""Whether the tests of a shell script hold, as far as their words are decided."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, TypeAlias

_OPEN: Final = "\ue000"
_CLOSE: Final = "\ue001"
UNDECIDED: Final = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")
"""An undecided piece of a value; its group is the name of the variable."""

Values: TypeAlias = tuple[str, ...]
"""The possible values of a word or variable."""


def undecided(name: str) -> str:
    """Return a value that only the running shell knows."""
    return f"{_OPEN}{name}{_CLOSE}"


def plain(text: str) -> str:
    """Return text without the characters that mark undecided pieces."""
    return text.replace(_OPEN, "").replace(_CLOSE, "")


def negated(result: bool | None) -> bool | None:
    """Return the opposite."""
    return None if result is None else not result


def listed(results: Sequence[bool | None], operators: Sequence[str]) -> bool | None:
    """Return the result of a list from left to right."""
    held = results[0]
    for operator, result in zip(operators, results[1:], strict=True):
        if operator == "&&":
            held = False if False in (held, result) else None if None in (held, result) else True
        else:
            held = True if True in (held, result) else None if None in (held, result) else False
    return held


def expression(words: Sequence[Values]) -> bool | None:
    """Return the result of the words of a test."""
    for operator in ("||", "&&"):
        if (operator,) in words:
            at = len(words) - 1 - list(words)[::-1].index((operator,))
            return listed([expression(words[:at]), expression(words[at + 1 :])], [operator])
    if not words:
        return False
    if words[0] == ("!",) and len(words) > 1:
        return negated(expression(words[1:]))
    return _agreed(_compared(each) for each in product(*words)) if len(words) <= 3 else None


def _agreed(results: Iterator[bool | None]) -> bool | None:
    found = set(results)
    return found.pop() if len(found) == 1 else None


def _compared(words: Sequence[str]) -> bool | None:
    match list(words):
        case ["-n" | "-z" as operator, text]:
            bare = UNDECIDED.sub("", text)
            return None if not bare and text else bool(bare) is (operator == "-n")
        case [text] if not UNDECIDED.search(text):
            return bool(text)
        case [left, "=" | "==" | "!=" as operator, right]:
            if UNDECIDED.search(left + right) or any(char in right for char in "*?["):
                return None
            return (left == right) is (operator != "!=")
    return None
