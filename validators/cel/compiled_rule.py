"""Compiled rules and expressions: what they say of a value, at what cost.

Source of the texts: apiextensions-apiserver ``pkg/apiserver/schema/cel/validation.go``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from validators.cel.codegen.function_source import FALLBACK, Unsupported, fast_function
from validators.cel.codegen.rule_runtime import conforms
from validators.cel.cost.estimate import bound, estimate
from validators.cel.cost.runtime_cost import PER_CALL_LIMIT
from validators.cel.declaration import Decl
from validators.cel.errors import ABSENT, CelError, CostExceeded, EvalError
from validators.cel.expression_compiler import Compiled
from validators.cel.json_values import seen
from validators.cel.native_conversion import bind, to_python
from validators.cel.values import NONE, Fault, Optional
from validators.go.text import quote

MESSAGE_LIMIT: Final = 5120
_OVERLOAD: Final = "no such overload"
_COST: Final = "operation cancelled: actual cost limit exceeded"


@dataclass(frozen=True, slots=True)
class Result:
    """What a rule says of one value.

    ``skipped``: a transition rule without an old value (``ok`` is true then). ``message`` is the detail of the field
    error when not ok; ``error`` the run-time error's text when the rule had no value; ``cost`` in CEL units, of which
    messageExpression took ``message_cost``. ``stops``: the API server evaluates no further rule after this one.
    """

    ok: bool
    skipped: bool = False
    message: str = ""
    cost: int = 0
    error: str = ""
    stops: bool = False
    message_cost: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """A compiled rule. ``is_transition``: it reads oldSelf. ``field_path`` is normalised, "" without one."""

    text: str
    decl: Decl
    reason: str
    field_path: str
    is_transition: bool
    optional_old_self: bool
    message: str
    compiled: Compiled
    message_compiled: Compiled | None = None

    def evaluate(
        self, value: Any, old: Any = ABSENT, limit: int = PER_CALL_LIMIT, *, beside_transition: bool = False
    ) -> Result:
        """Judge ``value``; ``old`` is the correlated old value, ``limit`` what one call may cost.

        The messageExpression of a rule that does not read oldSelf may do so all the same, ``beside_transition``: where
        another rule of the node does. Never raises for data: errors are in the result.
        """
        if self.is_transition and old is ABSENT and not self.optional_old_self:
            return Result(ok=True, skipped=True)
        try:
            outcome, cost, problem = self.compiled.program.run(self._variables(value, old), limit)
        except CostExceeded as stop:
            said = f"'{_COST}': no further validation rules will be run due to call cost exceeds limit for rule: "
            cost = max(stop.cost, limit)
            return Result(ok=False, message=said + self._subject(), cost=cost, error=_COST, stops=True)
        if problem is not None:
            return self._failed(str(problem), cost)
        if outcome is True:
            return Result(ok=True, cost=cost)
        if self.message_compiled is None:
            return Result(ok=False, message=self._fallback(), cost=cost)
        shared = old if self.is_transition or beside_transition else ABSENT
        return self._refused(self.message_compiled, value, shared, cost, limit)

    @property
    def estimated_cost(self) -> int:
        """The most that one evaluation may cost by the API server's estimate, which refuses rules above 10,000,000.

        To be multiplied with the number of values that the rule may meet in one object.
        """
        return estimate(self.compiled.checked, self.decl).max

    @property
    def estimated_message_cost(self) -> int:
        """The same for messageExpression, 0 without one."""
        return 0 if self.message_compiled is None else estimate(self.message_compiled.checked, self.decl).max

    def cost_bound(self, size: int) -> int:
        """What one evaluation cannot exceed where no text, list or map has more than ``size`` parts."""
        return bound(self.compiled.checked, self.decl, size)

    def confirms(self, value: Any, old: Any = ABSENT) -> bool:
        """Whether the fast form says yes. False says nothing: then `evaluate` decides.

        The caller answers for the budget (`cost_bound`). Slower than `fast` by a look at the types of the data.
        """
        function = self.fast()
        if function is None or (old is ABSENT and self.is_transition and not self.optional_old_self):
            return False
        before = None if old is ABSENT else old
        if not conforms(value, self.decl) or (before is not None and not conforms(before, self.decl)):
            return False
        try:
            return function(value, before) is True
        except FALLBACK:
            return False

    def fast(self) -> Callable[[Any, Any], Any] | None:
        """The rule as a plain Python function of (self, oldSelf), None if it has no such form.

        A True from it is final within the cost bound, on data that has the schema's types exactly; for any other
        result, and any of `validators.cel.codegen.function_source.FALLBACK`, `evaluate` decides.
        """
        try:
            return fast_function(self.compiled.checked, self.decl)
        except Unsupported:
            return None

    def _subject(self) -> str:
        return self.message or self.text.strip()

    def _failed(self, error: str, cost: int) -> Result:
        if error.startswith(_OVERLOAD):
            explained = "call arguments did not match a supported operator, function or macro signature for rule"
            return Result(ok=False, message=f"'{error}': {explained}: {self._subject()}", cost=cost, error=error)
        return Result(ok=False, message=f"{error} evaluating rule: {self._subject()}", cost=cost, error=error)

    def _variables(self, value: Any, old: Any) -> dict[str, Any]:
        variables = {"self": seen(value, self.decl)}
        if self.optional_old_self:
            variables["oldSelf"] = NONE if old is ABSENT else Optional(present=True, value=seen(old, self.decl))
        elif old is not ABSENT and self.is_transition:
            variables["oldSelf"] = seen(old, self.decl)
        return variables

    def _fallback(self) -> str:
        return self.message or f"failed rule: {self.text.strip()}"

    def _refused(self, expression: Compiled, value: Any, old: Any, cost: int, limit: int) -> Result:
        """The rule is false: what messageExpression says, if it says something.

        The server runs it with oldSelf as it is, although its type may be optional.
        """
        before = Fault("no such attribute(s): oldSelf") if old is ABSENT else seen(old, self.decl)
        try:
            said, more, problem = expression.program.run({"self": seen(value, self.decl), "oldSelf": before}, limit)
        except CostExceeded as stop:
            lead = "no further validation rules will be run due to call cost exceeds limit for messageExpression: "
            more = max(stop.cost, limit)
            message = lead + quote(expression.checked.source)
            return Result(ok=False, message=message, cost=cost + more, stops=True, message_cost=more)
        text = said.strip() if problem is None and isinstance(said, str) else ""
        usable = bool(text) and "\n" not in text and len(text.encode()) <= MESSAGE_LIMIT
        message = text if usable else self._fallback()
        return Result(ok=False, message=message, cost=cost + more, message_cost=more)


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression over named variables."""

    text: str
    variables: Mapping[str, Decl | None]
    compiled: Compiled

    def evaluate(self, values: Mapping[str, Any], limit: int = PER_CALL_LIMIT) -> Any:
        """The value as Python has it, see `validators.cel.values` for what Python has not.

        Raises `CelError` with phase "eval"; a variable without a value is an error only where it is read.
        """
        try:
            bound = bind(values, self.variables)
            value, _, problem = self.compiled.program.run(bound, limit)
            if problem is not None:
                raise problem
            return to_python(value)
        except EvalError as fault:
            raise CelError(str(fault)) from None
        except CostExceeded:
            raise CelError(_COST) from None
