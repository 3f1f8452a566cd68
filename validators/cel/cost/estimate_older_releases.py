"""The cost estimate of releases before 1.33, which does not track sizes through values that an expression builds.

Source: cel-go 0.22 ``checker/cost.go``; apiserver 0.31 ``pkg/cel/library/cost.go``.
"""

from collections.abc import Sequence
from typing import Final

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.cost.estimate_argument import Argument, smaller
from ovnguard.validators.cel.cost.estimate_sizes import Entries, Local, SizeBook, Sizes, literal_size
from ovnguard.validators.cel.cost.estimator import Estimator
from ovnguard.validators.cel.cost.ranges import ONE, Range
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.syntax.dialect import LEGACY_ACCUMULATOR
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.static_types import SCALARS

_STEPS: Final = {"list": "@items", "map": "@keys"}
_LAST_WITHOUT_RESULTS: Final = 29  # the size of a comprehension's result is unknown
_LAST_WITH_FREE_QUANTITIES: Final = 29
_LAST_WITH_PLAIN_EQUALITY: Final = 31
_LAST_WITH_EMPTY_MESSAGES: Final = 30


class OlderSizeBook(SizeBook):
    """The sizes of data and of the results of calls only."""

    def entry_sizes(self, node: ast.Expr) -> Entries | None:
        """Return None: the contents of a container that the expression builds are unknown."""
        return None

    def size(self, node: ast.Expr) -> Range | None:
        """Return how large a value of the node may be, None if unknown."""
        if isinstance(node, ast.Message) and self.checked.release <= _LAST_WITH_EMPTY_MESSAGES:
            return Range(0, 0)
        found = self.sizes.get(node.id) or literal_size(node)
        if found is None and self.place(node)[:1] != (LEGACY_ACCUMULATOR,):
            found = self.schema_size(self.place(node))
        if found is None and self.checked.type_at(node).kind in SCALARS:
            return ONE
        return found


class OlderEstimator(Estimator):
    """The walk that estimates each call by the schema of its arguments.

    A variable only counts in ranges of the data.
    """

    def __init__(self, checked: CheckedExpression, root: Decl, size: "int | Sizes | None" = None) -> None:
        super().__init__(checked, root, size)
        self.book = OlderSizeBook(checked, root, size)

    def _call(self, node: ast.Call) -> Range:
        return self._any_call(node)

    def _price(
        self, name: str, overload: str, target: Argument | None, arguments: Sequence[Argument]
    ) -> tuple[Range, Range | None]:
        if self.checked.release <= _LAST_WITH_PLAIN_EQUALITY:
            if name == "_==_":
                return smaller(overload, target, arguments, self.book.element_size)
            if name in {"quantity", "isQuantity"} and self.checked.release <= _LAST_WITH_FREE_QUANTITIES:
                return ONE, None
            if name == "url":
                return super()._price(name, overload, target, arguments)[0], None
        return super()._price(name, overload, target, arguments)

    def _comprehension(self, node: ast.Comprehension) -> Range:
        cost = self.cost(node.range) + self.cost(node.accu_init)
        step = _STEPS.get(self.checked.type_at(node.range).kind)
        self.book.push(node.var, Local((*self.book.place(node.range), step) if step else (), None, None))
        loop = self.cost(node.condition)
        loop = self.cost(node.step) + loop
        self.book.pop(node.var)
        cost += self.cost(node.result)
        count = self.book.known(node.range)
        if self.checked.release > _LAST_WITHOUT_RESULTS:
            self.book.sizes[node.id] = count
        return cost + count * loop

    def _bound(self, node: ast.Comprehension) -> Range:
        return self._comprehension(node)
