"""Comprehensions at run time: the loops that macros over lists and maps become.

Source: cel-go ``interpreter`` (interpretable.go, folds).
"""

from collections.abc import Iterator
from time import monotonic
from typing import NamedTuple

from ovnguard.validators.base import deadline
from ovnguard.validators.cel.evaluation.attributes import Lazy, Run, Step, shown
from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.values.cel_values import CelMap, Value, key_token
from ovnguard.validators.cel.values.operations import LISTS, MAPS, go_name, no_fault, no_overload


class FoldPlan(NamedTuple):
    """A planned comprehension. ``slots`` are those of the accumulator, the first and the second variable (-1: none).

    ``starts_late``: the accumulator is computed when it is first read, since Kubernetes 1.32.
    """

    over: Step
    init: Step
    condition: Step | None
    step: Step
    result: Step
    slots: tuple[int, int, int]
    starts_late: bool = True

    def run(self, run: Run) -> Value:
        """Loop until the range or the condition ends. An error in a step becomes the accumulator.

        Raises DeadlineExceeded when the time of the judgement is over.
        """
        accu, first, second = self.slots
        slots = run.slots
        over = no_fault(self.over(run))
        items = _pairs(over) if second >= 0 else _singles(over)
        slots[accu] = Lazy(_fresh(self.init)) if self.starts_late else _outcome(_fresh(self.init), run)
        condition, step = self.condition, self.step
        end = deadline.end()
        for one, two in items:
            if monotonic() > end:
                raise deadline.DeadlineExceeded
            slots[first] = one
            if second >= 0:
                slots[second] = two
            if condition is not None and not self._goes_on(run):
                break
            try:
                slots[accu] = step(run)
            except EvalError as fault:
                slots[accu] = fault
        return self.result(run)

    def _goes_on(self, run: Run) -> bool:
        assert self.condition is not None
        try:
            return self.condition(run) is not False
        except EvalError:
            return True


def _outcome(step: Step, run: Run) -> Value:
    """The value of a step, or its error."""
    try:
        return step(run)
    except EvalError as fault:
        return fault


def _fresh(init: Step) -> Step:
    """Return a step that starts the accumulator. A list or map that steps extend is never the shared constant."""

    def start(run: Run) -> Value:
        value = init(run)
        if type(value) is list and not value:
            return []
        return CelMap() if type(value) is CelMap and not value.entries else value

    return start


def _singles(over: Value) -> Iterator[tuple[Value, Value]]:
    if type(over) in LISTS or type(over) in MAPS:
        return ((one, None) for one in over)
    raise EvalError(f"got '{go_name(over)}', expected iterable type")


def _pairs(over: Value) -> Iterator[tuple[Value, Value]]:
    if type(over) in LISTS:
        return iter(enumerate(over))
    if type(over) in MAPS:
        return ((key, _value_at(over, key)) for key in over)
    raise EvalError(f"unsupported comprehension range type: {go_name(over)}")


def _value_at(over: Value, key: Value) -> Value:
    value: Value = over.entry(key)[1]
    return value


def append_step(accu: Step, addition: Step) -> Step:
    """Return a step for ``accumulator + [element]``, done in place: only the comprehension can see its accumulator."""

    def append(run: Run) -> Value:
        problem: EvalError | None = None
        grown: Value = None
        added: Value = None
        try:
            grown = accu(run)
        except EvalError as fault:
            problem = fault
        try:
            added = addition(run)
        except EvalError as fault:
            problem = problem or fault
        run.add(1)
        if problem is not None:
            raise problem
        if type(grown) is not list or type(added) is not list:
            raise no_overload()
        grown.extend(added)
        return grown

    return append


def insert_step(steps: list[Step]) -> Step:
    """Return a step for ``cel.@mapInsert``, done in place for the same reason."""

    def insert(run: Run) -> Value:
        values = [no_fault(step(run)) for step in steps[:-1]]
        try:
            values.append(no_fault(steps[-1](run)))
        finally:
            # The call is counted once all its arguments have been evaluated, and the last may fail.
            run.add(1)
        grown = values[0]
        if type(grown) is not CelMap:
            raise no_overload()
        if len(values) == 3:
            _insert(grown, values[1], values[2])
            return grown
        if type(values[1]) not in MAPS:
            raise no_overload()
        for key in values[1]:
            _insert(grown, key, values[1].find(key)[1])
        return grown

    return insert


def _insert(grown: CelMap, key: Value, value: Value) -> None:
    token = key_token(key)
    if token in grown.entries:
        raise EvalError(f"insert failed: key {shown(key)} already exists")
    grown.entries[token] = (key, value)
