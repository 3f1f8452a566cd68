"""ValidatingAdmissionPolicies that the caller gives, with their bindings and parameters."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ovnguard import crd_schemas
from ovnguard.validators.base.field import minor
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked
from ovnguard.validators.built_in.schemas import kinds_of_release, schema_of
from ovnguard.validators.bundled.bundled_policies import namespace_of
from ovnguard.validators.bundled.catalog import AUTO, gvk_of
from ovnguard.validators.bundled.resource_names import resource_of
from ovnguard.validators.cli.built_in_kinds import is_namespaced
from ovnguard.validators.cli.policy_documents import judge_policy, judge_served_policy
from ovnguard.validators.cli.unjudged_objects import POLICY_GROUP, is_mutating, is_validating, mutating_finding
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.validators.network.parse_values import dig, text_of
from ovnguard.validators.policy import (
    CompiledBinding,
    CompiledPolicy,
    PolicyRequest,
)
from ovnguard.validators.policy.decode import POLICY
from ovnguard.validators.policy.policy import Policy
from ovnguard.validators.policy.type_check import KnownKind, TypeChecker, published
from ovnguard.validators.report.findings import Finding

_DEFAULT: Final = "default"
"""kubectl's namespace of manifests that name none."""


class BadPolicy(Exception):
    """The files contain no policy; the message says so."""


class PolicyFinding(NamedTuple):
    """What a policy says of an object; it is a warning unless it ``denies``."""

    policy: str
    text: str
    denies: bool


class PolicyFindings(NamedTuple):
    """What policies say of an object, and which of them lack a fact about the cluster."""

    findings: Sequence[PolicyFinding] = ()
    unchecked: tuple[Unchecked, ...] = ()


class GivenPolicies:
    """Compiled policies and bindings; all other objects of the same files may be parameters.

    ``findings`` are about the ``documents`` themselves: a policy that the API server refuses judges nothing.
    """

    def __init__(self, documents: Sequence[Document], params: Sequence[JsonObject], kubernetes: str) -> None:
        self.documents = documents
        self.findings: list[Finding] = []
        self._policies: list[CompiledPolicy] = []
        self._bindings: list[CompiledBinding] = []
        self._params: list[Mapping[str, Any]] = list(params)
        self._bound: set[str] = set()
        kinds = [gvk_of(each.value) for each in documents]
        if not any(kind[::2] == (POLICY_GROUP, POLICY) or is_mutating(kind) for kind in kinds):
            raise BadPolicy("--policies: the files contain no ValidatingAdmissionPolicy")
        for document, kind in zip(documents, kinds, strict=True):
            if is_mutating(kind):
                self.findings.append(mutating_finding(document))
            elif is_validating(kind):
                self._add(document, kubernetes)
            else:
                self._params.append(document.value)

    def _add(self, document: Document, kubernetes: str) -> None:
        version = gvk_of(document.value).version
        judged = judge_served_policy(document, version, kubernetes) or judge_policy(document, kubernetes)
        compiled, findings = judged
        self.findings += findings
        self._bound.add(text_of(dig(document.value, "spec", "policyName")))
        if isinstance(compiled, CompiledPolicy):
            self._policies.append(compiled)
        elif compiled is not None:
            self._bindings.append(compiled)

    @property
    def names(self) -> list[str]:
        """The names of the policies, which are the rule ids of their findings."""
        return [policy.name for policy in self._policies]

    def unbound(self) -> list[str]:
        """Return the names of policies without a binding, which have no effect."""
        return [policy.name for policy in self._policies if policy.name not in self._bound]

    def type_warnings(self, definitions: Sequence[JsonObject], schema_set: str, kubernetes: str) -> list[str]:
        """Return what expressions do with fields that the schema of a matched kind lacks, or has with another type.

        ``definitions`` are given CRDs. A bundled kind counts if ``schema_set`` leaves one definition of it, a built-in
        kind if the release can serve it.
        """
        sources = [each.source for each in self._policies]
        checker = TypeChecker(_known_kinds(definitions, sources, schema_set, kubernetes), kubernetes)
        return [
            f"policy {policy.name}: {warning.field}: {warning.text.strip()}"
            for policy in self._policies
            for warning in checker.warnings(policy.source)
        ]

    def judge(self, obj: JsonObject, old: JsonObject | None, view: ClusterView) -> PolicyFindings:
        """Return the denials and warnings about an object as it would be stored.

        Where a policy asks for what only a cluster knows, such as a Namespace that is not given, it remains unchecked.
        """
        kind = gvk_of(obj)
        stated = text_of(dig(obj, "metadata", "namespace"))
        request = PolicyRequest(
            "CREATE" if old is None else "UPDATE",
            kind.group,
            kind.version,
            resource_of(kind),
            kind.kind,
            object=obj,
            old_object=old,
            name=text_of(dig(obj, "metadata", "name")),
            namespace=stated or (_DEFAULT if is_namespaced(kind) else ""),
            user=None,
        )
        namespace = namespace_of(request.namespace, view)
        findings: list[PolicyFinding] = []
        unchecked: dict[tuple[str, ...], list[str]] = {}
        for policy in self._policies:
            verdict = policy.evaluate(request, self._bindings, params=self._params, namespace=namespace)
            findings += [PolicyFinding(policy.name, each.text, True) for each in verdict.denials if not each.lacks]
            findings += [PolicyFinding(policy.name, text, denies=False) for text in verdict.warnings]
            if verdict.lacks:
                unchecked.setdefault(verdict.lacks, []).append(policy.name)
        return PolicyFindings(findings, tuple(Unchecked(needs, tuple(names)) for needs, names in unchecked.items()))


def _known_kinds(
    definitions: Sequence[JsonObject], policies: Sequence[Policy], schema_set: str, kubernetes: str
) -> list[KnownKind]:
    """The kinds whose schemas type-check expressions: those of given CRDs, and those that the policies name.

    A kind that both schema sets define in their own way is left out unless ``schema_set`` names one.
    """
    rules = [rule for each in policies if each.constraints for rule in each.constraints.rules]
    resources = {resource.lower() for rule in rules for resource in rule.resources}
    params = {(each.param_kind.api_version, each.param_kind.kind) for each in policies if each.param_kind}
    own = [kind for crd in definitions for kind in _served(crd)]
    taken = {(kind.group, kind.kind) for kind in own}
    bundled = (kind for kind in _bundled(resources, params, schema_set) if (kind.group, kind.kind) not in taken)
    return [*own, *bundled, *_built_in(resources, params, minor(kubernetes))]


def _served(crd: JsonObject) -> Iterator[KnownKind]:
    group = text_of(dig(crd, "spec", "group"))
    kind, plural, singular = (text_of(dig(crd, "spec", "names", key)) for key in ("kind", "plural", "singular"))
    versions = dig(crd, "spec", "versions")
    for version in versions if isinstance(versions, list) else ():
        schema = dig(version, "schema", "openAPIV3Schema")
        if isinstance(schema, Mapping) and dig(version, "served") is True:
            yield KnownKind(group, text_of(dig(version, "name")), kind, plural, published(schema), singular)


def _bundled(resources: Collection[str], params: Collection[tuple[str, str]], schema_set: str) -> Iterator[KnownKind]:
    for group, version, name in crd_schemas.kinds():
        plural = crd_schemas.crd_name(group, version, name).partition(".")[0]
        if {plural, name.lower()}.isdisjoint(resources) and (f"{group}/{version}", name) not in params:
            continue
        paths = crd_schemas.paths(group, version, name)
        files = {path for each, path in paths.items() if schema_set in (AUTO, each)}
        if len(files) == 1:
            yield from (kind for kind in _served(crd_schemas.parsed(files.pop())) if kind.version == version)


def _built_in(resources: Collection[str], params: Collection[tuple[str, str]], release: int) -> Iterator[KnownKind]:
    for group, version, kind, resource, struct in kinds_of_release(release):
        api_version = f"{group}/{version}" if group else version
        if not {resource, kind.lower()}.isdisjoint(resources) or (api_version, kind) in params:
            yield KnownKind(group, version, kind, resource, schema_of(struct, release))
