"""ValidatingAdmissionPolicy and its binding as values, with the defaults of admissionregistration.k8s.io/v1.

Source: Kubernetes API reference, ValidatingAdmissionPolicy v1 and ValidatingAdmissionPolicyBinding v1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ovnguard.validators.base.field import NamedText
from ovnguard.validators.policy.decode import BINDING, POLICY, decoded

_Fields: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One of a selector's matchExpressions."""

    key: str
    operator: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """A LabelSelector. An empty one selects everything."""

    labels: Mapping[str, str]
    expressions: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class ResourceRule:
    """A NamedRuleWithOperations, which selects requests."""

    operations: tuple[str, ...]
    groups: tuple[str, ...]
    versions: tuple[str, ...]
    resources: tuple[str, ...]
    scope: str = "*"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchResources:
    """matchConstraints of a policy, matchResources of a binding."""

    rules: tuple[ResourceRule, ...]
    excluded: tuple[ResourceRule, ...]
    match_policy: str
    namespaces: LabelSelector
    objects: LabelSelector


@dataclass(frozen=True, slots=True)
class Named:
    """A named expression: a match condition, a variable, or (name is the key) an audit annotation."""

    name: str
    expression: str


@dataclass(frozen=True, slots=True)
class Validation:
    """One validation. ``reason`` is None if it has none."""

    expression: str
    message: str
    message_expression: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class ParamKind:
    """The kind of a policy's parameters."""

    api_version: str
    kind: str


@dataclass(frozen=True, slots=True)
class ParamRef:
    """A paramRef: which parameters a binding gives to its policy."""

    name: str
    namespace: str
    selector: LabelSelector | None
    not_found: str | None


@dataclass(frozen=True, slots=True)
class Policy:
    """A ValidatingAdmissionPolicy."""

    name: str
    metadata: Mapping[str, Any]
    failure_policy: str
    param_kind: ParamKind | None
    constraints: MatchResources | None
    conditions: tuple[Named, ...]
    variables: tuple[Named, ...]
    validations: tuple[Validation, ...]
    annotations: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Binding:
    """A ValidatingAdmissionPolicyBinding."""

    name: str
    metadata: Mapping[str, Any]
    policy_name: str
    param_ref: ParamRef | None
    resources: MatchResources | None
    actions: tuple[str, ...]


def read_policy(source: Any) -> Policy:
    """Decode and default a policy. Raises `InvalidPolicy` if it does not decode."""
    root = decoded(source, POLICY)
    spec = root.get("spec", {})
    kind = spec.get("paramKind")
    return Policy(
        name=_name(root),
        metadata=root.get("metadata", {}),
        failure_policy=NamedText(spec.get("failurePolicy", "Fail")),
        param_kind=None if kind is None else ParamKind(kind.get("apiVersion", ""), kind.get("kind", "")),
        constraints=_match(spec.get("matchConstraints")),
        conditions=_named(spec, "matchConditions"),
        variables=_named(spec, "variables"),
        validations=tuple(map(_validation, spec.get("validations", ()))),
        annotations=_named(spec, "auditAnnotations", "key", "valueExpression"),
    )


def read_binding(source: Any) -> Binding:
    """Decode and default a binding. Raises `InvalidPolicy` if it does not decode."""
    root = decoded(source, BINDING)
    spec = root.get("spec", {})
    return Binding(
        name=_name(root),
        metadata=root.get("metadata", {}),
        policy_name=spec.get("policyName", ""),
        param_ref=_param_ref(spec.get("paramRef")),
        resources=_match(spec.get("matchResources")),
        actions=tuple(map(NamedText, spec.get("validationActions", ()))),
    )


def _name(root: _Fields) -> str:
    return str(root.get("metadata", {}).get("name", ""))


def _named(spec: _Fields, key: str, name: str = "name", expression: str = "expression") -> tuple[Named, ...]:
    return tuple(Named(one.get(name, ""), one.get(expression, "")) for one in spec.get(key, ()))


def _validation(held: _Fields) -> Validation:
    message, message_expression = held.get("message", ""), held.get("messageExpression", "")
    return Validation(held.get("expression", ""), message, message_expression, _named_text(held.get("reason")))


def _match(held: _Fields | None) -> MatchResources | None:
    if held is None:
        return None
    return MatchResources(
        rules=tuple(map(_rule, held.get("resourceRules", ()))),
        excluded=tuple(map(_rule, held.get("excludeResourceRules", ()))),
        match_policy=NamedText(held.get("matchPolicy", "Equivalent")),
        namespaces=_selector(held.get("namespaceSelector")) or LabelSelector({}),
        objects=_selector(held.get("objectSelector")) or LabelSelector({}),
    )


def _rule(held: _Fields) -> ResourceRule:
    return ResourceRule(
        operations=tuple(map(NamedText, held.get("operations", ()))),
        groups=tuple(held.get("apiGroups", ())),
        versions=tuple(held.get("apiVersions", ())),
        resources=tuple(held.get("resources", ())),
        scope=NamedText(held.get("scope", "*")),
        names=tuple(held.get("resourceNames", ())),
    )


def _selector(held: _Fields | None) -> LabelSelector | None:
    if held is None:
        return None
    expressions = tuple(
        Requirement(one.get("key", ""), NamedText(one.get("operator", "")), tuple(one.get("values", ())))
        for one in held.get("matchExpressions", ())
    )
    return LabelSelector(held.get("matchLabels", {}), expressions)


def _param_ref(held: _Fields | None) -> ParamRef | None:
    if held is None:
        return None
    selector = _selector(held.get("selector"))
    not_found = _named_text(held.get("parameterNotFoundAction"))
    return ParamRef(held.get("name", ""), held.get("namespace", ""), selector, not_found)


def _named_text(value: str | None) -> str | None:
    return None if value is None else NamedText(value)
