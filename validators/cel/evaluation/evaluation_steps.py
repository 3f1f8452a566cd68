"""The steps of planned expressions: closures that compute a value and count its cost.

Source: cel-go ``interpreter`` (interpretable.go).
"""

from collections.abc import Callable
from typing import Any

from ovnguard.validators.cel.evaluation.attributes import Attribute, Lazy, Run, Step
from ovnguard.validators.cel.library.regex import compiled as compiled_pattern
from ovnguard.validators.cel.types.errors import CostExceeded, EvalError
from ovnguard.validators.cel.values.cel_values import CelMap, Fault, Optional, Value
from ovnguard.validators.cel.values.operations import equal, no_fault, no_overload


class InstantiationError(Exception):
    """The program cannot be made because a constant part of it fails. The text is cel-go's."""


def tested(attribute: Attribute) -> Step:
    """Return a presence test. An optional without a value on the way there means absent."""
    return lambda run: attribute.resolve(run) is True


def read(slot: int) -> Step:
    """Return a step that reads a variable: it computes a lazy one, and raises the error of a failed one."""

    def read(run: Run) -> Value:
        value = run.slots[slot]
        kind = type(value)
        if kind is EvalError:
            raise EvalError(str(value))
        if kind is Lazy:
            try:
                value = run.slots[slot] = value.step(run)
            except EvalError as fault:
                run.slots[slot] = fault
                raise
            kind = type(value)
        if kind is Fault:
            raise EvalError(value.text)
        return value

    return read


def logical(steps: list[Step], *, decisive: bool) -> Step:
    """Return ``&&`` (decisive: False) or ``

    `` (True): an error only counts if the other side does not decide.
    """
    left, right = steps

    def run_logical(run: Run) -> Value:
        problem: EvalError | None = None
        for step in (left, right):
            try:
                value = step(run)
            except EvalError as fault:
                problem = problem or fault
                continue
            if value is decisive:
                return decisive
            if value is not (not decisive):
                problem = problem or no_overload()
        if problem is not None:
            raise problem
        return not decisive

    return run_logical


def not_strictly_false(step: Step) -> Step:
    """Return the condition of loops that stop early. Errors do not stop them."""

    def run_loop_condition(run: Run) -> Value:
        run.add(1)
        try:
            return step(run) is not False
        except EvalError:
            return True

    return run_loop_condition


def equality(name: str) -> Callable[..., Value]:
    """Return ``==`` or ``!=``."""
    if name == "_==_":
        return equal
    return _unequal


def _unequal(one: Value, two: Value) -> bool:
    try:
        return not equal(one, two)
    except EvalError:
        return True


def calling(
    steps: list[Step], call: Callable[..., Value], cost: Callable[[Any, Any], int], *, stops_early: bool
) -> Step:
    """Return a step that evaluates the arguments, calls the function, and counts the cost.

    With ``stops_early`` the first argument that fails ends it; without, all are evaluated. In both cases the call only
    counts if every argument was evaluated.
    """
    last = len(steps) - 1
    if last == 1:
        return _calling_with_two(steps[0], steps[1], call, cost, stops_early=stops_early)

    def run_call(run: Run) -> Value:
        arguments: list[Value] = []
        problem: EvalError | None = None
        for at, step in enumerate(steps):
            try:
                value = step(run)
                if type(value) is Fault:
                    value = no_fault(value)
                arguments.append(value)
            except EvalError as fault:
                if stops_early and at < last:
                    raise
                problem = problem or fault
                arguments.append(fault)
        result: Value = problem
        if problem is None:
            try:
                result = call(*arguments)
            except EvalError as fault:
                problem = result = fault
        run.cost += cost(arguments, result)
        if run.cost > run.limit:
            raise CostExceeded(run.cost)
        if problem is not None:
            raise problem
        return result

    return run_call


def _calling_with_two(
    first: Step, second: Step, call: Callable[..., Value], cost: Callable[[Any, Any], int], *, stops_early: bool
) -> Step:
    """`calling` for two arguments, which most calls have."""

    def run_call(run: Run) -> Value:
        problem: EvalError | None = None
        try:
            one = first(run)
            if type(one) is Fault:
                one = no_fault(one)
        except EvalError as fault:
            if stops_early:
                raise
            one = problem = fault
        try:
            two = second(run)
            if type(two) is Fault:
                two = no_fault(two)
        except EvalError as fault:
            two = fault
            problem = problem or fault
        result: Value = problem
        if problem is None:
            try:
                result = call(one, two)
            except EvalError as fault:
                problem = result = fault
        run.cost += cost((one, two), result)
        if run.cost > run.limit:
            raise CostExceeded(run.cost)
        if problem is not None:
            raise problem
        return result

    return run_call


def alternative(first: Step, second: Step, *, unwrapped: bool, strict: bool) -> Step:
    """Return ``optional.or`` or ``orValue``: the second side is only evaluated if it is needed. Neither has a cost.

    ``strict``: a first side that is not an optional is an error; else it is the result.
    """

    def run_alternative(run: Run) -> Value:
        held = first(run)
        if type(held) is not Optional:
            if strict:
                raise no_overload()
            return held
        if held.present:
            return no_fault(held.value) if unwrapped else held
        return second(run)

    return run_alternative


def with_pattern(call: Callable[..., Value], pattern: Value) -> Callable[..., Value]:
    """Return a call whose constant pattern is compiled while planning. Then it only accepts strings."""
    if type(pattern) is not str:
        return call
    fault = compiled_pattern(pattern)
    if isinstance(fault, str):
        raise InstantiationError(fault)

    def run_pattern(text: Value, *rest: Value) -> Value:
        if type(text) is not str:
            raise no_overload()
        return call(text, *rest)

    return run_pattern


def is_one_of(value: Value, values: list[Value]) -> bool:
    """Return whether a constant equals the value."""
    return any(equal(one, value) for one in values)


def list_of(run: Run, steps: list[Step], optional: frozenset[int]) -> list[Value]:
    """Return the elements of a list literal. Optional elements without a value are left out."""
    made = []
    for at, step in enumerate(steps):
        value = no_fault(step(run))
        if at in optional:
            if type(value) is not Optional:
                raise EvalError(f"cannot initialize optional list element from non-optional value {value}")
            if not value.present:
                continue
            value = value.value
        made.append(value)
    return made


def map_of(run: Run, steps: list[tuple[Step, Step, bool]]) -> CelMap:
    """Return the entries of a map literal. Optional entries without a value are left out."""
    items: list[tuple[Value, Value]] = []
    for key_step, value_step, optional in steps:
        key, value = no_fault(key_step(run)), no_fault(value_step(run))
        if optional:
            if type(value) is not Optional:
                raise EvalError(f"cannot initialize optional entry '{key}' from non-optional value {value}")
            if not value.present:
                items = [item for item in items if item[0] != key]
                continue
            value = value.value
        items.append((key, value))
    return CelMap(items)
