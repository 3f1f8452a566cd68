"""Checks of matchConstraints, matchResources and label selectors.

Source: Kubernetes, ``pkg/apis/admissionregistration/validation``; apimachinery, ``apis/meta/v1/validation``.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from ovnguard.validators.base import object_names
from ovnguard.validators.base.field import OMITTED, ErrorType, FieldError, not_supported
from ovnguard.validators.policy.policy import LabelSelector, MatchResources, Requirement, ResourceRule

Errors: TypeAlias = list[FieldError]

_MATCH_POLICIES: Final = ("Equivalent", "Exact")
_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")


def required(path: str, detail: str = "") -> FieldError:
    """Return the error of a missing field."""
    return FieldError(ErrorType.REQUIRED, path, OMITTED, detail)


def invalid(path: str, value: object, detail: str) -> FieldError:
    """Return the error of a field with a wrong value."""
    return FieldError(ErrorType.INVALID, path, value, detail)


def named(path: str, value: str, complaints: Iterable[str]) -> Errors:
    """Return messages about a name as errors."""
    return [invalid(path, value, complaint) for complaint in complaints]


def check_match(match: MatchResources | None, path: str) -> Errors:
    """Return the errors of match resources, in the API server's order."""
    if match is None:
        return []
    errors: Errors = []
    if match.match_policy not in _MATCH_POLICIES:
        errors.append(not_supported(f"{path}.matchPolicy", match.match_policy, _MATCH_POLICIES))
    errors += check_selector(match.namespaces, f"{path}.namespaceSelector")
    errors += check_selector(match.objects, f"{path}.objectSelector")
    for index, rule in enumerate(match.rules):
        errors += _check_rule(rule, f"{path}.resourceRules[{index}]")
    for index, rule in enumerate(match.excluded):
        errors += _check_rule(rule, f"{path}.excludeResourceRules[{index}]")
    return errors


def check_selector(selector: LabelSelector, path: str) -> Errors:
    """Return the errors of a label selector."""
    errors: Errors = []
    for key, value in selector.labels.items():
        errors += named(f"{path}.matchLabels", key, object_names.label_key(key))
        errors += named(f"{path}.matchLabels", value, object_names.label_value(value))
    for index, one in enumerate(selector.expressions):
        errors += _check_requirement(one, f"{path}.matchExpressions[{index}]")
    return errors


def _check_requirement(one: Requirement, path: str) -> Errors:
    errors: Errors = []
    if one.operator in {"In", "NotIn"}:
        if not one.values:
            errors.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif one.operator in {"Exists", "DoesNotExist"}:
        if one.values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(FieldError(ErrorType.FORBIDDEN, f"{path}.values", OMITTED, detail))
    else:
        errors.append(invalid(f"{path}.operator", one.operator, "not a valid selector operator"))
    errors += named(f"{path}.key", one.key, object_names.label_key(one.key))
    for index, value in enumerate(one.values):
        errors += named(f"{path}.values[{index}]", value, object_names.label_value(value))
    return errors


def _check_rule(rule: ResourceRule, path: str) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for index, name in enumerate(rule.names):
        where = f"{path}.resourceNames[{index}]"
        errors += named(where, name, object_names.path_segment(name))
        if name in seen:
            errors.append(FieldError(ErrorType.DUPLICATE, where, name))
        seen.add(name)
    errors += _check_list(rule.operations, f"{path}.operations", "operations")
    for index, operation in enumerate(rule.operations):
        if operation not in _OPERATIONS:
            errors.append(not_supported(f"{path}.operations[{index}]", operation, _OPERATIONS))
    errors += _check_list(rule.groups, f"{path}.apiGroups", "API groups")
    errors += _check_list(rule.versions, f"{path}.apiVersions", "API versions")
    errors += [required(f"{path}.apiVersions[{at}]") for at, version in enumerate(rule.versions) if not version]
    errors += _check_resources(rule.resources, f"{path}.resources")
    if rule.scope not in _SCOPES:
        errors.append(not_supported(f"{path}.scope", rule.scope, _SCOPES))
    return errors


def _check_list(values: Sequence[str], path: str, what: str) -> Errors:
    if not values:
        return [required(path)]
    if len(values) > 1 and "*" in values:
        return [invalid(path, list(values), f"if '*' is present, must not specify other {what}")]
    return []


def _check_resources(resources: Sequence[str], path: str) -> Errors:
    errors: Errors = [] if resources else [required(path)]
    all_below: set[str] = set()
    below_all: set[str] = set()
    for index, written in enumerate(resources):
        where = f"{path}[{index}]"
        resource, slash, sub = written.partition("/")
        if not written:
            errors.append(required(where))
        if not slash:
            continue
        if resource in all_below:
            errors.append(invalid(where, written, f"if '{resource}/*' is present, must not specify {written}"))
        if sub in below_all:
            errors.append(invalid(where, written, f"if '*/{sub}' is present, must not specify {written}"))
        if sub == "*":
            all_below.add(resource)
        if resource == "*":
            below_all.add(sub)
    if len(resources) > 1 and "*/*" in resources:
        errors.append(invalid(path, list(resources), "if '*/*' is present, must not specify other resources"))
    # The API server only checks the last entry without a subresource, and so does this function.
    plain = [written for written in resources if written and "/" not in written]
    if "*" in plain and plain[-1] != "*":
        detail = "if '*' is present, must not specify other resources without subresources"
        errors.append(invalid(path, list(resources), detail))
    return errors
