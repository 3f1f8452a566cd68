"""The estimated cost limit of an expression, by which the API server refuses rules before they run.

Source: cel-go ``checker/cost.go``; sizes of data come from the schema (apiserver ``pkg/cel``: bounds, or what fits into
a request).
"""

from collections.abc import Iterator
from typing import Final

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.cost.estimate_older_releases import OlderEstimator
from ovnguard.validators.cel.cost.estimate_sizes import Sizes
from ovnguard.validators.cel.cost.estimator import Estimator
from ovnguard.validators.cel.cost.ranges import MAX, Range
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.static_types import SCALARS

PER_EXPRESSION_LIMIT: Final = 10_000_000
PER_SCHEMA_LIMIT: Final = 100_000_000
_FOLLOWS_VALUES_SINCE: Final = 33


def estimate(checked: CheckedExpression, root: Decl) -> Range:
    """Return the least and the most cost of one evaluation. ``root`` declares ``self`` (and ``oldSelf``)."""
    kind = Estimator if checked.release >= _FOLLOWS_VALUES_SINCE else OlderEstimator
    return kind(checked, root).cost(checked.root)


def bound(checked: CheckedExpression, root: Decl, size: "int | Sizes") -> int:
    """Return a cost that no evaluation exceeds on data in which no text, list or map is longer than ``size``.

    ``size`` may be a function of the declaration of a text, list or map and of the number of lists and maps around it
    below ``root``. As a number it replaces the schema's bounds, since data that was stored before those were added may
    exceed them. Returns MAX if there is no bound: for functions that visit nested values, and for results of unlimited
    size.
    """
    if any(_visits_nested(checked, node) for node in _nodes(checked.root)):
        return MAX
    return Estimator(checked, root, size).cost(checked.root).max


def _nodes(node: ast.Expr) -> Iterator[ast.Expr]:
    yield node
    for child in ast.children(node):
        yield from _nodes(child)


def _visits_nested(checked: CheckedExpression, node: ast.Expr) -> bool:
    if not isinstance(node, ast.Call) or node.target is None or node.id in checked.globals:
        return False
    held = checked.type_at(node.target)
    if node.function == "includes":
        return True
    visits = node.function in {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"}
    return visits and held.kind == "list" and held.params[0].kind not in {*SCALARS, "string"}
