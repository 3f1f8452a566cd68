"""The findings of a preflight, ready to be written in any format."""

from enum import StrEnum
from typing import Final, NamedTuple

from validators.base.unchecked import Unchecked

API_VERSION: Final = "ovnguard.io/v1"
BAD_INPUT: Final = "BadInput"
NOT_JUDGED: Final = "NotJudged"


class Severity(StrEnum):
    """An error refuses an object, a warning does not; a note reports a decision or a skipped check."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(NamedTuple):
    """One error, warning or note at one position in a file.

    ``type`` is the API server's cause reason (``FieldValueInvalid`` ...), `BAD_INPUT`, `NOT_JUDGED` or ``Note``;
    ``rule`` is the id of the rule that made the finding, the location of a rule in a foreign CRD, or empty.
    """

    file: str
    line: int
    column: int
    field: str
    type: str
    message: str
    rule: str
    severity: Severity


class Report(NamedTuple):
    """The findings to write, in the order of their files.

    ``objects`` counts the judged objects; ``errors`` and ``warnings`` count all findings of that severity, including
    those that are not written. ``unchecked`` are the rules that lack facts, of all objects.
    """

    files: int
    objects: int
    errors: int
    warnings: int
    findings: tuple[Finding, ...]
    unchecked: tuple[Unchecked, ...] = ()
