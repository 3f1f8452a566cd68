"""The nesting depth of an expression, and the recursion limit that deep ones need.

The API server reads expressions up to 250 levels deep. Walking such a tree takes a few Python frames per level, more
than the interpreter allows by default. Since Python 3.11 these frames use no machine stack.
"""

import sys
from typing import Final

from validators.cel.syntax import ast

MAX_DEPTH: Final = 250
MAX_NODES: Final = 60_000
_ORDINARY: Final = 50
_FRAMES: Final = 5_000


def measure(root: ast.Expr) -> tuple[int, int]:
    """Return depth and number of nodes. Counting stops where either exceeds the limit."""
    level = [root]
    depth = nodes = 0
    while level and depth <= MAX_DEPTH and nodes <= MAX_NODES:
        depth += 1
        nodes += len(level)
        level = [child for node in level for child in ast.children(node)]
    return depth, nodes


def make_room(root: ast.Expr) -> None:
    """Raise the recursion limit if the expression needs it. A raised limit is kept."""
    if measure(root)[0] > _ORDINARY and sys.getrecursionlimit() < _FRAMES:
        sys.setrecursionlimit(_FRAMES)
