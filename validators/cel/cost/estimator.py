"""The walk of the cost estimate, which adds up the costs of nodes.

Source: cel-go ``checker/cost.go``.
"""

from collections.abc import Sequence
from typing import Final

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.cost.estimate_argument import Argument, ElementSize, Estimate, regex_cost
from ovnguard.validators.cel.cost.estimate_kubernetes import BY_FUNCTION
from ovnguard.validators.cel.cost.estimate_sizes import Entries, Local, SizeBook, Sizes
from ovnguard.validators.cel.cost.estimate_standard import BY_OVERLOAD, extension
from ovnguard.validators.cel.cost.ranges import NEVER, ONE, ZERO, Range, fixed
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.types.declaration import Decl

_PRICES_MATCHES_SINCE: Final = 37
_SELECTED: Final = frozenset({"map", "struct", "param"})
# What the estimate leaves out and a run may still cost: a step into a computed value, the dearest of the named formats.
_SLACK: Final = fixed(2)
_DEAREST_FORMAT: Final = fixed(276)


class Estimator:
    """Walks an expression and adds up what its nodes may cost, as cel-go does since 0.23."""

    def __init__(self, checked: CheckedExpression, root: Decl, size: "int | Sizes | None" = None) -> None:
        self.checked = checked
        self.book = SizeBook(checked, root, size)
        self.slack = ZERO if size is None else _SLACK
        self.bounds = size is not None

    def cost(self, node: ast.Expr) -> Range:
        """Return the cost of a node and its parts."""
        match node:
            case ast.Literal():
                return ZERO
            case ast.Ident():
                return self._ident(node)
            case ast.Select():
                return self._select(node)
            case ast.Call():
                return self._call(node)
            case ast.ListLiteral():
                return self._list(node)
            case ast.MapLiteral():
                return self._map(node)
            case ast.Comprehension():
                return self._bound(node) if node.macro == "bind" else self._comprehension(node)
            case ast.Message():
                parts = [self.cost(value) for _, value, _, _ in node.fields]
                return sum(parts, fixed(40))

    def _ident(self, node: ast.Ident) -> Range:
        local = self.book.local(node.name)
        self.book.places[node.id] = (node.name,) if local is None else local.place
        return ONE

    def _select(self, node: ast.Select) -> Range:
        constant = self.checked.constants.get(node.id)
        if constant is not None:
            self.book.places[node.id] = (constant.name,)
            return ONE
        cost = self.cost(node.operand)
        if node.test_only:
            return cost
        if self.checked.type_at(node.operand).kind in _SELECTED:
            cost += ONE
        cost += self.slack
        self.book.places[node.id] = (*self.book.place(node.operand), node.field)
        return cost

    def _call(self, node: ast.Call) -> Range:
        if node.function == "dyn":
            cost = self.cost(node.args[0])
            self.book.copy_sizes(node, node.args[0])
            return ONE + cost
        return self._any_call(node)

    def _any_call(self, node: ast.Call) -> Range:
        costs, arguments = [], []
        for arg in node.args:
            costs.append(self.cost(arg))
            arguments.append(self.book.argument(arg))
        total, target = ZERO, None
        member = node.target is not None and node.id not in self.checked.globals
        if member and node.target is not None:
            total = self.cost(node.target)
            target = self.book.argument(node.target)
        overloads = ["select_optional_field"] if node.function == "_?._" else []
        overloads = overloads or [one.id for one in self.checked.overloads[node.id]]
        name = self.checked.globals.get(node.id, node.function)
        cost, size = NEVER, None
        for overload in overloads:
            one, result = self._overload(node, name, overload, target, arguments, costs)
            cost = cost.union(one)
            if result is not None:
                size = result if size is None else size.union(result)
            if overload in {"index_list", "index_map"}:
                held = self.book.entry_sizes(node.args[0])
                size = None if held is None else held.value
                step = "@items" if overload == "index_list" else "@values"
                self.book.places[node.id] = (*self.book.place(node.args[0]), step)
            if size is None:
                size = self.book.size(node)
        if size is not None:
            self.book.sizes[node.id] = size
        return total + cost

    def _overload(
        self,
        node: ast.Call,
        name: str,
        overload: str,
        target: Argument | None,
        arguments: list[Argument],
        costs: list[Range],
    ) -> tuple[Range, Range | None]:
        """Return cost and result size of one overload, the cost of its arguments included."""
        argument_cost = sum(costs, ZERO)
        if overload in {"logical_and", "logical_or"}:
            return Range(costs[0].min, (costs[0] + costs[1]).max), None
        if overload == "conditional":
            return self._conditional(node, costs)
        if overload in {"add_string", "add_bytes", "add_list"}:
            cost, size = self._sum(node, overload)
            return cost + argument_cost, size
        cost, size_or_none = self._price(name, overload, target, arguments)
        cost += self.slack
        if self.bounds and name == "validate":
            cost += (arguments[0].known + ONE).scaled(0.1) * _DEAREST_FORMAT
        return cost + argument_cost, size_or_none

    def _price(
        self, name: str, overload: str, target: Argument | None, arguments: Sequence[Argument]
    ) -> tuple[Range, Range | None]:
        if overload == "matches" and self.checked.release >= _PRICES_MATCHES_SINCE:
            return regex_cost(arguments[0].known, arguments[1].known), None
        return _call_estimate(name, overload, target, arguments, self.book.element_size)

    def _conditional(self, node: ast.Call, costs: list[Range]) -> tuple[Range, Range | None]:
        yes, no = node.args[1], node.args[2]
        size = self.book.known(yes).union(self.book.known(no))
        held = self.book.entry_sizes(yes)
        joined = None if held is None else held.union(self.book.entry_sizes(no))
        if joined is not None:
            self.book.entries[node.id] = joined
        return costs[0] + costs[1].union(costs[2]), size

    def _sum(self, node: ast.Call, overload: str) -> tuple[Range, Range]:
        one, two = node.args
        size = self.book.known(one) + self.book.known(two)
        held = self.book.entry_sizes(one)
        joined = None if held is None else held.union(self.book.entry_sizes(two))
        if joined is not None:
            self.book.entries[node.id] = joined
        return (ONE if overload == "add_list" else size.scaled(0.1)), size

    def _list(self, node: ast.ListLiteral) -> Range:
        cost = fixed(10)
        size = NEVER if node.elements else ZERO
        for element in node.elements:
            cost += self.cost(element)
            size = size.union(self.book.known(element))
        self.book.entries[node.id] = Entries("list", ONE, size)
        return cost

    def _map(self, node: ast.MapLiteral) -> Range:
        cost = fixed(30)
        key = value = NEVER if node.entries else ZERO
        for entry in node.entries:
            cost += self.cost(entry.key) + self.cost(entry.value)
            key, value = key.union(self.book.known(entry.key)), value.union(self.book.known(entry.value))
        self.book.entries[node.id] = Entries("map", key, value)
        return cost

    def _comprehension(self, node: ast.Comprehension) -> Range:
        cost = self.cost(node.range) + self.cost(node.accu_init)
        init = self.book.start(node.accu_init)
        self.book.push(node.accu_var, init)
        names = [(node.var, self._variable(node.range, key=True if node.var2 else None))]
        if node.var2:
            names.append((node.var2, self._variable(node.range, key=False)))
        for name, local in names:
            self.book.push(name, local)
        loop = self.cost(node.condition)
        loop = self.cost(node.step) + loop
        for name, _ in names:
            self.book.pop(name)
        cost += self.cost(node.result)
        self.book.pop(node.accu_var)
        count = self.book.known(node.range)
        cost += count * loop
        self._comprehension_size(node, count)
        return cost

    def _comprehension_size(self, node: ast.Comprehension, count: Range) -> None:
        if isinstance(node.accu_init, ast.Literal):
            size = self.book.size(node.accu_init)
            if size is not None:
                self.book.sizes[node.id] = size
        elif isinstance(node.accu_init, ast.ListLiteral | ast.MapLiteral):
            self.book.sizes[node.id] = count
            step = self.book.entry_sizes(node.step)
            if step is not None:
                self.book.entries[node.id] = step

    def _variable(self, over: ast.Expr, *, key: bool | None) -> Local:
        """Return an iteration variable: the key (True), the value (False), or the only one of the range."""
        held = self.book.entry_sizes(over)
        kind = held.kind if held is not None else self.checked.type_at(over).kind
        if key is None:
            key = kind != "list"
        step = ("@indices" if kind == "list" else "@keys") if key else ("@items" if kind == "list" else "@values")
        size = None if held is None else (held.key if key else held.value)
        return Local((*self.book.place(over), step), size, None)

    def _bound(self, node: ast.Comprehension) -> Range:
        cost = self.cost(node.range) + self.cost(node.accu_init)
        self.book.push(node.accu_var, self.book.start(node.accu_init))
        cost += self.cost(node.result)
        self.book.pop(node.accu_var)
        self.book.copy_sizes(node, node.result)
        return cost


def _call_estimate(
    function: str, overload: str, target: Argument | None, args: Sequence[Argument], elements: ElementSize
) -> Estimate:
    """Return the cost of a call without that of its arguments, and the size of the result if it is known.

    What the API server specifies for its functions comes first, then what cel-go specifies for its own.
    """
    found = extension(overload, target, args)
    if found is None and function in BY_FUNCTION:
        found = BY_FUNCTION[function](overload, target, args, elements)
    if found is None and overload in BY_OVERLOAD:
        found = BY_OVERLOAD[overload](overload, target, args, elements)
    return (ONE, None) if found is None else found
