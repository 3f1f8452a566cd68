"""One rule of ``x-kubernetes-validations`` against one schema node, and free-standing expressions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from validators.cel.errors import ABSENT, CelError, EvalError, InvalidRule

if TYPE_CHECKING:
    from validators.cel.parse import Program

_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_OVERLOAD = "no such overload"
_MESSAGE_LIMIT = 5120


@dataclass(frozen=True, slots=True)
class Result:
    """What a rule says of one value.

    ``skipped``: a transition rule without an old value (``ok`` is true then). ``message`` is the detail of the
    field error when not ok; ``error`` the run-time error's text when the rule had no value; ``cost`` in CEL units.
    """

    ok: bool
    skipped: bool = False
    message: str = ""
    cost: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A compiled rule; ``is_transition`` means that it reads oldSelf."""

    text: str
    schema: Mapping[str, Any]
    reason: str
    field_path: str
    is_transition: bool
    _program: "Program"
    _message: str
    _message_program: "Program | None"
    _optional_old_self: bool

    def evaluate(self, value: Any, old: Any = ABSENT) -> Result:
        """Judge ``value``; ``old`` is the correlated old value. Never raises for data: errors are in the result."""
        from validators.cel import engine  # noqa: PLC0415 - celpy is loaded by the first rule only

        if self.is_transition and old is ABSENT:
            return Result(ok=True, skipped=True)
        try:
            variables = _variables(value, old, self.schema)
            if engine.boolean(self._program, variables):
                return Result(ok=True)
        except EvalError as fault:
            return Result(ok=False, message=self._runtime_message(str(fault)), error=str(fault))
        return Result(ok=False, message=self._false_message(variables))

    def _runtime_message(self, error: str) -> str:
        subject = self._message or self.text
        if error.startswith(_OVERLOAD):
            explained = "call arguments did not match a supported operator, function or macro signature for rule"
            return f"'{_OVERLOAD}': {explained}: {subject}"
        return f"{error} evaluating rule: {subject}"

    def _false_message(self, variables: Mapping[str, Any]) -> str:
        if self._message_program is not None:
            try:
                said = self._message_program.evaluate(variables)
            except EvalError:
                said = ""
            text = str(said).strip() if isinstance(said, str) else ""
            if text and "\n" not in text and len(text.encode()) <= _MESSAGE_LIMIT:
                return text
        return self._message or f"failed rule: {self.text.strip()}"


def _variables(value: Any, old: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    from validators.cel import values  # noqa: PLC0415 - celpy is loaded by the first rule only

    variables = {"self": values.from_json(value, schema)}
    if old is not ABSENT:
        variables["oldSelf"] = values.from_json(old, schema)
    return variables


def compile_rule(  # noqa: PLR0913, PLR0917 - the fields of a ValidationRule
    rule: str,
    schema: Mapping[str, Any],
    message: str | None = None,
    message_expression: str | None = None,
    reason: str | None = None,
    field_path: str | None = None,
    optional_old_self: bool | None = None,
    kubernetes: str = "1.35",
) -> Rule:
    """Compile one rule for the schema node that carries it.

    Raises `InvalidRule` for what the API server would refuse, and for what this engine cannot run.
    """
    from validators.cel import engine  # noqa: PLC0415 - celpy is loaded by the first rule only

    if not rule.strip():
        raise InvalidRule("rule is not specified")
    if message is not None and not message.strip():
        raise InvalidRule("message must be non-empty if specified")
    if reason is not None and reason not in _REASONS:
        supported = ", ".join(f'"{known}"' for known in _REASONS)
        raise InvalidRule(f'Unsupported value: "{reason}": supported values: {supported}')
    if optional_old_self:
        raise InvalidRule("optionalOldSelf needs optional values, which this engine does not have")
    program = engine.program(rule)
    return Rule(
        text=rule,
        schema=schema,
        reason=reason or "FieldValueInvalid",
        field_path=field_path or "",
        is_transition="oldSelf" in program.names,
        _program=program,
        _message=(message or "").strip(),
        _message_program=engine.program(message_expression) if message_expression else None,
        _optional_old_self=False,
    )


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression over named variables."""

    text: str
    variables: Mapping[str, Mapping[str, Any]]
    _program: "Program"

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The value as plain Python. Raises `CelError` with phase "eval"."""
        from validators.cel import parse  # noqa: PLC0415 - celpy is loaded by the first rule only
        from validators.cel.values import from_json  # noqa: PLC0415 - likewise

        try:
            bound = {name: from_json(value, self.variables.get(name, {})) for name, value in values.items()}
            return parse.to_python(self._program.evaluate(bound))
        except EvalError as fault:
            raise CelError(str(fault)) from fault


def compile_expression(text: str, variables: Mapping[str, Any], kubernetes: str = "1.35") -> Expression:
    """Compile an expression; ``variables`` maps names to a schema node or to "dyn". Raises `CelError`."""
    from validators.cel import engine  # noqa: PLC0415 - celpy is loaded by the first rule only

    schemas = {name: {} if schema == "dyn" else schema for name, schema in variables.items()}
    try:
        return Expression(text, schemas, engine.program(text))
    except InvalidRule as fault:
        raise CelError(fault.text, phase="compile") from fault
