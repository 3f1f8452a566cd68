"""The exact evaluator: turns a checked expression into closures with cel-go's results and cel-go's cost.

Errors are `EvalError`; ``&&`` and ``

`` absorb them if the other side decides.

Source: cel-go ``interpreter`` (planner.go, interpretable.go, decorators.go for what is folded into constants before
anything runs).
"""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Final

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.cost.runtime_cost import call_cost
from ovnguard.validators.cel.evaluation.attributes import (
    Attribute,
    Choice,
    HiddenPath,
    OlderPath,
    Path,
    Qualifier,
    Run,
    Step,
    check_key,
    constant,
)
from ovnguard.validators.cel.evaluation.comprehensions import FoldPlan, append_step, insert_step
from ovnguard.validators.cel.evaluation.evaluation_steps import (
    InstantiationError,
    alternative,
    calling,
    equality,
    is_one_of,
    list_of,
    logical,
    map_of,
    not_strictly_false,
    read,
    tested,
    with_pattern,
)
from ovnguard.validators.cel.evaluation.overload_dispatch import guarded
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.types.errors import CostExceeded, EvalError, EvaluationPanic
from ovnguard.validators.cel.types.overload_declaration import Overload
from ovnguard.validators.cel.values.cel_values import TypeValue, Value
from ovnguard.validators.cel.values.operations import no_fault
from ovnguard.validators.cel.values.protobuf_messages import create, message

CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)
_PRIMITIVES: Final = frozenset({"bool", "int", "UInt", "float", "str"})
PATTERNS: Final = frozenset({"matches", "find", "findAll"})
_FREE_FAULTS_SINCE: Final = 31
_LAZY_ACCUMULATORS_SINCE: Final = 32
_COMPARED: Final = frozenset({"_==_", "_!=_"})
_OPTIONALS_KEEP_VALUES_SINCE: Final = 37
_ONLY_OPTIONALS_SINCE: Final = 37


class Program:
    """A planned expression. ``slots`` maps its variables to slots."""

    def __init__(self, step: Step, slots: dict[str, int], size: int, *, converts: bool) -> None:
        self._converts = converts
        self._step = step
        self._slots = slots
        self._size = size

    def run(self, variables: dict[str, Value], limit: int) -> tuple[Value, int, EvalError | None]:
        """Return value, cost and error.

        With an error, the value has no meaning. Raises `CostExceeded` above ``limit``.
        """
        values: list[Value] = [None] * self._size
        for name, value in variables.items():
            if name in self._slots:
                values[self._slots[name]] = value
        state = Run(values, limit, converts=self._converts)
        try:
            return no_fault(self._step(state)), state.cost, None
        except EvalError as fault:
            return None, state.cost, fault
        except EvaluationPanic as fault:
            return None, state.cost, EvalError(f"internal error: {fault}")
        except RecursionError:
            raise CostExceeded from None


def plan(checked: CheckedExpression, functions: dict[str, tuple[Overload, ...]], type_names: Container[str]) -> Program:
    """Plan an expression with the functions and types of an environment. Raises `InstantiationError`."""
    planner = _Planner(checked, functions, type_names)
    step = planner.node(checked.root).step
    return Program(step, planner.globals, planner.size, converts=checked.release < _OPTIONALS_KEEP_VALUES_SINCE)


class _Part:
    """A planned node: how to run it, and whether it is an attribute or a constant."""

    __slots__ = ("attribute", "constant", "is_constant", "step")

    def __init__(self, step: Step, attribute: Attribute | None = None) -> None:
        self.step = step
        self.attribute = attribute
        self.is_constant = False
        self.constant: Value = None

    @classmethod
    def of(cls, value: Value) -> "_Part":
        part = cls(constant(value))
        part.is_constant = True
        part.constant = value
        return part

    def as_attribute(self) -> Attribute:
        return self.attribute or Path(self.step)


def _attribute(attribute: Attribute) -> _Part:
    return _Part(attribute.read, attribute)


class _Planner:
    def __init__(
        self, checked: CheckedExpression, functions: dict[str, tuple[Overload, ...]], type_names: Container[str]
    ) -> None:
        self.checked = checked
        self.type_names = type_names
        self.functions = functions
        self.globals: dict[str, int] = {}
        self.locals: list[dict[str, int]] = []
        self.accumulators: set[int] = set()
        self.size = 0

    def node(self, node: ast.Expr) -> _Part:
        """Plan one node."""
        found = self.checked.constants.get(node.id)
        if found is not None:
            return _Part.of(found)
        variable = self.checked.variables.get(node.id)
        if variable is not None:
            if self.checked.type_at(node).kind == "type":
                return self._type_name(variable)
            kind = Path if self.checked.release >= _FREE_FAULTS_SINCE else OlderPath
            kind = HiddenPath if variable.startswith(".") else kind
            return _attribute(kind(self._variable(variable)))
        match node:
            case ast.Literal():
                return _Part.of(node.value)
            case ast.Select():
                step = Qualifier(constant(node.field), test=node.test_only)
                selected = self.node(node.operand).as_attribute().with_step(step)
                return _Part(tested(selected)) if node.test_only else _attribute(selected)
            case ast.Call():
                return self._call(node)
            case ast.ListLiteral():
                return self._list(node)
            case ast.MapLiteral():
                return self._map(node)
            case ast.Comprehension():
                return self._fold(node)
            case ast.Message():
                return self._message(node)
            case ast.Ident():
                raise InstantiationError("unsupported expression")

    def _type_name(self, name: str) -> _Part:
        """cel-go takes a variable with a type as its value for the name of a type."""
        if name not in self.type_names:
            raise InstantiationError(f"reference to undefined type: {name}")
        return _Part.of(TypeValue(name))

    def _slot(self) -> int:
        self.size += 1
        return self.size - 1

    def _variable(self, name: str) -> Step:
        for names in reversed(self.locals):
            if name in names:
                return read(names[name])
        name = name.removeprefix(".")
        if name not in self.globals:
            self.globals[name] = self._slot()
        return read(self.globals[name])

    def _call(self, node: ast.Call) -> _Part:
        match node.function:
            case "_&&_":
                return _Part(logical(self._steps(node.args), decisive=False))
            case "_||_":
                return _Part(logical(self._steps(node.args), decisive=True))
            case "_?_:_":
                condition, yes, no = map(self.node, node.args)
                return _attribute(Choice(condition.step, yes.as_attribute(), no.as_attribute()))
            case "_[_]" | "_[?_]" | "_?._":
                return self._index(node)
            case "@not_strictly_false":
                return _Part(not_strictly_false(self.node(node.args[0]).step))
            case _:
                return self._function(node)

    def _steps(self, nodes: Sequence[ast.Expr]) -> list[Step]:
        return [self.node(one).step for one in nodes]

    def _index(self, node: ast.Call) -> _Part:
        operand, index = (self.node(arg) for arg in node.args)
        if index.is_constant:
            try:
                check_key(index.constant)
            except EvalError as fault:
                raise InstantiationError(str(fault)) from None
        key = index.step if index.attribute is None else index.attribute.resolve
        step = Qualifier(key, optional=node.function != "_[_]")
        return _attribute(operand.as_attribute().with_step(step))

    def _function(self, node: ast.Call) -> _Part:
        overloads = self.checked.overloads[node.id]
        name = self.checked.globals.get(node.id) or node.function.removeprefix(".")
        receiver = () if node.target is None or node.id in self.checked.globals else (node.target,)
        arguments = (*receiver, *node.args)
        if name == "_+_" and self._grows(node.args[0]) and isinstance(node.args[1], ast.ListLiteral):
            return _Part(append_step(self.node(node.args[0]).step, self.node(node.args[1]).step))
        parts = [self.node(argument) for argument in arguments]
        steps = [part.step for part in parts]
        if name == "cel.@mapInsert":
            return _Part(insert_step(steps))
        if name in {"or", "orValue"} and len(steps) == 2:
            strict = self.checked.release >= _ONLY_OPTIONALS_SINCE
            return _Part(alternative(steps[0], steps[1], unwrapped=name == "orValue", strict=strict))
        only = overloads[0].id if len(overloads) == 1 else ""
        if name == "@in" and only == "in_list" and parts[1].is_constant:
            member = _membership(steps[0], parts[1].constant)
            if member is not None:
                return member
        call = equality(name) if name in _COMPARED else self._implementation(name, overloads, arguments)
        patterned = name in PATTERNS and len(parts) > 1 and parts[1].is_constant
        if patterned:
            call = with_pattern(call, parts[1].constant)
        if name in CONVERSIONS and len(parts) == 1 and parts[0].is_constant:
            try:
                return _Part.of(call(parts[0].constant))
            except EvalError as fault:
                raise InstantiationError(str(fault)) from None
        cost = call_cost(name, "equals" if name in _COMPARED else only, self.checked.release)
        stops_early = len(steps) > 2 or patterned
        return _Part(calling(steps, call, cost, stops_early=stops_early))

    def _grows(self, node: ast.Expr) -> bool:
        """Return whether the node is the list that a comprehension builds, which nothing else can see."""
        return node.id in self.accumulators

    def _implementation(
        self, name: str, overloads: tuple[Overload, ...], arguments: Sequence[ast.Expr]
    ) -> Callable[..., Value]:
        choices = overloads if len(overloads) == 1 else self.functions[name]
        return guarded(name, choices, len(arguments), self.checked.release)

    def _list(self, node: ast.ListLiteral) -> _Part:
        parts = [self.node(element) for element in node.elements]
        steps = [part.step for part in parts]
        optional = node.optional

        def build(run: Run) -> Value:
            run.add(10)
            return list_of(run, steps, optional)

        if all(part.is_constant for part in parts):
            return _folded(lambda: list_of(Run([], 0), steps, optional))
        return _Part(build)

    def _map(self, node: ast.MapLiteral) -> _Part:
        pairs = [(self.node(entry.key), self.node(entry.value), entry.optional) for entry in node.entries]
        steps = [(key.step, value.step, optional) for key, value, optional in pairs]

        def build(run: Run) -> Value:
            run.add(30)
            return map_of(run, steps)

        if all(key.is_constant and value.is_constant for key, value, _ in pairs):
            return _folded(lambda: map_of(Run([], 0), steps))
        return _Part(build)

    def _message(self, node: ast.Message) -> _Part:
        found = message(node.type_name)
        if found is None and node.type_name != "list":
            raise InstantiationError("unsupported expression")
        name = "" if found is None else found[0]
        fields = [(constant(field), self.node(value).step, optional) for field, value, _, optional in node.fields]

        def build(run: Run) -> Value:
            run.add(40)
            fields_set = dict(map_of(run, fields).entries.values())
            if not name:
                # The type checker takes it for a message, but no message has that name.
                raise EvalError(f"unknown type '{node.type_name}'")
            return create(name, fields_set)

        return _Part(build)

    def _fold(self, node: ast.Comprehension) -> _Part:
        init = self.node(node.accu_init).step
        over = self.node(node.range).step
        accu, first = self._slot(), self._slot()
        second = self._slot() if node.var2 else -1
        self.locals.append({node.accu_var: accu})
        self.locals.append({node.var: first, **({node.var2: second} if node.var2 else {})})
        if node.accu_var != node.var:
            self.accumulators.update(_grown(node.step))
        condition, step = self.node(node.condition), self.node(node.step).step
        self.locals.pop()
        result = self.node(node.result).step
        self.locals.pop()
        always = condition.is_constant and condition.constant is True
        starts_late = self.checked.release >= _LAZY_ACCUMULATORS_SINCE
        slots = accu, first, second
        plan_ = FoldPlan(over, init, None if always else condition.step, step, result, slots, starts_late)
        return _Part(plan_.run)


def _grown(step: ast.Expr) -> Iterator[int]:
    """Yield the id of the accumulator to which the step of a comprehension adds, if it does."""
    if isinstance(step, ast.Call) and step.function == "_?_:_":
        step = step.args[1]
    if isinstance(step, ast.Call) and step.function == "_+_" and isinstance(step.args[0], ast.Ident):
        yield step.args[0].id


def _folded(make: Callable[[], Value]) -> _Part:
    try:
        return _Part.of(make())
    except EvalError as fault:
        message = str(fault)

        def fail(_run: Run) -> Value:
            raise EvalError(message)

        return _Part(fail)


def _membership(step: Step, values: Value) -> _Part | None:
    """Return ``x in [constants]``: it costs nothing if the constants are scalars, and is false if there are none."""
    if type(values) is not list or any(type(one).__name__ not in _PRIMITIVES for one in values):
        return None
    if not values:
        return _Part.of(False)
    return _Part(lambda run: is_one_of(step(run), values))
