"""One rule of ``x-kubernetes-validations`` against one schema node, and free-standing expressions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from validators.cel.errors import ABSENT, CelError, InvalidRule

if TYPE_CHECKING:
    from validators.cel.decl import Decl
    from validators.cel.engine import Compiled

DEFAULT_KUBERNETES: Final = "1.35"
PER_CALL_LIMIT: Final = 1_000_000
REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
MESSAGE_LIMIT: Final = 5120
_OVERLOAD: Final = "no such overload"
_COST: Final = "operation cancelled: actual cost limit exceeded"


@dataclass(frozen=True, slots=True)
class Result:
    """What a rule says of one value.

    ``skipped``: a transition rule without an old value (``ok`` is true then). ``message`` is the detail of the field
    error when not ok; ``error`` the run-time error's text when the rule had no value; ``cost`` in CEL units, that of
    the message included. ``stops``: the API server evaluates no further rule after this one.
    """

    ok: bool
    skipped: bool = False
    message: str = ""
    cost: int = 0
    error: str = ""
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A compiled rule. ``is_transition``: it reads oldSelf. ``field_path`` is normalised, "" without one."""

    text: str
    decl: "Decl"
    reason: str
    field_path: str
    is_transition: bool
    optional_old_self: bool
    message: str
    compiled: "Compiled"
    message_compiled: "Compiled | None" = None

    def evaluate(self, value: Any, old: Any = ABSENT, limit: int = PER_CALL_LIMIT) -> Result:
        """Judge ``value``; ``old`` is the correlated old value, ``limit`` what one call may cost.

        Never raises for data: errors are in the result.
        """
        if self.is_transition and old is ABSENT and not self.optional_old_self:
            return Result(ok=True, skipped=True)
        try:
            variables = self._variables(value, old)
            outcome, cost, problem = self.compiled.program.run(variables, limit)
        except _evaluation_error() as fault:
            return self._failed(str(fault), 0)
        except _cost_exceeded():
            said = f"'{_COST}': no further validation rules will be run due to call cost exceeds limit for rule: "
            return Result(ok=False, message=said + self._subject(), cost=limit, error=_COST, stops=True)
        if problem is not None:
            return self._failed(str(problem), cost)
        if outcome is True:
            return Result(ok=True, cost=cost)
        return self._false(variables, cost, limit)

    @property
    def estimated_cost(self) -> int:
        """The most that one evaluation may cost by the API server's estimate, which refuses rules above 10,000,000.

        To be multiplied with the number of values that the rule may meet in one object.
        """
        from validators.cel.estimate import estimate  # noqa: PLC0415 - importing this package loads no engine

        return estimate(self.compiled.checked, self.decl).max

    @property
    def estimated_message_cost(self) -> int:
        """The same for messageExpression, 0 without one."""
        from validators.cel.estimate import estimate  # noqa: PLC0415 - likewise

        return 0 if self.message_compiled is None else estimate(self.message_compiled.checked, self.decl).max

    def cost_bound(self, size: int) -> int:
        """What one evaluation cannot exceed where no text, list or map has more than ``size`` parts."""
        from validators.cel.estimate import bound  # noqa: PLC0415 - likewise

        return bound(self.compiled.checked, self.decl, size)

    def fast(self) -> "Callable[[Any, Any], Any] | None":
        """The rule as a plain Python function of (self, oldSelf), None if it has no such form.

        A True from it is final within the cost bound, on data that has the schema's types exactly; for any other
        result, and any of `validators.cel.fast.FALLBACK`, `evaluate` decides.
        """
        from validators.cel.fast import Unsupported, fast_function  # noqa: PLC0415 - likewise

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
        from validators.cel.data import wrap  # noqa: PLC0415 - importing this package loads no part of the engine
        from validators.cel.values import NONE, Optional  # noqa: PLC0415 - likewise

        variables = {"self": wrap(value, self.decl)}
        if self.optional_old_self:
            variables["oldSelf"] = NONE if old is ABSENT else Optional(present=True, value=wrap(old, self.decl))
        elif old is not ABSENT and self.is_transition:
            variables["oldSelf"] = wrap(old, self.decl)
        return variables

    def _false(self, variables: dict[str, Any], cost: int, limit: int) -> Result:
        fallback = self.message or f"failed rule: {self.text.strip()}"
        if self.message_compiled is None:
            return Result(ok=False, message=fallback, cost=cost)
        try:
            said, more, problem = self.message_compiled.program.run(variables, limit)
        except _cost_exceeded():
            lead = "no further validation rules will be run due to call cost exceeds limit for messageExpression: "
            from validators.cel.gotext import quote  # noqa: PLC0415 - likewise

            stopped = lead + quote(self.message_compiled.checked.source)
            return Result(ok=False, message=stopped, cost=cost + limit, error=_COST, stops=True)
        text = said.strip() if problem is None and isinstance(said, str) else ""
        usable = bool(text) and "\n" not in text and len(text.encode()) <= MESSAGE_LIMIT
        return Result(ok=False, message=text if usable else fallback, cost=cost + more)


def _evaluation_error() -> type[Exception]:
    from validators.cel.errors import EvalError  # noqa: PLC0415 - kept beside its twin below

    return EvalError


def _cost_exceeded() -> type[Exception]:
    from validators.cel.attributes import CostExceeded  # noqa: PLC0415 - importing this package loads no engine

    return CostExceeded


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression over named variables."""

    text: str
    variables: "Mapping[str, Decl | None]"
    compiled: "Compiled"

    def evaluate(self, values: Mapping[str, Any], limit: int = PER_CALL_LIMIT) -> Any:
        """The value as Python has it, see `validators.cel.values` for what Python has not.

        Raises `CelError` with phase "eval"; a variable without a value is an error only where it is read.
        """
        from validators.cel.convert import bind, to_python  # noqa: PLC0415 - as above

        try:
            bound = bind(values, self.variables)
            value, _, problem = self.compiled.program.run(bound, limit)
            if problem is not None:
                raise problem
            return to_python(value)
        except _evaluation_error() as fault:
            raise CelError(str(fault)) from None
        except _cost_exceeded():
            raise CelError(_COST) from None


def compile_expression(
    text: str, variables: Mapping[str, Any], kubernetes: str = DEFAULT_KUBERNETES
) -> Expression:
    """Compile an expression; ``variables`` maps names to a schema node or to "dyn". Raises `CelError`, ValueError."""
    from validators.cel import engine, types  # noqa: PLC0415 - as above
    from validators.cel.decl import declare  # noqa: PLC0415 - as above
    from validators.cel.versions import minor_of  # noqa: PLC0415 - as above

    minor = minor_of(kubernetes)
    decls = {name: None if schema == "dyn" else declare(schema, name=name) for name, schema in variables.items()}
    objects: dict[str, Decl] = {}
    for decl in decls.values():
        if decl is not None:
            engine.objects_of(decl, objects)
    held = {name: types.DYN if decl is None else decl.type or types.DYN for name, decl in decls.items()}
    try:
        checked = engine.check_expression(text, held, objects, minor)
        return Expression(text, decls, engine.instantiate(checked, minor))
    except engine.CompileError as fault:
        raise CelError(fault.text, phase="compile") from None
    except engine.InstantiationError as fault:
        raise CelError(f"program instantiation failed: {fault}", phase="compile") from None


def compile_rule(  # noqa: PLR0913, PLR0917 - the fields of a ValidationRule
    rule: str,
    schema: Mapping[str, Any],
    message: str | None = None,
    message_expression: str | None = None,
    reason: str | None = None,
    field_path: str | None = None,
    optional_old_self: bool | None = None,
    kubernetes: str = DEFAULT_KUBERNETES,
) -> Rule:
    """Compile one rule for the schema node that carries it, in the environment of a Kubernetes version.

    Raises `InvalidRule` with the API server's text for what it would refuse; ValueError for an unknown version.
    """
    from validators.cel.decl import declare  # noqa: PLC0415 - as above
    from validators.cel.rule_compile import RuleSpec, compile_for  # noqa: PLC0415 - as above

    spec = RuleSpec(rule, message, message_expression, reason, field_path, optional_old_self)
    return compile_for(spec, schema, declare(schema), kubernetes)


__all__ = ["Expression", "InvalidRule", "Result", "Rule", "compile_expression", "compile_rule"]
