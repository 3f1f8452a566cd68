"""ValidatingAdmissionPolicy and its binding as values, with the defaults of admissionregistration.k8s.io/v1.

Source: Kubernetes API reference, ValidatingAdmissionPolicy v1 and ValidatingAdmissionPolicyBinding v1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from validators.policy.decode import Node, read_root

POLICY = "ValidatingAdmissionPolicy"
BINDING = "ValidatingAdmissionPolicyBinding"


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
    metadata: object
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
    metadata: object
    policy_name: str
    param_ref: ParamRef | None
    resources: MatchResources | None
    actions: tuple[str, ...]


def read_policy(source: Mapping[str, Any]) -> Policy:
    """Decode and default a policy. Raises `InvalidPolicy` if it does not decode."""
    root = read_root(source, POLICY)
    spec = root.node("spec") or Node({}, "spec")
    kind = spec.node("paramKind")
    failure = spec.maybe_text("failurePolicy")
    return Policy(
        name=_name(root),
        metadata=source.get("metadata"),
        failure_policy="Fail" if failure is None else failure,
        param_kind=None if kind is None else ParamKind(kind.text("apiVersion"), kind.text("kind")),
        constraints=_match(spec.node("matchConstraints")),
        conditions=_named(spec, "matchConditions"),
        variables=_named(spec, "variables"),
        validations=tuple(map(_validation, spec.nodes("validations"))),
        annotations=_named(spec, "auditAnnotations", "key", "valueExpression"),
    )


def read_binding(source: Mapping[str, Any]) -> Binding:
    """Decode and default a binding. Raises `InvalidPolicy` if it does not decode."""
    root = read_root(source, BINDING)
    spec = root.node("spec") or Node({}, "spec")
    return Binding(
        name=_name(root),
        metadata=source.get("metadata"),
        policy_name=spec.text("policyName"),
        param_ref=_param_ref(spec.node("paramRef")),
        resources=_match(spec.node("matchResources")),
        actions=spec.texts("validationActions"),
    )


def _name(root: Node) -> str:
    metadata = root.node("metadata")
    return "" if metadata is None else metadata.text("name")


def _named(spec: Node, key: str, name: str = "name", expression: str = "expression") -> tuple[Named, ...]:
    return tuple(Named(one.text(name), one.text(expression)) for one in spec.nodes(key))


def _validation(node: Node) -> Validation:
    message, message_expression = node.text("message"), node.text("messageExpression")
    return Validation(node.text("expression"), message, message_expression, node.maybe_text("reason"))


def _match(node: Node | None) -> MatchResources | None:
    if node is None:
        return None
    policy = node.maybe_text("matchPolicy")
    return MatchResources(
        rules=tuple(map(_rule, node.nodes("resourceRules"))),
        excluded=tuple(map(_rule, node.nodes("excludeResourceRules"))),
        match_policy="Equivalent" if policy is None else policy,
        namespaces=_selector(node.node("namespaceSelector")) or LabelSelector({}),
        objects=_selector(node.node("objectSelector")) or LabelSelector({}),
    )


def _rule(node: Node) -> ResourceRule:
    scope = node.maybe_text("scope")
    return ResourceRule(
        operations=node.texts("operations"),
        groups=node.texts("apiGroups"),
        versions=node.texts("apiVersions"),
        resources=node.texts("resources"),
        scope="*" if scope is None else scope,
        names=node.texts("resourceNames"),
    )


def _selector(node: Node | None) -> LabelSelector | None:
    if node is None:
        return None
    found = node.nodes("matchExpressions")
    expressions = tuple(Requirement(one.text("key"), one.text("operator"), one.texts("values")) for one in found)
    return LabelSelector(node.text_map("matchLabels"), expressions)


def _param_ref(node: Node | None) -> ParamRef | None:
    if node is None:
        return None
    selector = _selector(node.node("selector"))
    return ParamRef(node.text("name"), node.text("namespace"), selector, node.maybe_text("parameterNotFoundAction"))
