"""Decides whether a policy or binding matches a request: resource rules, scope, and label selectors.

Source: apiserver ``pkg/admission/plugin/policy/matching`` and ``plugin/webhook/predicates``. matchPolicy Equivalent is
treated as Exact: only the server knows the other versions of a resource.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ovnguard.validators.base.label_selectors import OPERATORS
from ovnguard.validators.go.text import quote
from ovnguard.validators.policy.policy import LabelSelector, MatchResources, ResourceRule
from ovnguard.validators.policy.request import PolicyRequest

_NEVER_JUDGED: Final = frozenset(
    {
        ("authentication.k8s.io", "selfsubjectreviews"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authorization.k8s.io", "localsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectrulesreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
        *(
            ("admissionregistration.k8s.io", f"{kind}admission{what}")
            for kind in ("validating", "mutating")
            for what in ("policies", "policybindings")
        ),
    }
)


NAME_LABEL: Final = "kubernetes.io/metadata.name"


class NoNamespace(LookupError):
    """A namespaceSelector applies, but the namespace of the request is unknown. The text is the server's."""


def exempt(request: PolicyRequest) -> bool:
    """Return whether policies never apply to this resource."""
    return (request.group, request.resource) in _NEVER_JUDGED


def matches(match: MatchResources, request: PolicyRequest, namespace: Mapping[str, Any] | None) -> bool:
    """Return whether the request matches. Raises `NoNamespace` only if everything else matches."""
    unknown = False
    try:
        if not _namespace_matches(match.namespaces, request, namespace):
            return False
    except NoNamespace:
        unknown = True
    if not _object_matches(match.objects, request):
        return False
    if any(_rule_matches(rule, request) for rule in match.excluded):
        return False
    if match.rules and not any(_rule_matches(rule, request) for rule in match.rules):
        return False
    if unknown:
        raise NoNamespace(f"namespaces {quote(request.namespace)} not found")
    return True


def selects(selector: LabelSelector, labels: Mapping[str, Any]) -> bool:
    """Return whether a label selector selects an object with these labels."""
    if any(labels.get(key) != value for key, value in selector.labels.items()):
        return False
    return all(OPERATORS[one.operator](labels, one.key, one.values) for one in selector.expressions)


def _is_empty(selector: LabelSelector) -> bool:
    return not selector.labels and not selector.expressions


def labels_of(obj: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the labels of an object, empty if it has none."""
    metadata = (obj or {}).get("metadata")
    found = metadata.get("labels") if isinstance(metadata, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _namespace_matches(selector: LabelSelector, request: PolicyRequest, namespace: Mapping[str, Any] | None) -> bool:
    if (not request.namespace and request.resource != "namespaces") or _is_empty(selector):
        return True
    if request.resource == "namespaces" and not request.subresource and request.operation in {"CREATE", "UPDATE"}:
        return selects(selector, labels_of(request.object))
    if namespace is not None:
        return selects(selector, labels_of(namespace))
    if {*selector.labels, *(one.key for one in selector.expressions)} == {NAME_LABEL}:
        # the API server gives every Namespace this label
        return selects(selector, {NAME_LABEL: request.namespace})
    raise NoNamespace


def _object_matches(selector: LabelSelector, request: PolicyRequest) -> bool:
    if _is_empty(selector):
        return True
    present = (one for one in (request.object, request.old_object) if one is not None)
    return any(selects(selector, labels_of(one)) for one in present)


def _rule_matches(rule: ResourceRule, request: PolicyRequest) -> bool:
    return (
        _in_scope(rule.scope, request)
        and _listed(rule.operations, request.operation)
        and _listed(rule.groups, request.group)
        and _listed(rule.versions, request.version)
        and any(_resource_matches(written, request) for written in rule.resources)
        and (not rule.names or request.name in rule.names)
    )


def _listed(values: Sequence[str], wanted: str) -> bool:
    return "*" in values or wanted in values


def _in_scope(scope: str, request: PolicyRequest) -> bool:
    cluster = request.is_namespace or not request.namespace
    return scope == "*" or cluster == (scope == "Cluster")


def _resource_matches(written: str, request: PolicyRequest) -> bool:
    resource, _, sub = written.partition("/")
    return resource in {"*", request.resource} and sub in {"*", request.subresource}
