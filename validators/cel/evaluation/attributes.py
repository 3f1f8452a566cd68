"""Names, fields and indexes at run time: how an expression reads a value, and what each step costs.

A name with its selections and indexes is one attribute: reading it costs one unit, and each step one more. The branches
of a conditional are attributes too, and reading those costs nothing.

Source: cel-go ``interpreter`` (attributes.go).
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from ovnguard.validators.cel.evaluation.native_conversion import DATA, native
from ovnguard.validators.cel.types.errors import CostExceeded, EvalError
from ovnguard.validators.cel.values.cel_values import NONE, Fault, Optional, UInt, Value
from ovnguard.validators.cel.values.json_values import SchemaList
from ovnguard.validators.cel.values.operations import LISTS, MAPS, go_name, no_overload, type_name


class Run:
    """One evaluation: values by slot, its cost so far, and its cost limit."""

    __slots__ = ("converts", "cost", "limit", "natives", "slots")

    def __init__(self, slots: list[Value], limit: int, *, converts: bool = True) -> None:
        """Start at no cost. ``converts``: a value inside an optional is converted again when it is read."""
        self.slots = slots
        self.converts = converts
        self.cost = 0
        self.limit = limit
        self.natives: dict[int, tuple[Value, Value]] = {}

    def add(self, amount: int) -> None:
        """Add to the cost. Raises `CostExceeded` above the limit."""
        self.cost += amount
        if self.cost > self.limit:
            raise CostExceeded(self.cost)

    def native(self, value: Value) -> Value:
        """Return what an expression reads inside an optional: `native` of it, made once for each piece of data."""
        if not self.converts:
            return value
        if type(value) not in DATA:
            return native(value)
        known = self.natives.get(id(value.raw))
        if known is None:
            # The data is kept as well, so that its id is not reused for another object.
            known = self.natives[id(value.raw)] = (value.raw, native(value))
        return known[1]


_KEYS: Final = frozenset({str, int, UInt, float, bool})

Step: TypeAlias = Callable[[Run], Value]


class Lazy:
    """A variable that is computed when it is first read."""

    __slots__ = ("step",)

    def __init__(self, step: Step) -> None:
        self.step = step


class Qualifier:
    """One selection or index. ``key`` computes the field or index, at its own cost."""

    __slots__ = ("key", "optional", "test")

    def __init__(self, key: Step, *, optional: bool = False, test: bool = False) -> None:
        self.key = key
        self.optional = optional
        self.test = test


def constant(value: Value) -> Step:
    """Return a step that always returns the same value."""
    return lambda _run: value


class Attribute:
    """An expression that has selections: a name, the result of an expression, a conditional."""

    def resolve(self, run: Run) -> Value:
        """Return the value, without the unit for reading the attribute as a whole."""
        raise no_overload()

    def with_step(self, step: Qualifier) -> "Attribute":
        """Return the same attribute with one more selection."""
        raise no_overload()

    def read(self, run: Run) -> Value:
        """Return the value, at its full cost."""
        run.cost += 1
        if run.cost > run.limit:
            raise CostExceeded(run.cost)
        return self.resolve(run)


class Path(Attribute):
    """A start and the selections from there."""

    __slots__ = ("start", "steps")

    def __init__(self, start: Step, steps: tuple[Qualifier, ...] = ()) -> None:
        self.start = start
        self.steps = steps

    def with_step(self, step: Qualifier) -> "Path":
        """Return the same path with one more selection."""
        return Path(self.start, (*self.steps, step))

    def resolve(self, run: Run) -> Value:
        """Follow the selections.

        An optional start or step makes the result optional, and a missing part makes it none.
        """
        value = self.start(run)
        optional = type(value) is Optional
        if optional:
            if not value.present:
                return value
            value = run.native(value.value)
        elif type(value) is Fault:
            raise EvalError(value.text)
        for step in self.steps:
            optional = optional or step.optional
            if step.test:
                # Inside an optional, only what exists costs something.
                run.add(0 if optional else 1)
                found = look_up(value, step.key(run))[0]
                run.add(1 if optional and found else 0)
                return found
            if optional:
                found, value = look_up(value, step.key(run))
                if not found:
                    return NONE
                run.add(1)
            else:
                run.cost += 1
                if run.cost > run.limit:
                    raise CostExceeded(run.cost)
                value = fetch(value, step.key(run))
        if optional:
            return Optional(present=True, value=value)
        if type(value) is Fault:
            raise EvalError(value.text)
        return value


class OlderPath(Path):
    """The path of a release before 1.31: its first selection costs something even if the variable is an error."""

    __slots__ = ()

    def with_step(self, step: Qualifier) -> "OlderPath":
        """See `Path`."""
        return OlderPath(self.start, (*self.steps, step))

    def resolve(self, run: Run) -> Value:
        """See `Path`."""
        try:
            self.start(run)
        except EvalError:
            run.add(int(bool(self.steps) and not self.steps[0].optional))
            raise
        return super().resolve(run)


class HiddenPath(Path):
    """The path of a variable that a local one hides (from 1.37 on, ``.self``): its selections are not counted."""

    __slots__ = ()

    def with_step(self, step: Qualifier) -> "HiddenPath":
        """See `Path`."""
        return HiddenPath(self.start, (*self.steps, step))

    def resolve(self, run: Run) -> Value:
        """See `Path`."""
        cost = run.cost
        try:
            return super().resolve(run)
        finally:
            run.cost = cost


class Choice(Attribute):
    """A conditional: only the branch taken is read, and reading it as an attribute costs nothing."""

    __slots__ = ("condition", "no", "yes")

    def __init__(self, condition: Step, yes: Attribute, no: Attribute) -> None:
        self.condition = condition
        self.yes = yes
        self.no = no

    def with_step(self, step: Qualifier) -> "Choice":
        """Return the conditional with the selection applied to both branches."""
        return Choice(self.condition, self.yes.with_step(step), self.no.with_step(step))

    def resolve(self, run: Run) -> Value:
        """Return the value of the branch taken."""
        chosen = self.condition(run)
        if chosen is True:
            return self.yes.resolve(run)
        if chosen is False:
            return self.no.resolve(run)
        raise no_overload()

    def read(self, run: Run) -> Value:
        """As `resolve`."""
        return self.resolve(run)


def check_key(key: Value) -> None:
    """Raise `EvalError` for a value that can be no key and no index of anything."""
    if type(key) not in _KEYS:
        raise EvalError(f"invalid qualifier type: {go_name(key)}")


def look_up(value: Value, key: Value) -> tuple[bool, Value]:
    """Return whether the container has the key or index, and the value there. Raises `EvalError`."""
    kind = type(value)
    check_key(key)
    if kind in MAPS:
        found: tuple[bool, Value] = value.find(key)
        return found
    if kind in LISTS:
        at = _index(key)
        if 0 <= at < len(value):
            return True, _element(value, at, key)
        return False, None
    if kind is Fault:
        raise EvalError(value.text)
    return False, None


def fetch(value: Value, key: Value) -> Value:
    """Return the value at the key or index. Raises `EvalError` if there is none, and for a `Fault` in a map.

    That of a list is returned: cel-go only finds it when the expression reads from it, at the cost of that step.
    """
    kind = type(value)
    check_key(key)
    if kind in MAPS:
        found, inner = value.find(key)
        if found:
            return inner
        raise EvalError(f"no such key: {shown(key)}")
    if kind in LISTS:
        at = _index(key)
        if 0 <= at < len(value):
            return _element(value, at, key)
        raise EvalError(f"index out of bounds: {at}")
    if kind is Fault:
        raise EvalError(value.text)
    raise EvalError(f"no such key: {shown(key)}")


def _element(value: Value, at: int, key: Value) -> Value:
    if type(value) is SchemaList and type(key) is not int:
        raise EvalError(f"unsupported index: {shown(key)}")
    return value[at]


def _index(key: Value) -> int:
    kind = type(key)
    if kind is int or kind is UInt:
        return int(key)
    if kind is float and key == key // 1 and abs(key) < 2**63:
        return int(key)
    if kind is float:
        raise EvalError(f"unsupported index value {shown(key)} in list")
    raise EvalError(f"unsupported index type '{type_name(key)}' in list")


def shown(key: Value) -> str:
    """Return a key as errors print it."""
    if type(key) is bool:
        return "true" if key else "false"
    if type(key) is float:
        return str(int(key)) if key.is_integer() else repr(key)
    if type(key) is Fault:
        return str(key.text)
    return str(int(key)) if isinstance(key, int) else str(key)
