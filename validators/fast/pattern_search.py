"""Searches with RE2 patterns, using Python's engine where it gives the same result in bounded time.

google-re2 costs about 3 us a call and its import some milliseconds; most patterns in definitions are plain: literals,
classes, groups, repetition. Such a pattern has the same meaning in both engines. Python's engine backtracks, so the
number of steps is limited too: by the number of open repetitions that can share the text, and by the text's length.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.structural.schema.patterns import compile_pattern

Search = Callable[[str], bool]

_LONGEST_PATTERN: Final = 1000
_MOST_CHOICES: Final = 8192
_FEW: Final = 8
# The maximum length of a text, by the degree of the polynomial that bounds the steps.
_LONGEST: Final = {0: 4096, 1: 1024, 2: 512, 3: 64, 4: 24}
_LITERAL: Final = lazy_pattern(r"[A-Za-z0-9_/:,@#%=~<>;!&\"' -]|\\[.\-/+*?()\[\]{}|^$]")
_CLASS_PART: Final = lazy_pattern(r"([A-Za-z0-9_./:,@#%=+*?$(){};!<> ]|\\[.\-/+*?(){}|^$])(?:-([A-Za-z0-9]))?|\\d|-")
# In Go, a count has no leading zeros: the braces are literals then.
_COUNT: Final = lazy_pattern(r"\{(0|[1-9]\d{0,2})(?:(,)(0|[1-9]\d{0,2})?)?\}")


class _Unfit(Exception):
    """The pattern is not plain, or may be slow."""


@lru_cache(maxsize=4096)
def searcher(pattern: str) -> Search:
    """Return a function that reports whether a text contains a match. For a bad pattern, calling it raises."""

    def exact(text: str) -> bool:
        return compile_pattern(pattern)(text) is not None

    try:
        degree = _Reader(pattern).degree()
        search = re.compile(_python(pattern), re.ASCII).search
    except (_Unfit, re.error, RecursionError):
        return exact
    longest = _LONGEST[degree]

    def plain(text: str) -> bool:
        return search(text) is not None if len(text) <= longest and text.isascii() else exact(text)

    return plain


def _python(pattern: str) -> str:
    """RE2's ``$`` matches at the very end only, Python's also before a last newline."""
    return re.sub(r"\\.|\[\^?[^\]]*\]|\$", lambda found: r"\Z" if found[0] == "$" else found[0], pattern)


class _Reader:
    """Reads a plain pattern, and counts repetitions that can exchange characters."""

    def __init__(self, pattern: str) -> None:
        if len(pattern) > _LONGEST_PATTERN:
            raise _Unfit
        self.text = pattern
        self.at = 0
        self.choices = 1

    def degree(self) -> int:
        """The degree of a polynomial in the text's length that bounds the steps. Raises `_Unfit`."""
        anchored = self.text.startswith("^") and "|" not in self.text
        degree = self._alternatives() + (not anchored)
        if self.at < len(self.text) or degree not in _LONGEST or self.choices > _MOST_CHOICES:
            raise _Unfit
        return degree

    def _peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def _take(self, text: str) -> bool:
        if self._peek(text):
            self.at += len(text)
            return True
        return False

    def _alternatives(self) -> int:
        degree, count = self._sequence(), 1
        while self._take("|"):
            degree += self._sequence()
            count += 1
        self.choices *= count
        return degree

    def _sequence(self) -> int:
        degree = 0
        while self.at < len(self.text) and not self._peek("|") and not self._peek(")"):
            degree += self._piece()
        return degree

    def _piece(self) -> int:
        if self._take("^") or self._take("$"):
            if self._repetition() is not None:
                raise _Unfit
            return 0
        if self._peek("("):
            return self._group()
        self._single()
        repeated = self._repetition()
        self.choices *= 1 + (repeated == 1)
        return 0 if repeated in {None, 1} else 1

    def _group(self) -> int:
        start, before = self.at, self.choices
        self._take("(")
        self._take("?:")
        inner = self._alternatives()
        if not self._take(")"):
            raise _Unfit
        body = self.text[start + 1 : self.at - 1].removeprefix("?:")
        repeated = self._repetition()
        if repeated is None:
            return inner
        if 0 < repeated <= _FEW:
            rounds = self.choices // before + 1
            self.choices = before * rounds**repeated
            return inner * repeated
        # In an open repetition, the choices inside one round multiply with those of every other round.
        if not _unambiguous(body):
            raise _Unfit
        return inner + 1

    def _single(self) -> None:
        if self._peek("["):
            self._class()
        elif not self._take(r"\d") and not self._take("."):
            found = _LITERAL.match(self.text, self.at)
            if found is None:
                raise _Unfit
            self.at = found.end()

    def _class(self) -> None:
        self._take("[")
        self._take("^")
        start = self.at
        while not self._take("]"):
            found = _CLASS_PART.match(self.text, self.at)
            # A dash is literal only at either end.
            if found is None or (found[0] == "-" and self.at != start and self.text[self.at + 1 :][:1] != "]"):
                raise _Unfit
            if found[2] and (not found[1].isalnum() or found[1] > found[2]):
                raise _Unfit
            self.at = found.end()
        if self.at == start + 1:
            raise _Unfit

    def _repetition(self) -> int | None:
        """The most repetitions of the last piece, 0 for any number; None without repetition."""
        most: int | None = None
        if self._take("?"):
            most = 1
        elif self._take("*") or self._take("+"):
            most = 0
        elif (found := _COUNT.match(self.text, self.at)) is not None:
            self.at = found.end()
            most = int(found[3] or found[1])
            if most < int(found[1]):
                raise _Unfit
            if found[2] and not found[3]:
                most = 0
        elif self._peek("{"):
            raise _Unfit
        if most is not None and any(map(self._peek, "?*+{")):
            raise _Unfit
        return most


_ROUND: Final = lazy_pattern(
    rf"(?P<literal>{_LITERAL.pattern})(?P<one>\[[^\]]+\])(?:[*+]|\{{\d+(?:,\d*)?\}}|\((?:\?:)?(?P<many>\[[^\]]+\])\*(?P<last>\[[^\]]+\])\)\?)?"
)


def _unambiguous(body: str) -> bool:
    """Whether a text splits into rounds of a repeated group in only one way, and each round as well.

    Examples are a separator and a run of characters of a class, or a separator and a DNS-like name, if no class
    contains the separator.
    """
    found = _ROUND.fullmatch(body)
    if found is None:
        return False
    separator = found["literal"][-1]
    return not any(re.search(group, separator) for group in (found["one"], found["many"], found["last"]) if group)
