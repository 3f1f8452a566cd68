"""Judges one document; returns its findings with what helps to correct them, and the errors that they hide."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ovnguard.crd_schemas import PROPOSED, RELEASED
from ovnguard.validators.admission import Judgement, Operation, Request, has_rules_or_policies_for, judge
from ovnguard.validators.base.field import RULES_NOT_CHECKED, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked
from ovnguard.validators.bundled.catalog import Catalog, difference_of, gvk_of
from ovnguard.validators.cli.document_findings import finding_at, judgement_findings, note_about, of_error
from ovnguard.validators.cli.hints.field_hints import field_hint
from ovnguard.validators.cli.hints.value_hints import Schema, value_hint
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.validators.report.findings import Finding, Severity

if TYPE_CHECKING:
    from ovnguard.validators.built_in.decoded import DecodedObject
    from ovnguard.validators.cli.given_policies import GivenPolicies

_OTHER: Final = {PROPOSED: RELEASED, RELEASED: PROPOSED}
MOST_HINTS: Final = 100
"""How many errors of one object get a hint: comparing texts takes most of the time of a finding."""


class DocumentResult(NamedTuple):
    """The findings about a document, notes for `Detail.ALL`, rules that lack facts, the object as the mutating webhook
    would return it, whether only the proposed API has its fields, and whether values are left to the API server.
    """

    findings: list[Finding]
    details: Sequence[Finding] = ()
    unchecked: tuple[Unchecked, ...] = ()
    mutated: JsonObject | None = None
    is_proposed: bool = False
    by_type: bool = False


def judge_document(
    document: Document, view: ClusterView, catalog: Catalog, *, field_validation: str = "Strict"
) -> Judgement:
    """Judge one document as the request that would send it to the API server."""
    operation = Operation.CREATE if document.old is None else Operation.UPDATE
    return judge(Request(operation, document.value, document.old), view, catalog, field_validation=field_validation)


def judged_findings(document: Document, judgement: Judgement, view: ClusterView, catalog: Catalog) -> Iterator[Finding]:
    """Iterate over the findings of a judgement, notes about what helps, and the errors that come next."""
    found = judgement_findings(document, judgement)
    yield from _with_hints(
        document, found, judgement.errors, lambda: catalog.schema_of(document.value, judgement.schema_set)
    )
    yield from _later(document, judgement, view, catalog)


def _with_hints(
    document: Document, findings: Iterable[Finding], errors: Sequence[FieldError], read: Schema
) -> Iterator[Finding]:
    """The ``findings``, first those of ``errors``; a note after an error says what helps. Equal notes are one."""
    schema = cache(read)
    said: set[str] = set()
    for number, finding in enumerate(findings):
        yield finding
        if number >= min(len(errors), MOST_HINTS):
            continue
        error = errors[number]
        if error.rule == "strict":
            hint = field_hint(error.field, document.value, schema() or {})
        else:
            hint = value_hint(error, document.value, schema, document.written)
        if hint and hint not in said:
            said.add(hint)
            yield finding._replace(reason="Note", message=hint, rule="", severity=Severity.NOTE, value="", detail="")


def _later(document: Document, judgement: Judgement, view: ClusterView, catalog: Catalog) -> Iterator[Finding]:
    """The errors that unknown fields hide: those of the object without these fields.

    The API server names unknown fields and validates nothing else.
    """
    verdict = judgement.verdict
    if verdict is None or verdict.refusal is None or not verdict.unknown:
        return
    for error in judge_document(document, view, catalog, field_validation="Ignore").errors:
        if error.detail != RULES_NOT_CHECKED:
            yield of_error(document, error, Severity.NOTE)._replace(is_later=True)


def schema_set_note(document: Document, judgement: Judgement, catalog: Catalog) -> Finding | None:
    """Return the note that names the schema set that judged, where another set could have; `is_extra` if both agree."""
    judged = judgement.schema_set
    if not catalog.has_rivals(document.value, judged):
        return None
    text, differs = (
        f"judged by schema set {judged}",
        difference_of(gvk_of(document.value), document.value, document.old),
    )
    if differs is None:
        return finding_at(document, "", "Note", text, "", Severity.NOTE)._replace(is_extra=True)
    if differs.schema_set == judged:
        text += " because of this field"
        text += "; it is the proposed API, clusters run the released one" if judged == PROPOSED else ""
    else:
        whose = "which clusters run" if judged == RELEASED else "the proposed API"
        text += f", {whose}; the other set differs here: --schema-set {_OTHER[judged]}"
    return finding_at(document, differs.path, "Note", text, "", Severity.NOTE)


def built_in_result(
    document: Document, decoded: "DecodedObject", view: ClusterView, catalog: Catalog, policies: "GivenPolicies | None"
) -> DocumentResult:
    """The result for an object of a built-in kind: by its types, and if these are right by rules and policies."""
    if decoded.errors:
        refused = [of_error(document, error, Severity.ERROR) for error in decoded.errors]
        return DocumentResult(list(_with_hints(document, refused, decoded.errors, lambda: dict(decoded.schema()))))
    result = DocumentResult([])
    gvk, judges = gvk_of(document.value), "type"
    if has_rules_or_policies_for(document.value, document.old):
        judgement = judge_document(document, view, catalog)
        found = list(judged_findings(document, judgement, view, catalog))
        result, judges = DocumentResult(found, unchecked=judgement.unchecked), "type, rules and policies"
    from_policies = by_policies(document, document.value, policies, view)
    warnings = [of_error(document, warning, Severity.WARNING) for warning in decoded.warnings]
    note = note_about(document, f"judged by {judges}: the API server validates the values of {gvk}")
    findings = [*warnings, *result.findings, *from_policies.findings]
    return DocumentResult(findings, [note], (*result.unchecked, *from_policies.unchecked), by_type=True)


def by_policies(
    document: Document, obj: JsonObject, policies: "GivenPolicies | None", view: ClusterView
) -> DocumentResult:
    """What the given policies say of an object."""
    if policies is None:
        return DocumentResult([])
    judged = policies.judge(obj, document.old, view)
    findings = [
        finding_at(document, "", "Policy", each.text, each.policy, Severity.ERROR if each.denies else Severity.WARNING)
        for each in judged.findings
    ]
    return DocumentResult(findings, unchecked=judged.unchecked)
