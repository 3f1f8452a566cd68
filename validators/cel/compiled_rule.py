"""Compiled rules and expressions: evaluates them on values, with cost.

Source of the texts: apiextensions-apiserver ``pkg/apiserver/schema/cel/validation.go``.
"""

from typing import Any, Final, NamedTuple, TypeAlias

from ovnguard.validators.cel.cost.runtime_cost import PER_CALL_LIMIT
from ovnguard.validators.cel.expression_compiler import Compiled
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.errors import ABSENT, CostExceeded
from ovnguard.validators.cel.values.cel_values import NONE, Fault, Optional, Value
from ovnguard.validators.cel.values.json_values import seen
from ovnguard.validators.go.text import quote

MESSAGE_LIMIT: Final = 5120
_OVERLOAD: Final = "no such overload"
_COST: Final = "operation cancelled: actual cost limit exceeded"


Views: TypeAlias = dict[str, Value]
"""The values of self and oldSelf at one node, as far as a rule has read them."""


class Result(NamedTuple):
    """The result of a rule on one value.

    ``skipped``: the rule is a transition rule and there is no old value (``ok`` is true then). ``message`` is the
    detail of the field error if not ok. ``error`` is the text of the run-time error if the rule has no value. ``cost``
    is in CEL units and includes the ``message_cost`` of messageExpression. ``stops``: the API server evaluates no
    further rule after this one.
    """

    ok: bool
    skipped: bool = False
    message: str = ""
    cost: int = 0
    error: str = ""
    stops: bool = False
    message_cost: int = 0


class Rule(NamedTuple):
    """A compiled rule. ``is_transition``: it reads oldSelf. ``field_path`` is normalised, "" if there is none.

    ``message`` is None if there is none. One of spaces is empty: the API server refuses such a rule only afterwards.
    """

    text: str
    decl: Decl
    reason: str
    field_path: str
    is_transition: bool
    optional_old_self: bool
    message: str | None
    compiled: Compiled
    message_compiled: Compiled | None = None

    def evaluate(
        self,
        value: Any,
        old: Any = ABSENT,
        limit: int = PER_CALL_LIMIT,
        *,
        node_reads_old: bool = False,
        views: Views | None = None,
    ) -> Result:
        """Evaluate the rule on ``value``. ``old`` is the correlated old value, ``limit`` what one call may cost.

        ``node_reads_old``: another rule of the node reads oldSelf. Then the messageExpression of this rule may read
        it too, even if the rule does not. ``views``: the values of self and oldSelf, which the rules of a node share.
        Never raises for data: the result contains the errors.
        """
        views = {} if views is None else views
        if self.is_transition and old is ABSENT and not self.optional_old_self:
            return Result(ok=True, skipped=True)
        try:
            outcome, cost, problem = self.compiled.program.run(self._variables(value, old, views), limit)
        except CostExceeded as stop:
            message = f"'{_COST}': no further validation rules will be run due to call cost exceeds limit for rule: "
            cost = max(stop.cost, limit)
            return Result(ok=False, message=message + self._subject(), cost=cost, error=_COST, stops=True)
        if problem is not None:
            return self._failed(str(problem), cost)
        if outcome is True:
            return Result(ok=True, cost=cost)
        if self.message_compiled is None:
            return Result(ok=False, message=self._fallback(), cost=cost)
        shared = old if self.is_transition or node_reads_old else ABSENT
        return self._refused(self.message_compiled, value, shared, views, cost, limit)

    def _subject(self) -> str:
        return self.text.strip() if self.message is None else self.message

    def _failed(self, error: str, cost: int) -> Result:
        if error.startswith(_OVERLOAD):
            explained = "call arguments did not match a supported operator, function or macro signature for rule"
            return Result(ok=False, message=f"'{error}': {explained}: {self._subject()}", cost=cost, error=error)
        return Result(ok=False, message=f"{error} evaluating rule: {self._subject()}", cost=cost, error=error)

    def _variables(self, value: Any, old: Any, views: Views) -> dict[str, Any]:
        variables = {"self": self._view("self", value, views)}
        if self.optional_old_self:
            held = NONE if old is ABSENT else Optional(present=True, value=self._view("oldSelf", old, views))
            variables["oldSelf"] = held
        elif old is not ABSENT and self.is_transition:
            variables["oldSelf"] = self._view("oldSelf", old, views)
        return variables

    def _view(self, name: str, raw: Any, views: Views) -> Value:
        if name not in views:
            views[name] = seen(raw, self.decl)
        return views[name]

    def _fallback(self) -> str:
        return f"failed rule: {self.text.strip()}" if self.message is None else self.message

    def _refused(self, expression: Compiled, value: Any, old: Any, views: Views, cost: int, limit: int) -> Result:
        """Return the result of a false rule, with the text of messageExpression if that has a usable one.

        The server evaluates it with the plain oldSelf, although its type may be optional.
        """
        absent = old is ABSENT
        before = Fault("no such attribute(s): oldSelf") if absent else self._view("oldSelf", old, views)
        variables = {"self": self._view("self", value, views), "oldSelf": before}
        try:
            result, more, problem = expression.program.run(variables, limit)
        except CostExceeded as stop:
            lead = "no further validation rules will be run due to call cost exceeds limit for messageExpression: "
            more = max(stop.cost, limit)
            message = lead + quote(expression.checked.source)
            return Result(ok=False, message=message, cost=cost + more, stops=True, message_cost=more)
        text = result.strip() if problem is None and isinstance(result, str) else ""
        usable = bool(text) and "\n" not in text and len(text.encode()) <= MESSAGE_LIMIT
        message = text if usable else self._fallback()
        return Result(ok=False, message=message, cost=cost + more, message_cost=more)
