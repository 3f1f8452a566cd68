"""ValidatingAdmissionPolicies that the caller gives, with their bindings and parameters."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import crd_schemas
from validators.base.json_types import JsonObject
from validators.bundled.bundled_policies import namespace_of
from validators.bundled.catalog import GroupVersionKind, gvk_of
from validators.go.text import quote
from validators.manifest.sources import Document
from validators.network.cluster_view import ClusterView
from validators.network.parse_values import dig, text_of
from validators.policy import (
    CompiledBinding,
    CompiledPolicy,
    InvalidPolicy,
    PolicyRequest,
    compile_binding,
    compile_policy,
)

_POLICY: Final = "ValidatingAdmissionPolicy"
_BINDING: Final = "ValidatingAdmissionPolicyBinding"
_GROUP: Final = "admissionregistration.k8s.io"


class BadPolicy(Exception):
    """A policy or a binding that the API server would refuse; the message has file, line and reason."""


class PolicyFinding(NamedTuple):
    """What a policy says of an object; it is a warning unless it ``denies``."""

    policy: str
    text: str
    denies: bool


class GivenPolicies:
    """Compiled policies and bindings; all other objects of the same files may be parameters."""

    def __init__(self, documents: Sequence[Document], params: Sequence[JsonObject], kubernetes: str) -> None:
        self._policies: list[CompiledPolicy] = []
        self._bindings: list[CompiledBinding] = []
        self._params: list[Mapping[str, Any]] = list(params)
        if not any(gvk_of(each.value)[::2] == (_GROUP, _POLICY) for each in documents):
            raise BadPolicy("--policies: the files contain no ValidatingAdmissionPolicy")
        for document in documents:
            kind = gvk_of(document.value)
            try:
                if (kind.group, kind.kind) == (_GROUP, _POLICY):
                    self._policies.append(compile_policy(document.value, kubernetes))
                elif (kind.group, kind.kind) == (_GROUP, _BINDING):
                    self._bindings.append(compile_binding(document.value, kubernetes))
                else:
                    self._params.append(document.value)
            except InvalidPolicy as error:
                first = error.errors[0]
                at = document.position(first.field)
                raise BadPolicy(f"{document.file}:{at.line}:{at.column}: {first.text}") from None

    def unbound(self) -> list[str]:
        """Return the names of policies without a binding, which have no effect."""
        bound = {binding.policy_name for binding in self._bindings}
        return [policy.name for policy in self._policies if policy.name not in bound]

    def judge(self, obj: JsonObject, old: JsonObject | None, view: ClusterView) -> Iterator[PolicyFinding]:
        """Yield the denials and warnings about an object as it would be stored."""
        kind = gvk_of(obj)
        request = PolicyRequest(
            "CREATE" if old is None else "UPDATE",
            kind.group,
            kind.version,
            resource_of(kind),
            kind.kind,
            object=obj,
            old_object=old,
            name=text_of(dig(obj, "metadata", "name")),
            namespace=text_of(dig(obj, "metadata", "namespace")),
        )
        namespace = namespace_of(request.namespace, view)
        for policy in self._policies:
            verdict = policy.evaluate(request, self._bindings, params=self._params, namespace=namespace)
            for denial in verdict.denials:
                if namespace is None and denial.message.endswith(f"namespaces {quote(request.namespace)} not found"):
                    yield _needs_namespace(policy.name, request.namespace)
                else:
                    yield PolicyFinding(policy.name, denial.text, denies=True)
            yield from (PolicyFinding(policy.name, text, denies=False) for text in verdict.warnings)


def _needs_namespace(policy: str, namespace: str) -> PolicyFinding:
    """What to say where the API server, which knows every namespace, would select by labels that are not given."""
    text = f"policy {policy} selects by the labels of Namespace {namespace}, which --inventory does not contain"
    return PolicyFinding(policy, f"{text}; it was not evaluated", denies=False)


def resource_of(kind: GroupVersionKind) -> str:
    """Return the resource of a kind: that of its bundled definition, else the usual one.

    Source: apimachinery, ``meta.UnsafeGuessKindToResource``.
    """
    if crd_schemas.paths(*kind):
        return crd_schemas.crd_name(*kind).partition(".")[0]
    name = kind.kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
