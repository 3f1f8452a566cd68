"""Judges loaded documents one by one and turns the judgements into findings."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from validators.admission import Judgement, Operation, Request, judge, speaks_of
from validators.base.field import ROOT, ErrorType, FieldError
from validators.base.json_types import JsonObject
from validators.base.unchecked import Unchecked
from validators.bundled.catalog import Catalog, GroupVersionKind, gvk_of
from validators.cli.adjustments import Adjustments
from validators.cli.built_in_kinds import is_built_in
from validators.crd.compiled_crd import InvalidCRD, compile_crd
from validators.manifest.sources import Document, Identity, Loaded, SourceProblem
from validators.network.cluster_view import NODE, ClusterView
from validators.network.declared.network_of import group_kind_of
from validators.network.declared.node import node_of
from validators.report.findings import BAD_INPUT, NOT_JUDGED, Finding, Report, Severity, Subject

if TYPE_CHECKING:
    from validators.cli.given_policies import GivenPolicies

_STRUCT_FIELD: Final = re.compile(r"Go struct field (\w*)\.(\S+) of type ")
_SHARED_SCHEMA: Final = "spec.validation."
_FIRST_SCHEMA: Final = "spec.versions[0].schema."
_ESTIMATED: Final = "estimated rule cost"
_ALMOST: Final = 0.8
"""The least similarity of a misspelt kind to a known one, as difflib measures it."""
_WHOLE_METADATA: Final = "Go value of type v1.ObjectMeta"


class Detail(Enum):
    """Which findings are reported."""

    ERRORS = 1
    """Errors only (``-q``)."""
    FINDINGS = 2
    """Errors, warnings, and the notes about objects that are refused."""
    ALL = 3
    """Also every note, including those about unchecked rules (``-v``, and JSON)."""


@dataclass(frozen=True)
class Wanted:
    """What a report has to contain.

    ``require_schemas``: an object of a kind without a schema is an error. ``all_objects``: the report names all judged
    objects, whose positions take time to find. ``adjustments`` leave out findings and change severities. ``policies``
    judge in addition to the bundled ones. ``definitions`` are given CRDs by group and kind whose faults were not
    reported yet, ``reported`` the others.
    """

    detail: Detail = Detail.ALL
    require_schemas: bool = False
    all_objects: bool = False
    adjustments: Adjustments = field(default_factory=Adjustments)
    policies: "GivenPolicies | None" = None
    definitions: dict[tuple[str, str], Document] = field(default_factory=dict)
    reported: set[tuple[str, str]] = field(default_factory=set)


class Mutation(NamedTuple):
    """A document, and its object as the mutating webhook would return it."""

    document: Document
    mutated: JsonObject


class Checked(NamedTuple):
    """The report; whether some input could not be read; whether a required schema is missing; all mutations."""

    report: Report
    unreadable: bool
    lacks_schema: bool = False
    mutations: tuple[Mutation, ...] = ()


def check(
    loaded: Loaded,
    view: ClusterView,
    catalog: Catalog,
    progress: Callable[[int, int], None],
    inventory: Sequence[Document] = (),
    wanted: Wanted | None = None,
) -> Checked:
    """Judge every document against ``view``; ``progress`` gets the numbers of judged and of all documents.

    The second manifest of an object is judged as an update of the first, if that was accepted.

    Nodes, those of ``inventory`` included, are facts for the rules: an unreadable field of a Node is a warning. A Node
    without a valid name is an input error, because it is unclear which node is missing. An object of a kind without a
    known schema is counted and noted, or an error if a schema is required, unless rules or policies apply to it.
    """
    wanted = Wanted() if wanted is None else wanted
    detail = wanted.detail
    findings = [problem_finding(problem) for problem in loaded.problems]
    findings += dict.fromkeys(found for document in (*inventory, *loaded.documents) for found in _node(document))
    shown = [finding for finding in findings if _is_shown(finding, detail, refused=True)]
    unchecked: list[Unchecked] = []
    unknown: list[GroupVersionKind] = []
    mutations: list[Mutation] = []
    accepted: dict[Identity, Document] = {}
    judged: list[Document] = []
    for number, document in enumerate(loaded.documents, 1):
        first = accepted.get(document.identity)
        given = document if first is None else replace(document, old=first.value)
        said = _judged(given, view, catalog, wanted)
        found = said.findings
        if said.mutated is not None and said.mutated != document.value:
            mutations.append(Mutation(document, said.mutated))
        is_unknown = any(finding.reason == NOT_JUDGED for finding in found)
        if first is not None and not is_unknown:
            text = f"judged as an update of the same object in {first.file}:{first.position('').line}"
            found = [_finding(document, "metadata.name", "Warning", text, "", Severity.WARNING), *found]
        if is_unknown:
            unknown.append(gvk_of(document.value))
        if not is_unknown and all(finding.reason != BAD_INPUT for finding in found):
            judged.append(document)
        found = wanted.adjustments.adjusted(found)
        refused = any(finding.severity is Severity.ERROR for finding in found)
        if document.identity.name and not refused:
            accepted[document.identity] = document
        shown += [
            found_here._replace(is_extra=not _is_shown(found_here, Detail.FINDINGS, refused=refused))
            for found_here in found
            if _is_shown(found_here, detail, refused=refused)
        ]
        if detail is Detail.ALL:
            texts = (*said.details, *(each.text for each in said.unchecked))
            shown += [_note(document, text)._replace(is_extra=True) for text in texts]
        findings += found
        unchecked += said.unchecked
        progress(number, len(loaded.documents))
    unused = wanted.adjustments.unused()
    findings += unused
    shown += [finding for finding in unused if detail is not Detail.ERRORS]
    severities = [finding.severity for finding in findings]
    errors, warnings = severities.count(Severity.ERROR), severities.count(Severity.WARNING)
    unreadable = any(finding.reason == BAD_INPUT for finding in findings)
    left_out = tuple(dict.fromkeys(unchecked))
    report = Report(
        loaded.files,
        len(judged),
        errors,
        warnings,
        tuple(shown),
        left_out,
        len(unknown),
        len({*unknown}),
        tuple(map(subject_of, judged)) if wanted.all_objects else (),
        tuple(f"{each.file} ({each.tool})" for each in loaded.skipped),
        wanted.adjustments.ignored,
    )
    return Checked(report, unreadable, wanted.require_schemas and bool(unknown), tuple(mutations))


def _is_shown(finding: Finding, detail: Detail, *, refused: bool) -> bool:
    if finding.severity is Severity.NOTE:
        return detail is Detail.ALL or (detail is Detail.FINDINGS and refused)
    return finding.severity is Severity.ERROR or detail is not Detail.ERRORS


def problem_finding(problem: SourceProblem) -> Finding:
    """Return the finding for input that could not be read."""
    subject = Subject(problem.file)
    return Finding(subject, problem.line, problem.column, "", BAD_INPUT, problem.message, "", Severity.ERROR)


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


class _Said(NamedTuple):
    """The findings about a document, texts of notes for `Detail.ALL`, rules that lack facts, and the object as the
    mutating webhook would return it.
    """

    findings: list[Finding]
    details: tuple[str, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    mutated: JsonObject | None = None


def _judged(document: Document, view: ClusterView, catalog: Catalog, wanted: Wanted) -> _Said:
    gvk = gvk_of(document.value)
    if (gvk.group, gvk.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition"):
        return _Said(list(_definition(document)))
    try:
        known = catalog.knows(document.value)
        if not known and not (is_built_in(gvk) and speaks_of(document.value, document.old)):
            finding = _without_schema(document, gvk, catalog, required=wanted.require_schemas)
            return _Said([finding, *_policy_findings(document, document.value, wanted.policies, view)])
        judgement = judge_document(document, view, catalog)
    except InvalidCRD as error:
        return _Said(_without_definition(document, gvk, error, wanted))
    findings = [*_with_suggestions(document, judgement, catalog)]
    findings += _policy_findings(document, judgement.object or document.value, wanted.policies, view)
    details: tuple[str, ...] = ()
    if not known:
        details = (f"judged by rules and policies only: {gvk} is built into the API server, which has its schema",)
    elif rivals := catalog.rivals(document.value, judgement.schema_set):
        details = (f"judged by schema set {judgement.schema_set}",)
        findings += _rival(document, judgement, catalog, rivals)
    return _Said(findings, details, judgement.unchecked, judgement.mutated)


def _with_suggestions(document: Document, judgement: Judgement, catalog: Catalog) -> Iterator[Finding]:
    """The findings of a judgement, each misspelt field or value with a note about what it may mean."""
    misspelt = {
        (error.field, error.body): error
        for error in judgement.errors
        if error.rule == "strict" or error.type is ErrorType.NOT_SUPPORTED
    }
    if not misspelt:
        yield from judgement_findings(document, judgement)
        return
    from validators.cli.suggestions import suggestion  # noqa: PLC0415 - only after a mistake

    schema = catalog.schema_of(document.value, judgement.schema_set)
    for finding in judgement_findings(document, judgement):
        yield finding
        error = misspelt.get((finding.path, finding.message))
        if error is not None and (meant := suggestion(error, schema)):
            yield finding._replace(
                reason="Note", message=f"did you mean {meant}?", rule="", severity=Severity.NOTE, value="", detail=""
            )


def _policy_findings(
    document: Document, obj: JsonObject, policies: "GivenPolicies | None", view: ClusterView
) -> Iterator[Finding]:
    if policies is None:
        return
    for said in policies.judge(obj, document.old, view):
        severity = Severity.ERROR if said.denies else Severity.WARNING
        yield _finding(document, "", "Policy", said.text, said.policy, severity)


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
        yield from _faults(document, error)


def _faults(document: Document, error: InvalidCRD) -> Iterator[Finding]:
    """The errors of a definition at their places in its file, and what helps against those about cost."""
    for fault in error.errors:
        found = _of_error(document, fault, Severity.ERROR)
        # the API server moves a schema that all versions share
        position = document.position(fault.field.replace(_SHARED_SCHEMA, _FIRST_SCHEMA, 1))
        yield found._replace(line=position.line, column=position.column)
    if any(_ESTIMATED in fault.detail for fault in error.errors):
        file = "CRD" if document.file == "<stdin>" else document.file
        yield _note(document, f"'kubectl ovn-preflight cost {file}' shows which size is unknown and which bound helps")


def _without_definition(document: Document, gvk: GroupVersionKind, error: InvalidCRD, wanted: Wanted) -> list[Finding]:
    """The findings about an object whose CRD is invalid: the faults of a given CRD, once, at their own lines."""
    definition = wanted.definitions.pop((gvk.group, gvk.kind), None)
    if definition is None:
        reported = (gvk.group, gvk.kind) in wanted.reported
        text = f"the CRD for {gvk} is invalid" + ("" if reported else f": {error}; give another with --crds")
        severity = Severity.NOTE if reported else Severity.ERROR
        return [_finding(document, "", NOT_JUDGED if reported else BAD_INPUT, text, "", severity)]
    wanted.reported.add((gvk.group, gvk.kind))
    faults = [each._replace(reason=BAD_INPUT) for each in _faults(definition, error)]
    return [*faults, _finding(document, "", NOT_JUDGED, f"not judged: the CRD for {gvk} is invalid", "", Severity.NOTE)]


def _without_schema(document: Document, gvk: GroupVersionKind, catalog: Catalog, *, required: bool) -> Finding:
    """The finding about a kind without a schema; a kind that looks misspelt is wrong input."""
    similar = "" if is_built_in(gvk) else _similar(gvk, catalog)
    if similar:
        text = f"unknown kind {gvk}; did you mean {similar}?"
        return _finding(document, "kind", BAD_INPUT, text, "", Severity.ERROR)
    severity = Severity.ERROR if required else Severity.NOTE
    if is_built_in(gvk):
        return _finding(document, "kind", NOT_JUDGED, f"not judged: {gvk} is built into the API server", "", severity)
    return _finding(
        document, "kind", NOT_JUDGED, f"not judged: no schema for {gvk}; give its CRD with --crds", "", severity
    )


def _similar(gvk: GroupVersionKind, catalog: Catalog) -> str:
    """A known kind of the same group that is spelt almost like this one, or this kind in a known version."""
    from difflib import get_close_matches  # noqa: PLC0415 - few objects have no schema

    known = catalog.kinds(gvk.group)
    if gvk.kind in known:
        return str(gvk._replace(version=known[gvk.kind]))
    close = get_close_matches(gvk.kind, known, 1, _ALMOST)
    return str(gvk._replace(kind=close[0], version=known[close[0]])) if close else ""


def _of_error(document: Document, error: FieldError, severity: Severity) -> Finding:
    field = _named_field(error.detail) if error.field == ROOT else error.field
    found = _finding(document, field, error.type.value, error.body, error.rule, severity)
    return found._replace(value=error.head, detail=error.detail)


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
    return Finding(subject_of(document), position.line, position.column, field, kind, message, rule, severity)


def subject_of(document: Document) -> Subject:
    """Return the object of a document as findings name it."""
    metadata = document.value.get("metadata")
    generated = str(metadata.get("generateName") or "") if isinstance(metadata, dict) else ""
    _, kind, namespace, name = document.identity
    return Subject(document.file, document.position("").line, kind, namespace, name or generated)
