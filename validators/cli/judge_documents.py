"""Judges loaded documents one by one and turns the judgements into findings."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ovnguard.crd_schemas import PROPOSED
from ovnguard.validators.admission import has_rules_or_policies_for
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked
from ovnguard.validators.bundled.catalog import Catalog, GroupVersionKind, gvk_of
from ovnguard.validators.cli.adjustments import Adjustments
from ovnguard.validators.cli.built_in_kinds import is_built_in
from ovnguard.validators.cli.document_findings import (
    finding_at,
    node_findings,
    note_about,
    problem_finding,
    subject_of,
)
from ovnguard.validators.cli.judged_findings import (
    DocumentResult,
    built_in_result,
    by_policies,
    judge_document,
    judged_findings,
    schema_set_note,
)
from ovnguard.validators.cli.unjudged_objects import (
    POLICY_GROUP,
    GivenDefinitions,
    definition_findings,
    invalid_definition,
    is_mutating,
    is_validating,
    mutating_finding,
    without_schema,
)
from ovnguard.validators.crd.compiled_crd import InvalidCRD
from ovnguard.validators.manifest.documents import Document, Identity, Loaded
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.validators.report.findings import BAD_INPUT, NOT_JUDGED, Finding, Report, Severity

if TYPE_CHECKING:
    from ovnguard.validators.cli.given_policies import GivenPolicies


class Detail(Enum):
    """Which findings are reported."""

    ERRORS = 1
    """Errors only (``-q``)."""
    FINDINGS = 2
    """Errors, warnings, and the notes about objects that are refused."""
    ALL = 3
    """Also every note, including those about unchecked rules (``-v``, and JSON)."""


class ReportOptions(NamedTuple):
    """What a report has to contain.

    ``require_schemas``: an object of a kind without a schema is an error. ``all_objects``: the report names all judged
    objects, whose positions take time to find. ``adjustments`` leave out findings and change severities. ``policies``
    judge in addition to the bundled ones. ``definitions`` are given CRDs. ``mutations``: whether to keep
    those of the mutating webhook. ``jobs`` is the number of processes that judge. ``warnings`` are about the call, and
    are reported in every detail.
    """

    detail: Detail
    require_schemas: bool
    all_objects: bool
    adjustments: Adjustments
    policies: "GivenPolicies | None"
    definitions: GivenDefinitions
    mutations: bool = False
    jobs: int = 1
    warnings: tuple[Finding, ...] = ()


class Mutation(NamedTuple):
    """A document, and its object as the mutating webhook would return it."""

    document: Document
    mutated: JsonObject


class CheckResult(NamedTuple):
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
    inventory: Sequence[Document],
    options: ReportOptions,
) -> CheckResult:
    """Judge every document against ``view``; ``progress`` gets the numbers of judged and of all documents.

    The second manifest of an object is judged as an update of the first, if that was accepted.

    Nodes, those of ``inventory`` included, are facts for the rules: an unreadable field of a Node is a warning. A Node
    without a valid name is an input error, because it is unclear which node is missing. An object of a kind without a
    known schema is counted and noted, or an error if a schema is required, unless rules or policies apply to it.
    """
    collected = _Collected(options)
    collected.add([problem_finding(problem) for problem in loaded.problems], refused=True)
    nodes = (found for document in (*inventory, *loaded.documents) for found in node_findings(document))
    collected.add(dict.fromkeys(nodes), refused=True)
    warnings = options.adjustments.adjusted(options.warnings)
    collected.findings += warnings
    collected.shown += warnings
    if options.policies is not None:
        own = {subject_of(document) for document in loaded.documents}
        given = [finding for finding in options.policies.findings if finding.subject not in own]
        collected.add(options.adjustments.adjusted(given), refused=True)
    accepted: dict[Identity, Document] = {}
    elsewhere = _independent(loaded.documents) if options.jobs > 1 else ()
    others, from_others = frozenset(elsewhere), _in_processes(elsewhere, loaded.documents, view, catalog, options)
    for number, document in enumerate(loaded.documents, 1):
        first = accepted.get(document.identity)
        request = document if first is None else document._replace(old=first.value)
        result = next(from_others) if number - 1 in others else _judged(request, view, catalog, options)
        refused = collected.take(document, first, result)
        if document.identity.name and not refused:
            accepted[document.identity] = document
        progress(number, len(loaded.documents))
    unused = options.adjustments.unused()
    collected.findings += unused
    collected.shown += [finding for finding in unused if options.detail is not Detail.ERRORS]
    return collected.result(loaded)


def _is_shown(finding: Finding, detail: Detail, *, refused: bool) -> bool:
    if finding.severity is Severity.NOTE:
        return detail is Detail.ALL or (detail is Detail.FINDINGS and refused)
    return finding.severity is Severity.ERROR or detail is not Detail.ERRORS


class _Collected:
    """What the documents of a run contribute to its report."""

    def __init__(self, options: ReportOptions) -> None:
        self._options = options
        self.findings: list[Finding] = []
        self.shown: list[Finding] = []
        self._judged: list[Document] = []
        self._unknown: list[GroupVersionKind] = []
        self._unchecked: list[Unchecked] = []
        self._mutations: list[Mutation] = []
        self._proposed = self._by_type = 0

    def add(self, findings: Iterable[Finding], *, refused: bool) -> None:
        """Add findings; notes are shown if their object is ``refused``."""
        for finding in findings:
            self.findings.append(finding)
            if _is_shown(finding, self._options.detail, refused=refused):
                is_extra = not _is_shown(finding, Detail.FINDINGS, refused=refused)
                self.shown.append(finding._replace(is_extra=is_extra))

    def take(self, document: Document, first: Document | None, result: DocumentResult) -> bool:
        """Add the result of a document, whose object ``first`` created; return whether the document is refused."""
        options, found = self._options, result.findings
        if options.mutations and result.mutated is not None and result.mutated != document.value:
            self._mutations.append(Mutation(document, result.mutated))
        if any(finding.reason == NOT_JUDGED for finding in found):
            self._unknown.append(gvk_of(document.value))
        else:
            # types are those of a creation and of an update
            if first is not None and not result.by_type:
                text = f"judged as an update of the same object in {first.file}:{first.position('').line}"
                found = [finding_at(document, "metadata.name", "Warning", text, "", Severity.WARNING), *found]
            if all(finding.reason != BAD_INPUT for finding in found):
                self._judged.append(document)
        found = options.adjustments.adjusted(found)
        refused = any(finding.severity is Severity.ERROR for finding in found)
        self.add(found, refused=refused)
        if options.detail is Detail.ALL:
            notes = (*result.details, *(note_about(document, each.text) for each in result.unchecked))
            self.shown += [note._replace(is_extra=True) for note in notes]
        self._unchecked += result.unchecked
        self._proposed += result.is_proposed and not refused
        self._by_type += result.by_type and not refused
        return refused

    def result(self, loaded: Loaded) -> CheckResult:
        """Return the report about all documents."""
        options, severities = self._options, [finding.severity for finding in self.findings]
        report = Report(
            loaded.files,
            len(self._judged),
            severities.count(Severity.ERROR),
            severities.count(Severity.WARNING),
            tuple(self.shown),
            tuple(dict.fromkeys(self._unchecked)),
            len(self._unknown),
            len({*self._unknown}),
            tuple(map(subject_of, self._judged)) if options.all_objects else (),
            tuple(f"{each.file} ({each.tool})" for each in loaded.skipped),
            options.adjustments.ignored,
            self._proposed,
            self._by_type,
        )
        unreadable = any(finding.reason == BAD_INPUT for finding in self.findings)
        is_unknown = options.require_schemas and bool(self._unknown)
        return CheckResult(report, unreadable, is_unknown, tuple(self._mutations))


def _judged(document: Document, view: ClusterView, catalog: Catalog, options: ReportOptions) -> DocumentResult:
    gvk = gvk_of(document.value)
    if (gvk.group, gvk.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition"):
        return DocumentResult(list(definition_findings(document, catalog.kubernetes)))
    if gvk.group == POLICY_GROUP and (found := _of_policy(document, gvk, catalog, options)) is not None:
        return found
    try:
        known = catalog.knows(document.value)
        # the patch of a kustomization is part of an object
        if not known and is_built_in(gvk) and not document.is_patch:
            from ovnguard.validators.built_in.decoded import decode_object  # most runs have no built-in kinds

            decoded = decode_object(document.value, catalog.kubernetes)
            if decoded is not None:
                return built_in_result(document, decoded, view, catalog, options.policies)
        if not known and not (is_built_in(gvk) and has_rules_or_policies_for(document.value, document.old)):
            finding = without_schema(document, gvk, catalog, required=options.require_schemas)
            from_policies = by_policies(document, document.value, options.policies, view)
            return from_policies._replace(findings=[finding, *from_policies.findings])
        judgement = judge_document(document, view, catalog)
    except InvalidCRD as error:
        return DocumentResult(invalid_definition(document, gvk, error, options.definitions))
    findings = [*judged_findings(document, judgement, view, catalog)]
    from_policies = by_policies(document, judgement.object or document.value, options.policies, view)
    findings += from_policies.findings
    details: list[Finding] = []
    note = schema_set_note(document, judgement, catalog)
    if not known:
        text = f"judged by rules and policies only: {gvk} is built into the API server, which has its schema"
        details.append(note_about(document, text))
    elif note is not None:
        (details if note.is_extra else findings).append(note)
    is_proposed = judgement.schema_set == PROPOSED and note in findings
    unchecked = (*judgement.unchecked, *from_policies.unchecked)
    return DocumentResult(findings, details, unchecked, judgement.mutated, is_proposed)


def _of_policy(
    document: Document, gvk: GroupVersionKind, catalog: Catalog, options: ReportOptions
) -> DocumentResult | None:
    """What the API server says of an admission policy or its binding; None for other kinds of its group, and for a
    version that the release does not have.
    """
    if is_mutating(gvk):
        return DocumentResult([mutating_finding(document, required=options.require_schemas)])
    if not is_validating(gvk):
        return None
    from ovnguard.validators.cli.policy_documents import judge_served_policy  # loads the compiler of policies

    judged = judge_served_policy(document, gvk.version, catalog.kubernetes)
    return None if judged is None else DocumentResult([*judged.findings])


def _independent(documents: Sequence[Document]) -> Sequence[int]:
    """The numbers of the documents whose verdict needs no verdict of an earlier one: all but repeated objects.

    The first document stays here: what its verdict loads is then shared by all processes.
    """
    times = Counter(document.identity for document in documents if document.identity.name)
    return [number for number, each in enumerate(documents) if number and times[each.identity] < 2]


def _in_processes(
    numbers: Sequence[int], documents: Sequence[Document], view: ClusterView, catalog: Catalog, options: ReportOptions
) -> Iterator[DocumentResult]:
    """Iterate over the results of some documents, in their order."""
    if not numbers:
        return
    from ovnguard.validators.commandline.parallel import in_order  # a single process does not fork

    yield from in_order(lambda number: _judged(documents[number], view, catalog, options), numbers, options.jobs)
