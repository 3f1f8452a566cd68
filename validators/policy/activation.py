"""Evaluates the expressions of a policy: computes variables on first read, counts costs against one budget.

Source: apiserver ``pkg/admission/plugin/cel`` (activation.go, composition.go). Each list of expressions (match
conditions, validations, message expressions, audit annotations) has its own variables, which are computed at most once.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.validators.cel.types.errors import CostExceeded, EvalError
from ovnguard.validators.cel.values.cel_values import CelMap, Fault, Value
from ovnguard.validators.cel.values.operations import no_fault
from ovnguard.validators.go.text import quote
from ovnguard.validators.policy.variables import VARIABLES, Expression

PER_CALL_LIMIT: Final = 1_000_000
BUDGET: Final = 10_000_000
CONDITIONS_BUDGET: Final = 2_500_000
OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"
_OVER_CALL: Final = "operation cancelled: actual cost limit exceeded"


class OutOfBudget(Exception):
    """The expressions together exceed their cost budget."""


@dataclass(frozen=True, slots=True)
class ExpressionResult:
    """The value of an expression, or the reason why it has none (then ``error`` is not empty)."""

    value: Value = None
    error: str = ""


class Activation:
    """The variables that one list of expressions sees, and its remaining budget."""

    def __init__(self, inputs: Mapping[str, Value], variables: Mapping[str, Expression], budget: int = BUDGET) -> None:
        self.budget = budget
        self._of_variables = 0
        self._inputs = dict(inputs)
        if variables:
            lazy = CelMap()
            lazy.entries = _Lazy(self, variables)
            self._inputs[VARIABLES] = lazy

    def run(self, expressions: Sequence[Expression | None]) -> list[ExpressionResult | None]:
        """Return the results in order, None for None. Raises `OutOfBudget`."""
        return [None if one is None else self._one(one) for one in expressions]

    def _one(self, expression: Expression) -> ExpressionResult:
        value, cost, error = self._evaluate(expression)
        composed, self._of_variables = self._of_variables, 0
        for spent in (composed, cost):
            if spent > self.budget:
                raise OutOfBudget
            self.budget -= spent
        if error:
            return ExpressionResult(error=f"expression '{expression.text}' resulted in error: {error}")
        return ExpressionResult(value)

    def _evaluate(self, expression: Expression) -> tuple[Value, int, str]:
        try:
            value, cost, problem = expression.program.run(self._inputs, PER_CALL_LIMIT)
        except CostExceeded as stop:
            return None, stop.cost or PER_CALL_LIMIT + 1, _OVER_CALL
        except EvalError as fault:
            return None, 0, str(fault)
        return (value, cost, "") if problem is None else (None, cost, str(problem))

    def variable(self, name: str, expression: Expression) -> Value:
        """Compute a variable. Its cost counts for the expression that reads it first."""
        value, cost, error = self._evaluate(expression)
        self._of_variables += cost
        return Fault(f"composited variable {quote(name)} fails to evaluate: {error}") if error else value


class _Lazy(dict[Hashable, Any]):
    """The entries of the map ``variables``. Each is computed when it is read."""

    def __init__(self, activation: Activation, variables: Mapping[str, Expression]) -> None:
        super().__init__()
        self._activation = activation
        self._variables = variables

    def get(self, key: Hashable, default: Any = None) -> Any:
        """Return key and value, computed if necessary.

        Raises `EvalError` for a variable without a value, even for has().
        """
        expression = self._variables.get(key) if isinstance(key, str) else None
        if expression is None or not isinstance(key, str):
            return default
        if key not in self:
            self[key] = (key, self._activation.variable(key, expression))
        return key, no_fault(self[key][1])

    def __len__(self) -> int:
        return len(self._variables)
