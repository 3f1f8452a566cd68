"""Checks of a policy and of a binding, as the API server makes them before it stores one.

Source: Kubernetes, ``pkg/apis/admissionregistration/validation`` (validation.go); texts and order are the same. New
expressions are checked in the environment of the minor release before.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from ovnguard.validators.base import object_names
from ovnguard.validators.base.cel_names import RESERVED
from ovnguard.validators.base.field import OMITTED, ErrorType, FieldError, not_supported, too_many
from ovnguard.validators.cel.checking.environments import OLDEST
from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.go.text import Struct
from ovnguard.validators.policy.check_match import Errors, check_match, check_selector, invalid, named, required
from ovnguard.validators.policy.policy import (
    Binding,
    MatchResources,
    Named,
    ParamKind,
    ParamRef,
    Policy,
    Validation,
)
from ovnguard.validators.policy.policy_update import (
    BINDINGS,
    POLICIES,
    check_changes,
    stored_expressions,
    written_metadata,
)
from ovnguard.validators.policy.variables import CompileFault, Environment, Expression, compile_text, variable_type
from ovnguard.validators.structural.metadata.metadata_check import check_create

FAILURE_POLICIES: Final = ("Fail", "Ignore")
REASONS: Final = ("Forbidden", "Invalid", "RequestEntityTooLarge")
ACTIONS: Final = ("Audit", "Deny", "Warn")
MAX_CONDITIONS: Final = 64
MAX_ANNOTATIONS: Final = 20
MAX_VALUE_EXPRESSION: Final = 5 * 1024
_IDENTIFIER: Final = re.compile(r"[_a-zA-Z][_a-zA-Z0-9]*")


def check_policy(policy: Policy, minor: int, old: Policy | None = None) -> Errors:
    """Return the errors of a new policy, or of an update of ``old``, in the API server's order."""
    return _PolicyCheck(policy, minor, old).run()


def check_binding(binding: Binding, minor: int, old: Binding | None = None) -> Errors:
    """Return the errors of a new binding, or of an update of ``old``, in the API server's order."""
    errors = _check_meta(binding.metadata, minor)
    if old is not None:
        errors = [*check_changes(BINDINGS, binding.metadata, old.metadata, minor), *errors]
    if not binding.policy_name:
        errors.append(required("spec.policyName"))
    else:
        errors += named("spec.policyName", binding.policy_name, object_names.resource_name(binding.policy_name))
    errors += _check_param_ref(binding.param_ref, "spec.paramRef")
    errors += check_match(binding.resources, "spec.matchResources")
    return errors + _check_actions(binding.actions, "spec.validationActions")


def _check_meta(metadata: Mapping[str, Any], release: int) -> Errors:
    return check_create(
        written_metadata(metadata), namespaced=False, name_rule=object_names.resource_name, release=release
    )


class _PolicyCheck:
    def __init__(self, policy: Policy, minor: int, old: Policy | None = None) -> None:
        self.policy = policy
        self.old = old
        self.stored = stored_expressions(old)
        self.release = minor
        self.errors: Errors = []
        self.variables: dict[str, types.Type] = {}

    def run(self) -> Errors:
        """Check everything."""
        policy, old = self.policy, self.old
        if old is not None:
            self.errors += check_changes(POLICIES, policy.metadata, old.metadata, self.release)
        self.errors += _check_meta(policy.metadata, self.release)
        if policy.failure_policy not in FAILURE_POLICIES:
            self.errors.append(not_supported("spec.failurePolicy", policy.failure_policy, FAILURE_POLICIES))
        if policy.param_kind is not None:
            self.errors += _check_param_kind(policy.param_kind, "spec.paramKind")
        self.errors += _check_constraints(policy.constraints)
        if old is None or (policy.param_kind, policy.conditions) != (old.param_kind, old.conditions):
            self._conditions()
        for index, variable in enumerate(policy.variables):
            self._variable(variable, f"spec.variables[{index}]")
        if not policy.validations and not policy.annotations:
            detail = "validations or auditAnnotations must contain at least one item"
            self.errors += [required(f"spec.{key}", detail) for key in ("validations", "auditAnnotations")]
        for index, validation in enumerate(policy.validations):
            self._validation(validation, f"spec.validations[{index}]")
        self._annotations()
        return self.errors

    def _environment(self, *, stored: bool, authorizer: bool = True, composed: bool = True) -> Environment:
        variables = self.variables if composed and self.policy.variables else None
        libraries = self.release if stored else max(self.release - 1, OLDEST)
        return Environment(libraries, self.policy.param_kind is not None, authorizer, variables, self.release)

    def _compile(self, text: str, path: str, environment: Environment, *wanted: types.Type) -> Expression | None:
        found = compile_text(text, environment, *wanted)
        if isinstance(found, CompileFault):
            self.errors.append(found.at(path, text))
            return None
        return found

    def _conditions(self) -> None:
        found, path = self.policy.conditions, "spec.matchConditions"
        if len(found) > MAX_CONDITIONS:
            self.errors.append(too_many(path, len(found), MAX_CONDITIONS))
        seen: set[str] = set()
        for index, condition in enumerate(found):
            where = f"{path}[{index}]"
            text = condition.expression.strip()
            if text:
                environment = self._environment(stored=text in self.stored.conditions, composed=False)
                self._compile(text, f"{where}.expression", environment, types.BOOL)
            else:
                self.errors.append(required(f"{where}.expression"))
            if not condition.name:
                self.errors.append(required(f"{where}.name"))
                continue
            self.errors += named(f"{where}.name", condition.name, object_names.label_key(condition.name))
            if condition.name in seen:
                self.errors.append(FieldError(ErrorType.DUPLICATE, f"{where}.name", condition.name))
            seen.add(condition.name)

    def _variable(self, variable: Named, path: str) -> None:
        name = variable.name
        if not name.strip():
            self.errors.append(required(f"{path}.name", "name is not specified"))
        elif _IDENTIFIER.fullmatch(name) is None or name in RESERVED:
            self.errors.append(invalid(f"{path}.name", name, "must be a valid CEL identifier"))
        if not variable.expression.strip():
            self.errors.append(required(f"{path}.expression", "expression is not specified"))
            return
        # the server compares variables with the expressions of validations
        environment = self._environment(stored=variable.expression in self.stored.validations)
        made = self._compile(variable.expression, f"{path}.expression", environment)
        self.variables[name] = types.DYN if made is None else variable_type(made.result)

    def _validation(self, validation: Validation, path: str) -> None:
        text, expression, message = validation.expression, validation.message_expression, validation.message
        if text.strip():
            environment = self._environment(stored=text in self.stored.validations)
            self._compile(text, f"{path}.expression", environment, types.BOOL)
        else:
            self.errors.append(required(f"{path}.expression", "expression is not specified"))
        if expression.strip():
            environment = self._environment(stored=expression in self.stored.messages, authorizer=False)
            self._compile(expression, f"{path}.messageExpression", environment, types.STRING)
        elif expression:
            self.errors.append(invalid(f"{path}.messageExpression", expression, "must be non-empty if specified"))
        if message and not message.strip():
            self.errors.append(invalid(f"{path}.message", message, "must be non-empty if specified"))
        elif re.search(r"[\n\r]", message.strip()):
            self.errors.append(invalid(f"{path}.message", message, "must not contain line breaks"))
        if validation.reason is not None and validation.reason not in REASONS:
            self.errors.append(not_supported(f"{path}.reason", validation.reason, REASONS))

    def _annotations(self) -> None:
        found, path = self.policy.annotations, "spec.auditAnnotations"
        if len(found) > MAX_ANNOTATIONS:
            shown = [Struct(Key=one.name, ValueExpression=one.expression) for one in found]
            self.errors.append(invalid(path, shown, f"must not have more than {MAX_ANNOTATIONS} auditAnnotations"))
        seen: set[str] = set()
        for index, annotation in enumerate(found):
            self._annotation(annotation, f"{path}[{index}]")
            if annotation.name in seen:
                self.errors.append(FieldError(ErrorType.DUPLICATE, f"{path}[{index}].key", annotation.name))
            seen.add(annotation.name)

    def _annotation(self, annotation: Named, path: str) -> None:
        if self.policy.name:
            key = f"{self.policy.name}/{annotation.name}"
            self.errors += named(f"{path}.key", key, object_names.label_key(key))
        else:
            self.errors.append(invalid(f"{path}.key", annotation.name, "requires metadata.name be non-empty"))
        text, where = annotation.expression.strip(), f"{path}.valueExpression"
        if not text:
            self.errors.append(required(where, "valueExpression is not specified"))
        elif len(text.encode()) > MAX_VALUE_EXPRESSION:
            self.errors.append(required(where, f"must not exceed {MAX_VALUE_EXPRESSION} bytes in length"))
        else:
            environment = self._environment(stored=annotation.expression in self.stored.annotations)
            found = compile_text(text, environment, types.STRING, types.NULL)
            if isinstance(found, CompileFault):
                self.errors.append(found.at(where, annotation.expression))


def _check_constraints(constraints: MatchResources | None) -> Errors:
    path = "spec.matchConstraints"
    if constraints is None:
        return [required(path)]
    errors = check_match(constraints, path)
    return errors if constraints.rules else [*errors, required(f"{path}.resourceRules")]


def _check_param_kind(held: ParamKind, path: str) -> Errors:
    errors: Errors = []
    where = f"{path}.apiVersion"
    group, _, version = held.api_version.rpartition("/")
    if not held.api_version:
        errors.append(required(where))
    elif "/" in group:
        errors.append(invalid(where, held.api_version, f"unexpected GroupVersion string: {held.api_version}"))
    else:
        if group and (complaints := object_names.dns1123_subdomain(group)):
            errors.append(invalid(where, group, ",".join(complaints)))
        if not version:
            errors.append(invalid(where, held.api_version, "version must be specified"))
        elif complaints := object_names.dns1035_label(version):
            errors.append(invalid(where, version, ",".join(complaints)))
    if not held.kind:
        errors.append(required(f"{path}.kind"))
    elif complaints := object_names.dns1035_label(held.kind.lower()):
        detail = "may have mixed case, but should otherwise match: " + ",".join(complaints)
        errors.append(invalid(f"{path}.kind", held.kind, detail))
    return errors


def _check_param_ref(ref: ParamRef | None, path: str) -> Errors:
    if ref is None:
        return []
    errors: Errors = []
    exclusive = "name and selector are mutually exclusive"
    if ref.name:
        errors += named(f"{path}.name", ref.name, object_names.path_segment(ref.name))
        if ref.selector is not None:
            errors.append(FieldError(ErrorType.FORBIDDEN, f"{path}.name", OMITTED, exclusive))
    if ref.selector is not None:
        errors += check_selector(ref.selector, f"{path}.selector")
        if ref.name:
            errors.append(FieldError(ErrorType.FORBIDDEN, f"{path}.selector", OMITTED, exclusive))
    if not ref.name and ref.selector is None:
        errors.append(required(path, "one of name or selector must be specified"))
    if not ref.not_found:
        errors.append(required(f"{path}.parameterNotFoundAction"))
    elif ref.not_found not in {"Deny", "Allow"}:
        errors.append(not_supported(f"{path}.parameterNotFoundAction", ref.not_found, ("Deny", "Allow")))
    return errors


def _check_actions(actions: tuple[str, ...], path: str) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for index, action in enumerate(actions):
        if action not in ACTIONS:
            errors.append(not_supported(f"{path}[{index}]", action, ACTIONS))
        if action in seen:
            errors.append(FieldError(ErrorType.DUPLICATE, f"{path}[{index}]", action))
        seen.add(action)
    if {"Deny", "Warn"} <= seen:
        detail = (
            "must not contain both Deny and Warn (repeating the same validation failure information in the API "
            "response and headers serves no purpose)"
        )
        errors.append(invalid(path, list(actions), detail))
    if not actions:
        errors.append(required(path, "at least one validation action is required"))
    return errors
