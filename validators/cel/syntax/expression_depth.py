"""How deep an expression is nested, and room on the interpreter's stack for those that are deep.

The API server reads expressions up to 250 levels deep. Walking such a tree takes a few Python frames a level, more than
the interpreter allows by default; since Python 3.11 they take no room on the machine's stack.
"""

import sys
from typing import Final

from validators.cel.syntax import ast

MAX_DEPTH: Final = 250
MAX_NODES: Final = 60_000
_ORDINARY: Final = 50
_FRAMES: Final = 5_000


def measure(root: ast.Expr) -> tuple[int, int]:
    """Depth and number of nodes; counting stops where either is beyond what is read."""
    level = [root]
    depth = nodes = 0
    while level and depth <= MAX_DEPTH and nodes <= MAX_NODES:
        depth += 1
        nodes += len(level)
        level = [child for node in level for child in ast.children(node)]
    return depth, nodes


def make_room(root: ast.Expr) -> None:
    """Let the interpreter recurse deeply enough for the expression. Once raised, the limit stays."""
    if measure(root)[0] > _ORDINARY and sys.getrecursionlimit() < _FRAMES:
        sys.setrecursionlimit(_FRAMES)
