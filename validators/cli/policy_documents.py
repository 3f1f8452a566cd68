"""ValidatingAdmissionPolicies and their bindings as documents: what the API server says about them."""

from collections.abc import Sequence
from typing import NamedTuple

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.cli.document_findings import of_error
from ovnguard.validators.go.text import quote
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.policy import CompiledBinding, CompiledPolicy, InvalidPolicy, compile_binding, compile_policy
from ovnguard.validators.policy.decode import POLICY, unknown_fields
from ovnguard.validators.report.findings import Finding, Severity


class JudgedPolicy(NamedTuple):
    """A policy or binding that the API server accepts, None if it refuses it, and the findings."""

    compiled: CompiledPolicy | CompiledBinding | None
    findings: tuple[Finding, ...]


def judge_policy(document: Document, kubernetes: str) -> JudgedPolicy:
    """Judge a ValidatingAdmissionPolicy or its binding as a creation in a release.

    The API server names unknown fields and validates nothing else.
    """
    kind, value = document.identity.kind, document.value
    compiled: CompiledPolicy | CompiledBinding | None = None
    unknown: list[FieldError] = []
    errors: Sequence[FieldError] = ()
    try:
        unknown = [_unknown(path) for path in unknown_fields(value, kind)]
        compiled = (compile_policy if kind == POLICY else compile_binding)(value, kubernetes)
    except InvalidPolicy as refusal:
        errors = [error.as_of(kubernetes) for error in refusal.errors]
    first = tuple(of_error(document, error, Severity.ERROR) for error in unknown or errors)
    then = (of_error(document, error, Severity.NOTE)._replace(is_later=True) for error in errors if unknown)
    return JudgedPolicy(None if unknown else compiled, (*first, *then))


def _unknown(path: str) -> FieldError:
    return FieldError(ErrorType.INVALID, path, detail=f"unknown field {quote(path)}", rule="strict")
