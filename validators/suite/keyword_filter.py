"""Which cases ``-k EXPRESSION`` selects: substrings with ``and``, ``or``, ``not`` and parentheses, as in pytest."""

import re
from collections.abc import Callable
from typing import Final

MAX_LENGTH: Final = 2000
_DEEPEST: Final = 50
_TOKEN: Final = re.compile(r"""\s*(?:(?P<mark>[()])|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s()"']+))""")

Selector = Callable[[str], bool]


class BadExpression(ValueError):
    """The expression cannot be read; the text says where."""


def selector(expression: str) -> Selector:
    """Return the predicate of an expression over the text of a case; case does not count. "" selects everything.

    A text with spaces stands in quotes. Raises BadExpression.
    """
    if not expression.strip():
        return lambda _: True
    if len(expression) > MAX_LENGTH:
        raise BadExpression(f"longer than {MAX_LENGTH} characters")
    parser = _Parser(expression)
    chosen = parser.either(0)
    parser.end()
    return lambda text: chosen(text.casefold())


class _Parser:
    """Recursive descent: either = both {"or" both}; both = one {"and" one}; one = "not" one | "(" either ")" | text."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._at = 0
        self._advance()

    def _advance(self) -> None:
        found = _TOKEN.match(self._expression, self._at)
        if found is None:
            if self._expression[self._at :].strip():
                raise BadExpression(f"column {self._at + 1}: a quote is never closed")
            self._operator, self._text = "end", None
            return
        self._start = found.start(found.lastgroup or 0) + 1
        self._at = found.end()
        mark, word = found["mark"], found["word"]
        self._operator = mark or (word if word in ("and", "or", "not") else "")
        texts = (text for text in (found["double"], found["single"], word) if text is not None)
        self._text = None if self._operator else next(texts).casefold()

    def end(self) -> None:
        if self._operator != "end":
            raise BadExpression(f"column {self._start}: expected 'and', 'or' or the end")

    def either(self, depth: int) -> Selector:
        left = self._both(depth)
        while self._operator == "or":
            self._advance()
            left = _any(left, self._both(depth))
        return left

    def _both(self, depth: int) -> Selector:
        left = self._one(depth)
        while self._operator == "and":
            self._advance()
            left = _all(left, self._one(depth))
        return left

    def _one(self, depth: int) -> Selector:
        if depth > _DEEPEST:
            raise BadExpression(f"nested deeper than {_DEEPEST} levels")
        if self._operator == "not":
            self._advance()
            inner = self._one(depth + 1)
            return lambda text: not inner(text)
        if self._operator == "(":
            self._advance()
            inner = self.either(depth + 1)
            if self._operator != ")":
                raise BadExpression("a parenthesis is never closed")
            self._advance()
            return inner
        wanted = self._text
        if wanted is None:
            where = "at the end" if self._operator == "end" else f"column {self._start}"
            raise BadExpression(f"{where}: expected a text, 'not' or '('")
        self._advance()
        return lambda text: wanted in text


def _any(left: Selector, right: Selector) -> Selector:
    return lambda text: left(text) or right(text)


def _all(left: Selector, right: Selector) -> Selector:
    return lambda text: left(text) and right(text)
