"""The bundled ValidatingAdmissionPolicies in a judgement: their decisions as if they were deployed.

They get the variables that the API server would set: object, oldObject, operation, user and, if the view has it, the
namespace. `validators.bundled.policy_kinds` lists the kinds that they match, so that other objects do not import this
module.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from yaml import CSafeLoader, load_all

from ovnguard import crd_schemas
from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked
from ovnguard.validators.bundled.policy_kinds import NAMESPACED, WATCHED
from ovnguard.validators.network.cluster_view import NAMESPACE, ClusterView, GroupKind

if TYPE_CHECKING:
    from ovnguard.validators.policy import CompiledBinding, CompiledPolicy, Decision, PolicyRequest

_LISTED: Final = "ovnguard.io/validations"
_NAME_LABEL: Final = "kubernetes.io/metadata.name"


class Validation(NamedTuple):
    """The id of a validation, ``<policy>/<name>``, and the field that its findings name."""

    id: str
    field: str


class PolicyFindings(NamedTuple):
    """The findings of policies on a request."""

    errors: tuple[FieldError, ...] = ()
    warnings: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()


@dataclass(frozen=True, slots=True)
class BundledPolicy:
    """A policy with its binding, compiled: ``name`` is that of its file in the folder ``policies``, without ``.yaml``.

    ``source`` is the source of the policy; it is shared: do not change it.
    """

    name: str
    file: str
    source: JsonObject
    compiled: "CompiledPolicy"
    binding: "CompiledBinding"
    validations: tuple[Validation, ...]
    denies: bool
    asks_namespace: bool

    def decide(
        self, obj: JsonObject | None, old: JsonObject | None, *, namespace: JsonObject | None = None
    ) -> tuple["Decision", ...]:
        """Return the decision of each validation on a request; none where the policy does not match it.

        ``obj`` is None for a deletion. Without ``namespace`` the namespace has only its name.
        """
        operation = "DELETE" if obj is None else "CREATE" if old is None else "UPDATE"
        request = request_of(operation, obj, old)
        return () if request is None else self.judge(request, namespace or _unknown_namespace(request))

    def judge(self, request: "PolicyRequest", namespace: Mapping[str, Any] | None) -> tuple["Decision", ...]:
        """As `decide`, for a policy request."""
        return self.compiled.evaluate(request, [self.binding], namespace=namespace).decisions


def judge_by_policies(
    kind: GroupKind,
    operation: str,
    obj: JsonObject | None,
    old: JsonObject | None,
    view: ClusterView,
    *,
    subresource: str = "",
    user: str = "",
) -> PolicyFindings:
    """Return the findings of the bundled policies on a request for an object of ``kind``; no ``obj`` is a deletion.

    Raises KeyError for a kind that no policy matches (`validators.bundled.policy_kinds.has_policies_for`).
    """
    request = request_of(operation, obj, old, subresource=subresource, user=user)
    if request is None:
        return PolicyFindings()
    known = None if kind == NAMESPACE else namespace_of(request.namespace, view)
    errors: list[FieldError] = []
    warnings: list[FieldError] = []
    notes: list[str] = []
    unchecked: list[Unchecked] = []
    for policy in map(bundled_policy, WATCHED[kind].files):
        decisions = policy.judge(request, known or _unknown_namespace(request))
        if decisions and policy.asks_namespace and known is None:
            unchecked.append(Unchecked(("namespaces",), (policy.compiled.name,)))
            continue
        findings = errors if policy.denies else warnings
        for named, decision in zip(policy.validations, decisions, strict=True) if decisions else ():
            if decision.evaluation == "deny":
                findings.append(FieldError(ErrorType.INVALID, named.field, detail=decision.message, rule=named.id))
            elif decision.evaluation == "error":
                notes.append(f"not checked: {decision.message} ({named.id})")
    return PolicyFindings(tuple(errors), tuple(warnings), tuple(notes), tuple(unchecked))


def request_of(
    operation: str, obj: JsonObject | None, old: JsonObject | None, *, subresource: str = "", user: str = ""
) -> "PolicyRequest | None":
    """Return the request as policies see it; None without an object, or for a kind that no policy matches."""
    from ovnguard.validators.policy import PolicyRequest, UserInfo  # no policy matches most objects

    subject = old if obj is None else obj
    if subject is None:
        return None
    group, _, version = str(subject.get("apiVersion", "")).rpartition("/")
    kind = GroupKind(group, str(subject.get("kind", "")))
    watched = WATCHED.get(kind)
    if watched is None:
        return None
    metadata = _mapping(subject.get("metadata"))
    name = str(metadata.get("name") or "")
    namespace = str(metadata.get("namespace") or "default") if watched.scope == NAMESPACED else ""
    return PolicyRequest(
        str(operation),
        group,
        version,
        watched.resource,
        kind.kind,
        object=obj,
        old_object=old,
        name=name,
        namespace=name if kind == NAMESPACE else namespace,
        subresource=subresource,
        user=UserInfo(user),
    )


def all_policies() -> Iterator[BundledPolicy]:
    """Iterate over every policy, in the order of the table."""
    files = dict.fromkeys(name for watched in WATCHED.values() for name in watched.files)
    yield from map(bundled_policy, files)


@cache
def bundled_policy(name: str) -> BundledPolicy:
    """Return the policy of a file of the folder ``policies``, without its ending. FileNotFoundError for none."""
    from ovnguard.validators.policy import compile_binding, compile_policy

    file = f"policies/{name}.yaml"
    source, binding = load_all(crd_schemas.read(file), CSafeLoader)
    compiled = compile_policy(source)
    lines = source["metadata"]["annotations"][_LISTED].split("\n")
    named = (line.split() for line in lines if line)
    return BundledPolicy(
        name,
        file,
        source,
        compiled,
        compile_binding(binding),
        tuple(Validation(f"{compiled.name}/{each}", field) for each, field in named),
        "Deny" in binding["spec"]["validationActions"],
        any("namespaceObject" in each["expression"] for each in source["spec"]["validations"]),
    )


def namespace_of(name: str, view: ClusterView) -> JsonObject | None:
    """Return the Namespace of the view, with the label that the API server adds to each; None if it is unknown."""
    found: Sequence[JsonObject] = view.objects(NAMESPACE) or () if name else ()
    for each in found:
        metadata = _mapping(each.get("metadata"))
        if metadata.get("name") == name:
            labels = {**_mapping(metadata.get("labels")), _NAME_LABEL: name}
            return {**each, "metadata": {**metadata, "labels": labels}}
    return None


def _unknown_namespace(request: "PolicyRequest") -> JsonObject | None:
    name = request.namespace
    return {"metadata": {"name": name, "labels": {_NAME_LABEL: name}}} if name else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
