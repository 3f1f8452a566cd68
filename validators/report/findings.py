"""The findings of a preflight, ready to be written in any format."""

from enum import StrEnum
from typing import Final, NamedTuple

from ovnguard.validators.base.unchecked import Unchecked

API_VERSION: Final = "ovnguard.io/v1"
BAD_INPUT: Final = "BadInput"
NOT_JUDGED: Final = "NotJudged"


class Severity(StrEnum):
    """An error refuses an object, a warning does not; a note reports a decision or a skipped check."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Subject(NamedTuple):
    """What a finding is about: an object that starts at ``line`` of a file, or the file itself, without a ``kind``."""

    file: str
    line: int = 1
    kind: str = ""
    namespace: str = ""
    name: str = ""

    @property
    def title(self) -> str:
        """Kind, namespace and name, as in ``UserDefinedNetwork red/blue``."""
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {name}".rstrip()


class Finding(NamedTuple):
    """One error, warning or note at one position in a file.

    ``path`` is the field in the API server's notation. ``reason`` is the API server's cause reason
    (``FieldValueInvalid`` ...), `BAD_INPUT`, `NOT_JUDGED` or ``Note``, and ``message`` its text without the path. That
    consists of ``value``, the kind of error and the bad value, and ``detail``; both are empty for other texts. ``rule``
    is the id of the rule that made the finding, the location of a rule in a foreign CRD, or empty. ``is_extra``: a note
    that people see only if they ask for all. ``is_later``: a note about an error that the API server reports only
    when the errors before it are corrected.
    """

    subject: Subject
    line: int
    column: int
    path: str
    reason: str
    message: str
    rule: str
    severity: Severity
    value: str = ""
    detail: str = ""
    is_extra: bool = False
    is_later: bool = False

    @property
    def label(self) -> str:
        """The word before the message."""
        return "then" if self.is_later else self.severity.value

    @property
    def file(self) -> str:
        """The file, ``<stdin>`` for standard input."""
        return self.subject.file

    @property
    def place(self) -> str:
        """File, line and column."""
        return f"{self.file}:{self.line}:{self.column}"

    @property
    def text(self) -> str:
        """The path and the message."""
        text = f"{self.path}: {self.message}" if self.path else self.message
        return f"then: {text}" if self.is_later else text


class Report(NamedTuple):
    """The findings to write, in the order of their files.

    ``objects`` counts the judged objects; ``errors`` and ``warnings`` count all findings of that severity, including
    those that are not written. ``unchecked`` are the rules that lack facts, of all objects. ``not_judged`` counts the
    objects without a known schema, ``kinds_not_judged`` their kinds. ``judged`` are the
    objects that ``objects`` counts, if they were asked for. ``skipped`` are files of other tools, with the tool.
    ``ignored`` counts the findings that the caller left out, ``proposed`` the accepted objects that only the proposed
    API fits, ``by_type`` those of built-in kinds, whose values the API server validates.
    """

    files: int
    objects: int
    errors: int
    warnings: int
    findings: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...] = ()
    not_judged: int = 0
    kinds_not_judged: int = 0
    judged: tuple[Subject, ...] = ()
    skipped: tuple[str, ...] = ()
    ignored: int = 0
    proposed: int = 0
    by_type: int = 0

    def without_extras(self) -> "Report":
        """Return the report without the notes that people see only if they ask for all."""
        return self._replace(findings=tuple(finding for finding in self.findings if not finding.is_extra))

    def by_subject(self) -> list[tuple[Subject, list[Finding]]]:
        """Return every judged object, and every other subject of a finding, with its findings; files stay together."""
        found: dict[Subject, list[Finding]] = {}
        for finding in self.findings:
            found.setdefault(finding.subject, []).append(finding)
        for subject in self.judged:
            found.setdefault(subject, [])
        names = dict.fromkeys(each.file for each in (*self.judged, *found))
        files = {file: number for number, file in enumerate(names)}
        return sorted(found.items(), key=lambda case: (files[case[0].file], case[0].line))
