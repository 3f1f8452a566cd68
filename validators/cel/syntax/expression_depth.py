"""The sizes of an expression, and the recursion limit that deep ones need.

The API server's parser nests up to 250 levels deep, and macros add a few nodes to each. Walking such a tree takes a few
Python frames per node, more than the interpreter allows by default. Since Python 3.11 these frames use no machine
stack.
"""

import sys
from collections.abc import Iterator
from typing import Final

from ovnguard.validators.cel.syntax import ast

MAX_DEPTH: Final = 250
MAX_NODES: Final = 60_000
_ORDINARY: Final = 50
_FRAMES: Final = 20_000


def _levels(root: ast.Expr) -> Iterator[int]:
    """Yield the number of nodes of each level."""
    level = [root]
    while level:
        yield len(level)
        level = [child for node in level for child in ast.children(node)]


def count(root: ast.Expr) -> int:
    """Return the number of nodes. Counting stops above the limit."""
    nodes = 0
    for level in _levels(root):
        nodes += level
        if nodes > MAX_NODES:
            break
    return nodes


def depth(root: ast.Expr) -> int:
    """Return the number of levels of a tree."""
    return sum(1 for _ in _levels(root))


def make_room(root: ast.Expr) -> None:
    """Raise the recursion limit if the expression needs it. A raised limit is kept."""
    if depth(root) > _ORDINARY and sys.getrecursionlimit() < _FRAMES:
        sys.setrecursionlimit(_FRAMES)
