"""Expressions that nest or chain one form of the grammar, and how often the API server's parser reads it.

Two limits of 250 apply: to rules of the grammar inside each other, and to what the parser visits of the tree. The
numbers are the server's own: `tests/conformance/test_cel_depth.py` asks it again.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

RULES: Final = "expression recursion limit exceeded: 250"
VISITS: Final = "max recursion depth exceeded"


class Form(NamedTuple):
    """``text`` repeats a form; ``most`` is the largest accepted count, and ``refusal`` the error of the next one."""

    text: Callable[[int], str]
    most: int
    refusal: str


FORMS: Final = {
    "parentheses": Form(lambda n: "(" * n + "true" + ")" * n, 249, RULES),
    "lists": Form(lambda n: "[" * n + "1" + "]" * n + ".size() > 0", 249, RULES),
    "maps": Form(lambda n: "{1: " * n + "1" + "}" * n + ".size() > 0", 249, RULES),
    "calls": Form(lambda n: "dyn(" * n + "true" + ")" * n + " == true", 249, RULES),
    "indexes inside": Form(lambda n: "dyn(self)[" * n + "0" + "]" * n + " == 1", 249, RULES),
    "macros inside": Form(lambda n: "[1].all(x, " * n + "true" + ")" * n, 249, RULES),
    "negations": Form(lambda n: "!(" * n + "true" + ")" * n, 249, RULES),
    "conditionals to the right": Form(lambda n: "true ? true : " * n + "true", 249, RULES),
    "conditionals in parentheses": Form(lambda n: "(true ? true : " * n + "true" + ")" * n, 124, RULES),
    "comparisons in parentheses": Form(lambda n: "true == (" * n + "true" + ")" * n, 124, RULES),
    "sums in parentheses": Form(lambda n: "(1 + " * n + "1" + ")" * n + " > 0", 124, RULES),
    "products of sums": Form(lambda n: "(1 + 1 * " * n + "1" + ")" * n + " > 0", 83, RULES),
    "comparisons": Form(lambda n: "true" + " == true" * n, 250, VISITS),
    "sums": Form(lambda n: "1" + " + 1" * n + " > 0", 249, VISITS),
    "products": Form(lambda n: "1" + " * 1" * n + " > 0", 249, VISITS),
    "selections": Form(lambda n: "dyn(self)" + ".a" * n + " == 1", 249, VISITS),
    "optional selections": Form(lambda n: "dyn(self)" + ".?a" * n + ".hasValue()", 249, VISITS),
    "indexes": Form(lambda n: "dyn(self)" + "[0]" * n + " == 1", 249, VISITS),
    "methods": Form(lambda n: "'a'" + ".lowerAscii()" * n + " == 'a'", 249, VISITS),
}
ENDLESS: Final[dict[str, Callable[[int], str]]] = {
    "conjunctions": lambda n: "true" + " && true" * n,
    "disjunctions": lambda n: "false" + " || true" * n,
    "exclamation marks": lambda n: "!" * n + "true",
    "elements": lambda n: "[" + ", ".join(["1"] * n) + "].size() > 0",
}
"""Forms without a limit."""
