"""Findings about documents: errors, warnings and notes with the position of their field."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Final

from ovnguard.validators.admission import Judgement
from ovnguard.validators.base.field import ROOT, RULES_NOT_CHECKED, FieldError
from ovnguard.validators.cli.hints.schema_places import value_at
from ovnguard.validators.go.text import GoText, quote
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.manifest.documents import Document, SourceProblem
from ovnguard.validators.manifest.positions import Position
from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.node import node_of
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.report.findings import BAD_INPUT, Finding, Severity, Subject

_STRUCT_FIELD: Final = lazy_pattern(r"Go struct field (\w*)\.(\S+) of type ")
LONGEST_TEXT: Final = 10_000
"""Characters of the detail of a finding: each finding about an enumeration has all its values."""
_KEY: Final = lazy_pattern(r"(?:^|NetConf\.)(\w+)(?=[.\w\[\]]*(?:: | of type ))")
_LONGEST_KEY: Final = 100
_WHOLE_METADATA: Final = "Go value of type v1.ObjectMeta"


def problem_finding(problem: SourceProblem) -> Finding:
    """Return the finding for input that could not be read."""
    subject = Subject(problem.file)
    return Finding(subject, problem.line, problem.column, "", BAD_INPUT, problem.message, "", Severity.ERROR)


def node_findings(document: Document) -> Iterator[Finding]:
    """Iterate over the findings about a Node, which is a fact for rules: an unreadable field is a warning."""
    if group_kind_of(document.value) != NODE:
        return
    parsed = node_of(document.value)
    for error in parsed.errors:
        if parsed.node is None:
            yield finding_at(document, error.field, BAD_INPUT, error.body, error.rule, Severity.ERROR)
        else:
            yield of_error(document, error, Severity.WARNING)


def judgement_findings(document: Document, judgement: Judgement) -> Iterator[Finding]:
    """Return the errors, warnings and notes of a judgement at their positions in the document."""
    at = partial(of_error, document)
    yield from (at(error, Severity.ERROR) for error in judgement.errors)
    yield from (at(error, Severity.WARNING) for error in judgement.warnings)
    for warning in judgement.schema_warnings:
        yield finding_at(document, "", "Warning", warning, "", Severity.WARNING)
    yield from (note_about(document, note) for note in judgement.notes)


def of_error(document: Document, error: FieldError, severity: Severity) -> Finding:
    """Return the finding of a field error."""
    field = _named_field(error.detail) if error.field == ROOT else error.field
    if error.detail == RULES_NOT_CHECKED:
        # the errors before it are the reason, so it is none
        return note_about(document, error.detail)
    error = _shortened(error)
    found = finding_at(document, field, error.type.value, error.body, error.rule, severity)
    inside = _inside(document, error) if field == CONFIG_FIELD else None
    if inside is not None:
        found = found._replace(line=inside.line, column=inside.column)
    return found._replace(value=error.head, detail=error.detail)


def _inside(document: Document, error: FieldError) -> Position | None:
    """The position of an error inside the JSON text of an attachment's configuration: of its syntax, or of the key."""
    text = value_at(document.value, CONFIG_FIELD)
    if not isinstance(text, str):
        return None
    try:
        json.loads(text)
    except json.JSONDecodeError as wrong:
        return document.position_inside(CONFIG_FIELD, text, min(wrong.pos, len(text.rstrip()) - 1))
    except (ValueError, RecursionError):
        return None
    words = (error.bad_value, *_KEY.findall(error.detail))
    keys = [key for key in words if isinstance(key, str) and len(key) < _LONGEST_KEY]
    offset = next((at for key in keys if (at := text.find(quote(key))) >= 0), None)
    return None if offset is None else document.position_inside(CONFIG_FIELD, text, offset)


def _shortened(error: FieldError) -> FieldError:
    """Shorten the texts that errors share before each of them is printed whole."""
    value = error.bad_value
    shared = GoText(_cut(value)) if isinstance(value, GoText) else value
    return error._replace(bad_value=shared, detail=_cut(error.detail))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}... ({len(text)} characters)"


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


def note_about(document: Document, text: str) -> Finding:
    """Return a note about a whole object."""
    return finding_at(document, "", "Note", text, "", Severity.NOTE)


def finding_at(document: Document, field: str, kind: str, message: str, rule: str, severity: Severity) -> Finding:
    """Return a finding at the place of ``field``; ``kind`` is its reason."""
    position = document.position(field)
    return Finding(subject_of(document), position.line, position.column, field, kind, message, rule, severity)


def subject_of(document: Document) -> Subject:
    """Return the object of a document as findings name it."""
    metadata = document.value.get("metadata")
    generated = str(metadata.get("generateName") or "") if isinstance(metadata, dict) else ""
    _, kind, namespace, name = document.identity
    return Subject(document.file, document.position("").line, kind, namespace, document.shown_name or name or generated)
