"""Compare ovnguard's answer to a request under a policy with that of the API server's code."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, minor
from ovnguard.validators.built_in.schemas import kinds_of_release, schema_of
from ovnguard.validators.cel.values.authorizer_values import Authorize
from ovnguard.validators.policy import (
    CompiledPolicy,
    InvalidPolicy,
    PolicyRequest,
    PolicyVerdict,
    UserInfo,
    compile_binding,
    compile_policy,
)
from ovnguard.validators.policy.rights import Right, authorize_by
from ovnguard.validators.policy.type_check import KnownKind, TypeChecker

# the server numbers types by its clock, and variables of types in the order of a Go map
_UNIQUE = re.compile(r"\b([A-Z][A-Za-z]+|_var)[0-9]+\b")
Answer = Mapping[str, Any]


def ours(question: Mapping[str, Any], kubernetes: str = DEFAULT_KUBERNETES) -> Answer:
    """Our answer to a question in the peer's form."""
    try:
        policy = compile_policy(question["policy"], kubernetes=kubernetes)
    except InvalidPolicy as refused:
        return {"compileErrors": [{"path": one.field, "detail": one.detail} for one in refused.errors]}
    verdict = policy.evaluate(
        request_of(question["request"]),
        [compile_binding(one) for one in question["bindings"]],
        params=question["params"],
        namespace=question["namespace"],
        authorize=_authorize(question["rights"]) if "rights" in question else None,
    )
    return {"compileErrors": [], "typeWarnings": type_warnings(question, policy, kubernetes), **_answer(verdict)}


def _authorize(rights: Sequence[Mapping[str, Any]]) -> Authorize:
    texts = ("verbs", "groups", "resources", "names", "paths", "namespaces")
    return authorize_by(Right(each["user"], **{key: tuple(each[key]) for key in texts}) for each in rights)


def type_warnings(question: Mapping[str, Any], policy: CompiledPolicy, kubernetes: str) -> list[dict[str, str]]:
    """Our warnings about a policy for the kinds of a question. Those without a schema are built in."""
    structs = {each[:3]: each.struct for each in kinds_of_release(minor(kubernetes))}
    kinds = []
    for each in question["kinds"]:
        schema = each["schema"]
        if schema is None:
            schema = schema_of(structs[each["group"], each["version"], each["kind"]], minor(kubernetes))
        kinds.append(KnownKind(**{**each, "schema": schema}))
    return [plain_warning(each._asdict()) for each in TypeChecker(kinds, kubernetes).warnings(policy.source)]


def plain_warning(warning: Mapping[str, str]) -> dict[str, str]:
    """A warning without the numbers that the server gives to types."""
    return {"field": warning["field"], "text": _UNIQUE.sub(r"\1", warning["text"])}


def request_of(asked: Mapping[str, Any]) -> PolicyRequest:
    """The request of a question."""
    same = ("operation", "group", "version", "resource", "kind", "object", "name", "namespace", "subresource")
    extra = {key: tuple(values) for key, values in asked["extra"].items()}
    return PolicyRequest(
        **{key: asked[key] for key in same},
        old_object=asked["oldObject"],
        user=UserInfo(asked["username"], asked["uid"], tuple(asked["groups"]), extra),
        dry_run=asked["dryRun"],
    )


def _answer(verdict: PolicyVerdict) -> Answer:
    return {
        "allowed": verdict.allowed,
        "status": verdict.status(),
        "warnings": list(verdict.warnings),
        "annotations": dict(verdict.audit_annotations),
        "cost": verdict.cost,
    }


def differences(theirs: Answer, mine: Answer) -> dict[str, Any]:
    """What differs, by key: (theirs, ours). Without a cost where the budget was exhausted: the server reports none."""
    if theirs["compileErrors"] or mine["compileErrors"]:
        # in which order the server compiles is not part of the packages that the peer calls
        peer, own = (
            sorted((one["path"], _UNIQUE.sub(r"\1", one["detail"])) for one in each["compileErrors"])
            for each in (theirs, mine)
        )
        return {} if peer == own else {"compileErrors": (peer, own)}
    status = theirs["status"]
    known = {
        **theirs,
        "status": None if status is None else {"kind": "Status", "apiVersion": "v1", **status},
        "warnings": theirs["warnings"] or [],
        "typeWarnings": [plain_warning(each) for each in theirs["typeWarnings"] or ()],
    }
    keys = [key for key in mine if key != "compileErrors" and not (key == "cost" and theirs["exhausted"])]
    return {key: (known[key], mine[key]) for key in keys if known[key] != mine[key]}
