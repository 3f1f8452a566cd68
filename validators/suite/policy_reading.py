"""Converts the document of a policy suite to a `PolicySuite`. Every fault has file and line."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ovnguard.validators.bundled.catalog import gvk_of
from ovnguard.validators.bundled.resource_names import resource_of
from ovnguard.validators.manifest.yaml_reader import Node
from ovnguard.validators.network.parse_values import dig, text_of
from ovnguard.validators.policy import PolicyRequest, UserInfo
from ovnguard.validators.policy.rights import Right, authorize_by
from ovnguard.validators.suite.policy_suite import PolicyCase, PolicySuite
from ovnguard.validators.suite.schema_faults import Step, at, line_at, schema_errors, words
from ovnguard.validators.suite.suite import SuiteFault

POLICY_NAME: Final = "policyName"
_OPERATIONS: Final = {"onCreate": "CREATE", "onUpdate": "UPDATE", "onDelete": "DELETE", "onConnect": "CONNECT"}
_CASE_DEPTH: Final = 3  # tests, onCreate, 0


def policy_suite(
    file: str, label: str, document: Mapping[str, Any], tree: Node, warnings: tuple[str, ...]
) -> PolicySuite:
    """Return the suite in a document. Raises SuiteFault if it has not the form of one.

    A fault inside one case is recorded on that case.
    """
    faults: dict[tuple[Step, ...], str] = {}
    for error in schema_errors("policy-suite-v1.json", document):
        where = tuple(error.absolute_path)
        text = f"{label}:{line_at(tree, where)}: {at(where)}{words(error)}"
        if len(where) < _CASE_DEPTH:
            raise SuiteFault(text)
        faults.setdefault(where[:_CASE_DEPTH], text)
    cases = tuple(
        _case(phase, entry, line_at(tree, place), faults.get(place, ""))
        for phase in _OPERATIONS
        for number, entry in enumerate(document["tests"].get(phase, ()))
        for place in [("tests", phase, number)]
    )
    if not cases:
        warnings = (*warnings, f"{label}:{line_at(tree, ('tests',))}: the suite holds no case")
    return PolicySuite(file, label, document.get("name", ""), document[POLICY_NAME], cases, warnings)


def _case(phase: str, entry: Any, line: int, fault: str) -> PolicyCase:
    if fault:
        return PolicyCase(phase, text_of(dig(entry, "name")), line, fault=fault)
    user = _user(entry.get("userInfo"))
    rights = entry.get("rights")
    name = "" if user is None else user.username
    return PolicyCase(
        phase,
        entry.get("name", ""),
        line,
        _request(phase, entry, user),
        authorize=None if rights is None else authorize_by(_right(each, name) for each in rights),
        params=tuple(entry.get("params", ())),
        namespace=entry.get("namespaceObject"),
        denial=entry.get("expectedDenial", ""),
        warnings=tuple(entry.get("expectedWarnings", ())),
        annotations=entry.get("expectedAuditAnnotations"),
    )


def _request(phase: str, entry: Mapping[str, Any], user: UserInfo | None) -> PolicyRequest:
    """The request about an object. A Namespace is in itself, as for the API server."""
    new, old = entry.get("object"), entry.get("oldObject")
    shown = old if new is None else new
    assert isinstance(shown, dict), "every case has an object"
    kind, stated = gvk_of(shown), entry.get("request", {})
    resource = stated.get("resource") or resource_of(kind)
    name = stated.get("name") or text_of(dig(shown, "metadata", "name"))
    namespace = stated.get("namespace") or text_of(dig(shown, "metadata", "namespace"))
    return PolicyRequest(
        _OPERATIONS[phase],
        kind.group,
        kind.version,
        resource,
        kind.kind,
        object=new,
        old_object=old,
        name=name,
        namespace=name if (kind.group, resource) == ("", "namespaces") else namespace,
        subresource=stated.get("subResource", ""),
        user=user,
        dry_run=stated.get("dryRun", False),
    )


def _user(given: Mapping[str, Any] | None) -> UserInfo | None:
    if given is None:
        return None
    extra = {key: tuple(values) for key, values in given.get("extra", {}).items()}
    return UserInfo(given.get("username", ""), given.get("uid", ""), tuple(given.get("groups", ())), extra)


def _right(given: Mapping[str, Any], username: str) -> Right:
    account = given.get("serviceAccount", "").replace("/", ":")
    keys: Sequence[str] = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs", "namespaces")
    return Right(
        f"system:serviceaccount:{account}" if account else username, *(tuple(given.get(key, ())) for key in keys)
    )
