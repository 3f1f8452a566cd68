"""Judges loaded documents one by one and turns the judgements into findings."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Final, NamedTuple

from validators.admission import Judgement, Operation, Request, judge, speaks_of
from validators.base.field import ROOT, FieldError
from validators.base.unchecked import Unchecked
from validators.bundled.catalog import Catalog, gvk_of
from validators.cli.built_in_kinds import is_built_in
from validators.crd.compiled_crd import InvalidCRD, compile_crd
from validators.manifest.sources import Document, Identity, Loaded, SourceProblem
from validators.network.cluster_view import NODE, ClusterView
from validators.network.declared.network_of import group_kind_of
from validators.network.declared.node import node_of
from validators.report.findings import BAD_INPUT, NOT_JUDGED, Finding, Report, Severity

_STRUCT_FIELD: Final = re.compile(r"Go struct field (\w*)\.(\S+) of type ")
_WHOLE_METADATA: Final = "Go value of type v1.ObjectMeta"


class Detail(Enum):
    """Which findings are reported."""

    ERRORS = 1
    """Errors only (``-q``)."""
    FINDINGS = 2
    """Errors, warnings, and the notes about objects that are refused."""
    ALL = 3
    """Also every note, including those about unchecked rules (``-v``, and JSON)."""


class Checked(NamedTuple):
    """The report, and whether some input could not be judged at all."""

    report: Report
    unreadable: bool


def check(
    loaded: Loaded,
    view: ClusterView,
    catalog: Catalog,
    progress: Callable[[int, int], None],
    inventory: Sequence[Document] = (),
    detail: Detail = Detail.ALL,
) -> Checked:
    """Judge every document against ``view``; ``progress`` gets the numbers of judged and of all documents.

    The second manifest of an object is judged as an update of the first, if that was accepted.

    Nodes, those of ``inventory`` included, are facts for the rules: an unreadable field of a Node is a warning. A Node
    without a valid name is an input error, because it is unclear which node is missing. A kind without a known schema
    is an input error; a built-in kind is a warning, or a note if rules or policies apply to it.
    """
    findings = [problem_finding(problem) for problem in loaded.problems]
    findings += dict.fromkeys(found for document in (*inventory, *loaded.documents) for found in _node(document))
    shown = [finding for finding in findings if _is_shown(finding, detail, refused=True)]
    unchecked: list[Unchecked] = []
    accepted: dict[Identity, Document] = {}
    judged = 0
    for number, document in enumerate(loaded.documents, 1):
        first = accepted.get(document.identity)
        given = document if first is None else replace(document, old=first.value)
        found, details, left = _judged(given, view, catalog)
        if first is not None:
            text = f"judged as an update of the same object in {first.file}:{first.position('').line}"
            found = [_finding(document, "metadata.name", "Warning", text, "", Severity.WARNING), *found]
        judged += not any(finding.type in (NOT_JUDGED, BAD_INPUT) for finding in found)
        refused = any(finding.severity is Severity.ERROR for finding in found)
        if document.identity.name and not refused:
            accepted[document.identity] = document
        shown += [finding for finding in found if _is_shown(finding, detail, refused=refused)]
        if detail is Detail.ALL:
            shown += [_note(document, text) for text in (*details, *(each.text for each in left))]
        findings += found
        unchecked += left
        progress(number, len(loaded.documents))
    severities = [finding.severity for finding in findings]
    errors, warnings = severities.count(Severity.ERROR), severities.count(Severity.WARNING)
    unreadable = any(finding.type == BAD_INPUT for finding in findings)
    return Checked(
        Report(loaded.files, judged, errors, warnings, tuple(shown), tuple(dict.fromkeys(unchecked))), unreadable
    )


def _is_shown(finding: Finding, detail: Detail, *, refused: bool) -> bool:
    if finding.severity is Severity.NOTE:
        return detail is Detail.ALL or (detail is Detail.FINDINGS and refused)
    return finding.severity is Severity.ERROR or detail is not Detail.ERRORS


def problem_finding(problem: SourceProblem) -> Finding:
    """Return the finding for input that could not be read."""
    return Finding(problem.file, problem.line, problem.column, "", BAD_INPUT, problem.message, "", Severity.ERROR)


def judge_document(document: Document, view: ClusterView, catalog: Catalog) -> Judgement:
    """Judge one document as the request that would send it to the API server."""
    operation = Operation.CREATE if document.old is None else Operation.UPDATE
    return judge(Request(operation, document.value, document.old), view, catalog, field_validation="Strict")


def _node(document: Document) -> Iterator[Finding]:
    if group_kind_of(document.value) != NODE:
        return
    parsed = node_of(document.value)
    for error in parsed.errors:
        if parsed.node is None:
            yield _finding(document, error.field, BAD_INPUT, error.body, error.rule, Severity.ERROR)
        else:
            yield _of_error(document, error, Severity.WARNING)


def _judged(
    document: Document, view: ClusterView, catalog: Catalog
) -> tuple[list[Finding], list[str], tuple[Unchecked, ...]]:
    """Return the findings about a document, texts of notes for `Detail.ALL`, and rules that lack facts."""
    gvk = gvk_of(document.value)
    if (gvk.group, gvk.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition"):
        return list(_definition(document)), [], ()
    try:
        known = catalog.knows(document.value)
        if not known and not (is_built_in(gvk) and speaks_of(document.value, document.old)):
            return [_unknown(document)], [], ()
        judgement = judge_document(document, view, catalog)
    except InvalidCRD as error:
        text = f"the CRD for {gvk} is invalid: {error}; fix the CRD or give another with --crds"
        return [_finding(document, "", BAD_INPUT, text, "", Severity.ERROR)], [], ()
    findings, details = list(judgement_findings(document, judgement)), []
    if not known:
        details.append(f"judged by rules and policies only: {gvk} is built into the API server, which has its schema")
    elif rivals := catalog.rivals(document.value, judgement.schema_set):
        details.append(f"judged by schema set {judgement.schema_set}")
        findings += _rival(document, judgement, catalog, rivals)
    return findings, details, judgement.unchecked


def judgement_findings(document: Document, judgement: Judgement) -> Iterator[Finding]:
    """Return the errors, warnings and notes of a judgement at their positions in the document."""
    at = partial(_of_error, document)
    yield from (at(error, Severity.ERROR) for error in judgement.errors)
    yield from (at(error, Severity.WARNING) for error in judgement.warnings)
    for warning in judgement.schema_warnings:
        yield _finding(document, "", "Warning", warning, "", Severity.WARNING)
    yield from (_note(document, note) for note in judgement.notes)


def _rival(document: Document, judgement: Judgement, catalog: Catalog, rivals: Sequence[str]) -> Iterator[Finding]:
    """If one schema set refuses an object and another has all its fields, name the option for the other."""
    if judgement.verdict is None or judgement.verdict.allowed:
        return
    other = next((name for name in rivals if catalog.fits(document.value, name)), None)
    if other:
        refusing = judgement.schema_set
        text = f"schema set {refusing} refuses the object, {other} has all its fields too: --schema-set {other}"
        yield _note(document, text)


def _definition(document: Document) -> Iterator[Finding]:
    try:
        compile_crd(document.value)
    except InvalidCRD as error:
        yield from (_of_error(document, fault, Severity.ERROR) for fault in error.errors)


def _unknown(document: Document) -> Finding:
    gvk = gvk_of(document.value)
    if is_built_in(gvk):
        text = f"not judged: {gvk} is built into the API server"
        return _finding(document, "kind", NOT_JUDGED, text, "", Severity.WARNING)
    text = f"unknown kind: no schema for {gvk}; give its CRD with --crds"
    return _finding(document, "kind", BAD_INPUT, text, "", Severity.ERROR)


def _of_error(document: Document, error: FieldError, severity: Severity) -> Finding:
    field = _named_field(error.detail) if error.field == ROOT else error.field
    return _finding(document, field, error.type.value, error.body, error.rule, severity)


def _named_field(text: str) -> str:
    """The field in a Go text about a whole object, or the empty path.

    Go names a field with its struct, ``ObjectMeta.name``; deeper fields also start at the metadata, as in
    ``OwnerReference.ownerReferences.uid``. The struct of the object itself has no name: ``.kind``.
    """
    if _WHOLE_METADATA in text:
        return "metadata"
    found = _STRUCT_FIELD.search(text)
    if found is None:
        return ""
    return f"metadata.{found[2]}" if found[1] else found[2]


def _note(document: Document, text: str) -> Finding:
    return _finding(document, "", "Note", text, "", Severity.NOTE)


def _finding(document: Document, field: str, kind: str, message: str, rule: str, severity: Severity) -> Finding:
    position = document.position(field)
    return Finding(document.file, position.line, position.column, field, kind, message, rule, severity)
