"""Which cases ``-k EXPRESSION`` selects: substrings with ``and``, ``or``, ``not`` and parentheses, as in pytest."""

import ast
import re
from collections.abc import Callable
from typing import Final

MAX_LENGTH: Final = 2000
_WORD: Final = re.compile(r"""[()]|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s()"']+)""")
_OPERATORS: Final = ("and", "or", "not")

Selector = Callable[[str], bool]


class BadExpression(ValueError):
    """The expression is not valid."""


def selector(expression: str) -> Selector:
    """Return the predicate of an expression over the text of a case, ignoring upper and lower case.

    A text with spaces needs quotes. The empty expression selects everything. Raises BadExpression.
    """
    if not expression.strip():
        return lambda _: True
    if len(expression) > MAX_LENGTH:
        raise BadExpression(f"longer than {MAX_LENGTH} characters")
    texts: list[str] = []

    def name(found: re.Match[str]) -> str:
        if found[0] in "()" or found["word"] in _OPERATORS:
            return f" {found[0]} "
        texts.append(next(text for text in found.groups() if text is not None).casefold())
        return f"_{len(texts) - 1}"

    # Once a name replaces each text, the expression is valid Python.
    python = _WORD.sub(name, expression).strip()
    try:
        tree = ast.parse(python, mode="eval").body
        selects = _selector(tree, texts)
    except (SyntaxError, MemoryError, RecursionError):
        raise BadExpression("write texts joined by and, or, not and parentheses") from None
    return lambda text: selects(text.casefold())


def _selector(node: ast.expr, texts: list[str]) -> Selector:
    match node:
        case ast.BoolOp(op=operator, values=values):
            parts = [_selector(value, texts) for value in values]
            combine = all if isinstance(operator, ast.And) else any
            return lambda text: combine(part(text) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _selector(operand, texts)
            return lambda text: not inner(text)
        case ast.Name(id=name):
            wanted = texts[int(name[1:])]
            return lambda text: wanted in text
    raise SyntaxError
