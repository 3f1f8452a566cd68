"""Judges requests by a compiled policy: match conditions, validations with their messages, audit annotations.

Source: apiserver ``pkg/admission/plugin/policy/validating`` (validator.go), ``plugin/webhook/matchconditions``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from ovnguard.validators.cel.evaluation.native_conversion import from_python
from ovnguard.validators.cel.values.authorizer_values import Authorize, Authorizer, Check, ResourceCheck
from ovnguard.validators.cel.values.cel_values import CelMap, Fault, Value
from ovnguard.validators.policy import variables as env
from ovnguard.validators.policy.activation import (
    BUDGET,
    CONDITIONS_BUDGET,
    OUT_OF_BUDGET,
    Activation,
    ExpressionResult,
    OutOfBudget,
)
from ovnguard.validators.policy.decision import MAX_ANNOTATION, Decision
from ovnguard.validators.policy.policy import Policy, Validation
from ovnguard.validators.policy.request import PolicyRequest, namespace_variable
from ovnguard.validators.policy.variables import Expression

MESSAGE_LIMIT: Final = 5 * 1024
OFFLINE: Final = "authorizer is not available offline: only a cluster can say what a user may do"
_NO_NAMESPACE: Final = "namespaceObject is not known offline: give the object of namespace "
_NO_USER: Final = "userInfo is not known offline: only a request has a user"


@dataclass(frozen=True, slots=True)
class Programs:
    """The compiled expressions of a policy. A message expression is None if the validation has none."""

    conditions: tuple[Expression, ...]
    variables: Mapping[str, Expression]
    validations: tuple[Expression, ...]
    messages: tuple[Expression | None, ...]
    annotations: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Annotation:
    """The result of an audit annotation: a value to publish, nothing, or an error that denies.

    ``lacks`` is as for `Decision`.
    """

    key: str
    action: Literal["publish", "exclude", "error"]
    text: str = ""
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The decisions and annotations for one parameter object."""

    decisions: tuple[Decision, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    cost: int = 0


class Inputs:
    """The variables of a request, converted once for all expressions. Raises ValueError for data that is too deep."""

    def __init__(
        self, request: PolicyRequest, namespace: Mapping[str, Any] | None, authorize: Authorize | None = None
    ) -> None:
        self.request = request
        self._authorizers = _authorizers(request, authorize)
        try:
            self._held: dict[str, Value] = {
                env.OBJECT: from_python(request.object),
                env.OLD_OBJECT: from_python(request.old_object),
                env.REQUEST: _request(request),
            }
            self._namespace: Value = _namespace(request, namespace)
        except RecursionError:
            raise ValueError("the request is nested too deeply") from None

    def values(self, params: Mapping[str, Any] | None, *, authorizer: bool, namespace: bool = True) -> dict[str, Value]:
        """Return the values by name. ``authorizer`` is false for messages and audit annotations, which have none."""
        missing = {name: Fault(f"no such attribute(s): {name}") for name in self._authorizers}
        return {
            **self._held,
            env.PARAMS: from_python(params),
            env.NAMESPACE: self._namespace if namespace else None,
            **(self._authorizers if authorizer else missing),
        }


def _authorizers(request: PolicyRequest, authorize: Authorize | None) -> Mapping[str, Value]:
    if authorize is None:
        return dict.fromkeys((env.AUTHORIZER, env.REQUEST_AUTHORIZER), Fault(OFFLINE))
    check = Check("" if request.user is None else request.user.username)
    about = check._replace(
        group=request.group,
        resource=request.resource,
        subresource=request.subresource,
        namespace=request.namespace,
        name=request.name,
    )
    return {
        env.AUTHORIZER: Authorizer(authorize, check),
        env.REQUEST_AUTHORIZER: ResourceCheck(authorize, about),
    }


def _namespace(request: PolicyRequest, namespace: Mapping[str, Any] | None) -> Value:
    if not request.namespace or (request.group, request.version, request.kind) == ("", "v1", "Namespace"):
        return None
    if namespace is None:
        return Fault(_NO_NAMESPACE + request.namespace)
    return from_python(namespace_variable(namespace))


def _request(request: PolicyRequest) -> Value:
    fields = request.variable()
    if request.user is not None:
        return from_python(fields)
    return CelMap((key, Fault(_NO_USER) if key == "userInfo" else from_python(value)) for key, value in fields.items())


def lacking(error: str, request: PolicyRequest) -> str:
    """Return the fact about the cluster without which an expression has this error, "" for any other error."""
    if _NO_NAMESPACE in error:
        return lacking_namespace(request)
    if _NO_USER in error:
        return "the user of the request"
    return "the rights of the user" if OFFLINE in error else ""


def lacking_namespace(request: PolicyRequest) -> str:
    """Return how to name the Namespace of a request that is not given."""
    return f"Namespace {request.namespace}"


class Evaluator:
    """Evaluates one policy for one request, with one parameter object after the other."""

    def __init__(self, policy: Policy, programs: Programs, inputs: Inputs) -> None:
        self.policy = policy
        self.programs = programs
        self.inputs = inputs
        self.fails = policy.failure_policy != "Ignore"
        self.cost = 0

    def evaluate(self, params: Mapping[str, Any] | None) -> Evaluation:
        """Judge with one parameter object (None: without)."""
        self.cost = 0
        stop = self._conditions(params)
        if stop is not None:
            return Evaluation(stop, cost=self.cost)
        try:
            decisions = self._validations(params)
            annotations = self._annotations(params)
        except OutOfBudget:
            return Evaluation((self._error(OUT_OF_BUDGET),), cost=self.cost)
        return Evaluation(decisions, annotations, self.cost)

    def _error(self, message: str) -> Decision:
        return Decision("error", message, denies=self.fails, lacks=lacking(message, self.inputs.request))

    def _run(self, activation: Activation, expressions: tuple[Expression | None, ...]) -> list[ExpressionResult | None]:
        before = activation.budget
        try:
            return activation.run(expressions)
        finally:
            self.cost += before - activation.budget

    def _conditions(self, params: Mapping[str, Any] | None) -> tuple[Decision, ...] | None:
        """Return None if the conditions hold, else the decisions that replace the validations."""
        if not self.programs.conditions:
            return None
        held = self.inputs.values(params, authorizer=True, namespace=False)
        activation = Activation(held, self.programs.variables, CONDITIONS_BUDGET)
        try:
            outcomes = [one for one in self._run(activation, self.programs.conditions) if one is not None]
        except OutOfBudget:
            return (self._error(OUT_OF_BUDGET),) if self.fails else ()
        if any(not one.error and one.value is False for one in outcomes):
            return ()
        errors = list(dict.fromkeys(one.error for one in outcomes if one.error))
        if not errors:
            return None
        text = errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"
        stop = self._error(text)
        return (stop,) if self.fails or stop.lacks else ()

    def _validations(self, params: Mapping[str, Any] | None) -> tuple[Decision, ...]:
        activation = Activation(self.inputs.values(params, authorizer=True), self.programs.variables)
        outcomes = self._run(activation, self.programs.validations)
        messages, exhausted = self._messages(params, activation.budget)
        return tuple(
            self._decide(validation, outcome, message, exhausted)
            for validation, outcome, message in zip(self.policy.validations, outcomes, messages, strict=True)
            if outcome is not None
        )

    def _messages(self, params: Mapping[str, Any] | None, budget: int) -> tuple[list[ExpressionResult | None], bool]:
        """Return the messages, and whether the budget did not suffice for them. All are computed, needed or not."""
        activation = Activation(self.inputs.values(params, authorizer=False), self.programs.variables, budget)
        try:
            return self._run(activation, self.programs.messages), False
        except OutOfBudget:
            return [None] * len(self.programs.messages), True

    def _decide(
        self, validation: Validation, outcome: ExpressionResult, built: ExpressionResult | None, exhausted: bool
    ) -> Decision:
        if outcome.error:
            return self._error(outcome.error)
        if exhausted:
            return self._error(f"failed messageExpression: {OUT_OF_BUDGET}")
        if outcome.value is True:
            return Decision("admit")
        message = "" if built is None or built.error else _usable(built.value)
        message = message or validation.message.strip() or f"failed expression: {validation.expression.strip()}"
        return Decision("deny", message, "Invalid" if validation.reason is None else validation.reason, denies=True)

    def _annotations(self, params: Mapping[str, Any] | None) -> tuple[Annotation, ...]:
        activation = Activation(self.inputs.values(params, authorizer=False), self.programs.variables, BUDGET)
        outcomes = self._run(activation, self.programs.annotations)
        return tuple(
            self._annotation(named.name, outcome)
            for named, outcome in zip(self.policy.annotations, outcomes, strict=True)
            if outcome is not None
        )

    def _annotation(self, key: str, outcome: ExpressionResult) -> Annotation:
        if outcome.error:
            lacks = lacking(outcome.error, self.inputs.request)
            return Annotation(key, "error", outcome.error, lacks) if self.fails else Annotation(key, "exclude")
        text = outcome.value.strip() if isinstance(outcome.value, str) else ""
        return Annotation(key, "publish", _cut(text)) if text else Annotation(key, "exclude")


def _cut(text: str) -> str:
    return text.encode(errors="replace")[:MAX_ANNOTATION].decode(errors="replace")


def _usable(value: Value) -> str:
    if type(value) is not str:
        return ""
    text = value.strip()
    return "" if "\n" in text or len(text.encode(errors="replace")) > MESSAGE_LIMIT else text


__all__ = ["Annotation", "Evaluation", "Evaluator", "Inputs", "Programs"]
