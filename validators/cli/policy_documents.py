"""ValidatingAdmissionPolicies and their bindings as documents: what the API server says about them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ovnguard.validators.base.field import FieldError, minor
from ovnguard.validators.cli.document_findings import of_error
from ovnguard.validators.cli.unjudged_objects import POLICY_GROUP
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.policy import CompiledBinding, CompiledPolicy, InvalidPolicy, compile_binding, compile_policy
from ovnguard.validators.policy.compiled_policy import check_changed
from ovnguard.validators.policy.decode import POLICY, unknown_fields
from ovnguard.validators.report.findings import Finding, Severity
from ovnguard.validators.structural.objects.prepare import strict_decoding_errors

_V1_SINCE: Final = 30
_BETA_UNTIL: Final = 33


class JudgedPolicy(NamedTuple):
    """A new policy or binding that the API server accepts, None if it refuses it, and the findings."""

    compiled: CompiledPolicy | CompiledBinding | None
    findings: tuple[Finding, ...]


def judge_served_policy(document: Document, version: str, kubernetes: str) -> JudgedPolicy | None:
    """Judge a policy or binding of a version of its API as a release does; None if the release does not have it.

    Kubernetes has v1 since 1.30, and v1beta1 until 1.33, where its fields mean what those of v1 mean.
    """
    release = minor(kubernetes)
    if version == "v1":
        return judge_policy(document, kubernetes) if release >= _V1_SINCE else None
    if version != "v1beta1" or release > _BETA_UNTIL:
        return None
    from ovnguard.validators.built_in.decoded import decode_object  # few policies are of v1beta1

    decoded = decode_object(document.value, kubernetes)
    if decoded is not None and decoded.errors:
        return JudgedPolicy(None, tuple(of_error(document, error, Severity.ERROR) for error in decoded.errors))
    v1 = {"apiVersion": f"{POLICY_GROUP}/v1"}
    old = None if document.old is None else {**document.old, **v1}
    return judge_policy(document._replace(value={**document.value, **v1}, old=old), kubernetes)


def judge_policy(document: Document, kubernetes: str) -> JudgedPolicy:
    """Judge a ValidatingAdmissionPolicy or its binding as a creation in a release, or as an update of the old one.

    The API server names unknown fields and validates nothing else.
    """
    kind, value = document.identity.kind, document.value
    compiled: CompiledPolicy | CompiledBinding | None = None
    unknown: list[FieldError] = []
    errors: Sequence[FieldError] = ()
    try:
        unknown = strict_decoding_errors(unknown_fields(value, kind))
        if document.old is None:
            compiled = (compile_policy if kind == POLICY else compile_binding)(value, kubernetes)
        else:
            check_changed(kind, value, document.old, kubernetes)
    except InvalidPolicy as refusal:
        errors = [error.as_of(kubernetes) for error in refusal.errors]
    first = tuple(of_error(document, error, Severity.ERROR) for error in unknown or errors)
    then = (of_error(document, error, Severity.NOTE)._replace(is_later=True) for error in errors if unknown)
    return JudgedPolicy(None if unknown else compiled, (*first, *then))
