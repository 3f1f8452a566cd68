"""Objects that cannot be judged: kinds without a schema, and definitions that the API server would refuse."""

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import Final

from ovnguard import crd_schemas
from ovnguard.validators.base.field import FieldError
from ovnguard.validators.bundled.catalog import Catalog, GroupVersionKind, gvk_of
from ovnguard.validators.cli.built_in_kinds import groups, is_built_in, kinds_of
from ovnguard.validators.cli.document_findings import finding_at, note_about, of_error
from ovnguard.validators.crd.compiled_crd import InvalidCRD
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.report.findings import BAD_INPUT, NOT_JUDGED, Finding, Severity

POLICY_GROUP: Final = "admissionregistration.k8s.io"
MUTATING_RULE: Final = "mutating-admission-policy"
"""The id of the warning about a mutating policy or its binding."""
_MUTATING: Final = frozenset({"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"})
_VALIDATING: Final = frozenset({"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"})
GROUP_RULE: Final = "kind-in-another-group"
"""The id of the warning about a kind that is known only in another group."""
_SHARED_SCHEMA: Final = "spec.validation."
_FIRST_SCHEMA: Final = "spec.versions[0].schema."
_STORED: Final = "status.storedVersions"
_ESTIMATED: Final = "estimated rule cost"
_ALMOST: Final = 0.8
"""The least similarity of a misspelt kind to a known one, as difflib measures it."""
_ALMOST_GROUP: Final = 0.9
"""That of groups, of which others may have the same kinds."""


class GivenDefinitions:
    """Given CRDs by group and kind: those whose faults were not reported yet, and the kinds of the others."""

    def __init__(self, unreported: dict[tuple[str, str], Document] | None = None) -> None:
        self.unreported = unreported or {}
        self.reported: set[tuple[str, str]] = set()


def definition_findings(document: Document, kubernetes: str) -> Iterator[Finding]:
    """Iterate over what a release says about a CustomResourceDefinition, as a creation or an update of the old one.

    The API server names unknown fields and validates nothing else.
    """
    from ovnguard.validators.crd.definition_verdict import judge_definition  # few runs judge definitions

    verdict = judge_definition(document.value, document.old, kubernetes)
    if verdict.ignored_old:
        text = f"judged as a new definition; the old one cannot be read: {verdict.ignored_old}"
        yield finding_at(document, "", "Warning", text, "", Severity.WARNING)
    yield from (of_error(document, error, Severity.ERROR) for error in verdict.unknown)
    # the metadata is checked twice
    for found in _faults(document, {error.text: error for error in verdict.errors}.values()):
        yield found._replace(severity=Severity.NOTE, is_later=True) if verdict.unknown else found
    for text in verdict.warnings:
        yield finding_at(document, "", "Warning", text, "", Severity.WARNING)


def _faults(document: Document, errors: Collection[FieldError]) -> Iterator[Finding]:
    """The errors of a definition at their places in its file, and what helps against those about cost."""
    for fault in errors:
        found = of_error(document, fault, Severity.ERROR)
        # the API server moves a schema that all versions share; stored versions are in the status of the old object
        written = fault.field.replace(_SHARED_SCHEMA, _FIRST_SCHEMA, 1)
        position = document.position("spec.versions" if written.startswith(_STORED) else written)
        yield found._replace(line=position.line, column=position.column)
    if any(_ESTIMATED in fault.detail for fault in errors):
        file = "CRD" if document.file == "<stdin>" else document.file
        yield note_about(
            document, f"'kubectl ovn-preflight cost {file}' shows which size is unknown and which bound helps"
        )


def invalid_definition(
    document: Document, gvk: GroupVersionKind, error: InvalidCRD, definitions: GivenDefinitions
) -> list[Finding]:
    """Return the findings about an object whose CRD is invalid: the faults of a given CRD, once, at their own lines."""
    definition = definitions.unreported.pop((gvk.group, gvk.kind), None)
    if definition is None:
        reported = (gvk.group, gvk.kind) in definitions.reported
        definitions.reported.add((gvk.group, gvk.kind))
        text = f"the CRD for {gvk} is invalid" + ("" if reported else f": {_first(error)}; give another with --crds")
        severity = Severity.NOTE if reported else Severity.ERROR
        return [finding_at(document, "", NOT_JUDGED if reported else BAD_INPUT, text, "", severity)]
    definitions.reported.add((gvk.group, gvk.kind))
    faults = [each._replace(reason=BAD_INPUT) for each in _faults(definition, error.errors)]
    return [
        *faults,
        finding_at(document, "", NOT_JUDGED, f"not judged: the CRD for {gvk} is invalid", "", Severity.NOTE),
    ]


def _first(error: InvalidCRD) -> str:
    """The first error in one line, and how many more there are: a compiler's errors are drawings of many lines."""
    first, *more = error.errors
    return first.text.partition("\n")[0] + (f" (and {len(more)} more)" if more else "")


def is_mutating(kind: GroupVersionKind) -> bool:
    """Return whether a kind is a MutatingAdmissionPolicy or its binding, of any version."""
    return kind.group == POLICY_GROUP and kind.kind in _MUTATING


def is_validating(kind: GroupVersionKind) -> bool:
    """Return whether a kind is a ValidatingAdmissionPolicy or its binding, of any version."""
    return kind.group == POLICY_GROUP and kind.kind in _VALIDATING


def mutating_finding(document: Document, *, required: bool = False) -> Finding:
    """Return the finding that names a mutating policy as not judged; an error if a schema is ``required``."""
    text = f"not judged: {gvk_of(document.value)} would change objects, which are judged as they are written"
    rule, severity = ("", Severity.ERROR) if required else (MUTATING_RULE, Severity.WARNING)
    return finding_at(document, "kind", NOT_JUDGED, text, rule, severity)


def without_schema(document: Document, gvk: GroupVersionKind, catalog: Catalog, *, required: bool) -> Finding:
    """Return the finding about a kind without a schema; a kind that looks misspelt is wrong input."""
    similar = "" if is_built_in(gvk) else _similar(gvk, catalog)
    if similar:
        text = f"unknown kind {gvk}; did you mean {similar}?"
        return finding_at(document, "kind", BAD_INPUT, text, "", Severity.ERROR)
    severity = Severity.ERROR if required else Severity.NOTE
    if is_built_in(gvk):
        return finding_at(document, "kind", NOT_JUDGED, f"not judged: {gvk} is built into the API server", "", severity)
    text, known = f"not judged: no schema for {gvk}", _in_another_group(gvk, catalog)
    if not known:
        return finding_at(document, "kind", NOT_JUDGED, f"{text}; give its CRD with --crds", "", severity)
    rule, severity = ("", Severity.ERROR) if required else (GROUP_RULE, Severity.WARNING)
    text = f"{text}; did you mean {known}? If not, give its CRD with --crds"
    return finding_at(document, "apiVersion", NOT_JUDGED, text, rule, severity)


def _in_another_group(gvk: GroupVersionKind, catalog: Catalog) -> str:
    """The same kind in a group with a schema; "" for a kind of a group that has other schemas, and thus is meant."""
    known = () if gvk.group in catalog.groups() else catalog.groups()
    versions = ((group, catalog.kinds(group).get(gvk.kind)) for group in known)
    return next((str(gvk._replace(group=group, version=found)) for group, found in versions if found), "")


def _similar(gvk: GroupVersionKind, catalog: Catalog) -> str:
    """A known kind that is spelt almost like this one, this kind in a known version, or in a group almost like its own.

    The core group has no other kinds than the built-in ones, so a bundled kind there lacks its group.
    """
    built_in, bundled = kinds_of(gvk.group), catalog.kinds(gvk.group)
    known = built_in | bundled
    if not known or (not gvk.group and gvk.kind not in known):
        others = tuple(dict.fromkeys((*groups(), *(group for group, _, _ in crd_schemas.kinds()))))
        close = get_close_matches(gvk.group, others, 3, _ALMOST_GROUP) if gvk.group else others
        for group in close:
            version = (catalog.kinds(group) | (kinds_of(group) if gvk.group else {})).get(gvk.kind)
            if version is not None:
                return str(gvk._replace(group=group, version=version))
    if gvk.kind in known:
        # other servers may serve other versions of built-in kinds
        return str(gvk._replace(version=bundled[gvk.kind])) if gvk.kind in bundled else ""
    close = get_close_matches(gvk.kind, known, 1, _ALMOST)
    return str(gvk._replace(kind=close[0], version=known[close[0]])) if close else ""
