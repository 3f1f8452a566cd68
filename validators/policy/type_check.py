"""Type-check expressions of a policy against the schemas of the kinds that it matches: the warnings of its status.

Source: apiserver ``pkg/admission/plugin/policy/validating`` (typechecking.go). A policy with warnings
is in force all the same: at run time, objects have no schema.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import DEFAULT_KUBERNETES
from ovnguard.validators.cel import expression_compiler
from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.checking.environments import minor_of
from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.declaration import Decl, declare
from ovnguard.validators.cel.types.static_types import Type
from ovnguard.validators.policy.policy import ParamKind, Policy, ResourceRule
from ovnguard.validators.policy.variables import (
    AUTHORIZER,
    NAMESPACE,
    OBJECT,
    OLD_OBJECT,
    PARAMS,
    REQUEST,
    VARIABLES,
    authorizer_type,
    namespace_type,
    object_type,
    request_type,
    variable_type,
)

MAX_TYPES: Final = 10
_VARIABLES_SINCE: Final = 30
"""Before, the check declares no variables: every expression that reads one gets a warning."""
_UNKNOWN_PARAMS_SINCE: Final = 36
"""The minor number of the first release whose expressions may use parameters of a kind without a schema."""
_TEXT: Final = {"type": "string"}
_TIME: Final = {"type": "string", "format": "date-time"}
_NUMBER: Final = {"type": "integer", "format": "int64"}
_SWITCH: Final = {"type": "boolean"}
_TEXTS: Final = {"type": "object", "additionalProperties": _TEXT}
_MANAGED: Final = {
    **dict.fromkeys(("apiVersion", "fieldsType", "manager", "operation", "subresource"), _TEXT),
    "fieldsV1": {"type": "object"},
    "time": _TIME,
}
_OWNER: Final = {
    **dict.fromkeys(("apiVersion", "kind", "name", "uid"), _TEXT),
    **dict.fromkeys(("blockOwnerDeletion", "controller"), _SWITCH),
}
# Source: Kubernetes API reference, ObjectMeta.
_META: Final = {
    **dict.fromkeys(("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"), _TEXT),
    **dict.fromkeys(("annotations", "labels"), _TEXTS),
    **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), _TIME),
    **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), _NUMBER),
    "finalizers": {"type": "array", "items": _TEXT},
    "managedFields": {"type": "array", "items": {"type": "object", "properties": _MANAGED}},
    "ownerReferences": {"type": "array", "items": {"type": "object", "properties": _OWNER}},
}


class KnownKind(NamedTuple):
    """A kind as discovery names it, with the OpenAPI schema that the API server publishes."""

    group: str
    version: str
    kind: str
    resource: str
    schema: Mapping[str, Any]
    singular: str = ""
    """The singular of ``resource``; empty for the kind in small letters."""

    @property
    def text(self) -> str:
        """The kind as Go prints a GroupVersionKind."""
        return f"{self.group}/{self.version}, Kind={self.kind}"

    @property
    def names(self) -> frozenset[str]:
        """The names under which a rule finds the kind."""
        return frozenset({self.resource, self.singular or self.kind.lower()})


def published(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a definition as the API server publishes it, with all metadata."""
    properties = schema.get("properties") or {}
    head = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": {"type": "object", "properties": _META}}
    return {**schema, "properties": {**properties, **head}}


class ExpressionWarning(NamedTuple):
    """An entry of ``status.typeChecking.expressionWarnings``."""

    field: str
    text: str


class TypeChecker:
    """Checks policies that compile, for the ``kinds`` that are known.

    The server checks validations and their message expressions only. Kinds that a rule matches by ``*`` and those
    without a schema are left out. Raises ValueError for an unknown release.
    """

    def __init__(self, kinds: Sequence[KnownKind], kubernetes: str = DEFAULT_KUBERNETES) -> None:
        self._kinds = kinds
        self._minor = minor_of(kubernetes)
        self._declared: dict[tuple[str, str], Decl] = {}

    def warnings(self, policy: Policy) -> tuple[ExpressionWarning, ...]:
        """Return the warnings about a policy, in the server's order."""
        matched = _matched(policy, self._kinds)
        params = self._params(policy.param_kind, {kind.kind for kind in matched})
        scopes = [(kind, _scope(policy, self._declaration(kind, kind.kind), params, self._minor)) for kind in matched]
        found = []
        for index, each in enumerate(policy.validations):
            for key, text in (("expression", each.expression), ("messageExpression", each.message_expression)):
                issues = [f"{kind.text}: {issue}\n" for kind, scope in scopes if text and (issue := scope.issue(text))]
                if issues:
                    found.append(ExpressionWarning(f"spec.validations[{index}].{key}", "\n".join(issues)))
        return tuple(found)

    def _params(self, wanted: ParamKind | None, taken: Collection[str]) -> Decl | None:
        """The type of ``params``, which never is that of an object; None if expressions cannot name it."""
        if wanted is None:
            return None
        for each in self._kinds:
            if _api_version(each) == wanted.api_version and each.kind == wanted.kind:
                return self._declaration(each, f"{each.kind}2" if each.kind in taken else each.kind)
        return None if self._minor < _UNKNOWN_PARAMS_SINCE else declare({"x-kubernetes-preserve-unknown-fields": True})

    def _declaration(self, kind: KnownKind, name: str) -> Decl:
        key = kind.text, name
        if key not in self._declared:
            self._declared[key] = declare(kind.schema, root=True, name=name, release=self._minor)
        return self._declared[key]


class _Scope(NamedTuple):
    variables: Mapping[str, Type]
    objects: Mapping[str, Decl]
    minor: int

    def checked(self, text: str) -> CheckedExpression:
        return expression_compiler.check_expression(text, self.variables, self.objects, self.minor)

    def issue(self, text: str) -> str:
        """Return why an expression does not compile, empty if it does."""
        try:
            self.checked(text)
        except expression_compiler.CompileError as fault:
            return fault.text
        return ""


def _scope(policy: Policy, held: Decl, params: Decl | None, minor: int) -> _Scope:
    declared = {OBJECT: held, OLD_OBJECT: held, REQUEST: request_type(), NAMESPACE: namespace_type()}
    if params is not None:
        declared[PARAMS] = params
    known: dict[str, Type] = {}
    scope = _with(declared, known, minor)
    for variable in policy.variables if minor >= _VARIABLES_SINCE else ():
        try:
            known[variable.name] = variable_type(scope.checked(variable.expression).result)
        except expression_compiler.CompileError:
            known[variable.name] = types.DYN
        scope = _with(declared, known, minor)
    return scope


def _with(declared: Mapping[str, Decl], known: Mapping[str, Type], minor: int) -> _Scope:
    composed = {VARIABLES: object_type("kubernetes.variables", known)} if minor >= _VARIABLES_SINCE else {}
    held = {**declared, **composed}
    objects: dict[str, Decl] = {}
    for decl in held.values():
        expression_compiler.objects_of(decl, objects)
    variables = {name: decl.type or types.DYN for name, decl in held.items()}
    return _Scope({**variables, AUTHORIZER: authorizer_type()}, objects, minor)


def _matched(policy: Policy, kinds: Iterable[KnownKind]) -> list[KnownKind]:
    """Return the kinds that rules name, in order. The server stops at ten kinds of a rule.

    Its mapping of resources to kinds finds those of every group for the group "", and takes singulars, too.
    """
    by_resource: dict[tuple[str, str, str], list[KnownKind]] = {}
    for one in kinds:
        for group, name in product({one.group, ""}, one.names):
            by_resource.setdefault((group, one.version, name), []).append(one)
    found: dict[str, KnownKind] = {}
    for rule in policy.constraints.rules if policy.constraints else ():
        named = [one for key in _resources(rule) for one in by_resource.get(key, ())]
        found |= {one.text: one for one in named[:MAX_TYPES]}
        if len(named) >= MAX_TYPES:
            break
    return sorted(found.values(), key=lambda one: (one.group, one.version, one.kind))


def _resources(rule: ResourceRule) -> Iterator[tuple[str, str, str]]:
    if any("*" in one for one in (*rule.groups, *rule.versions)):
        return
    plain = sorted(one for one in rule.resources if "*" not in one and "/" not in one)
    for group in sorted(rule.groups):
        for version in sorted(rule.versions):
            for resource in plain:
                yield group, version, resource.lower()


def _api_version(one: KnownKind) -> str:
    return f"{one.group}/{one.version}" if one.group else one.version
