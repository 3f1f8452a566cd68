"""What a preflight found, ready to be written in any format."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

API_VERSION: Final = "ovnguard.io/v1"
BAD_INPUT: Final = "BadInput"
NOT_JUDGED: Final = "NotJudged"


class Severity(StrEnum):
    """Errors refuse an object; warnings do not; a note says what was decided on the way."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to say about one place.

    ``type`` is the API server's cause reason (``FieldValueInvalid`` ...), `BAD_INPUT` or `NOT_JUDGED`; ``rule`` is who
    spoke: a schema location, a network rule's id, or empty.
    """

    file: str
    line: int
    column: int
    field: str
    type: str
    message: str
    rule: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Report:
    """All findings in the order of their files; ``objects`` counts the judged ones."""

    files: int
    objects: int
    findings: tuple[Finding, ...]

    def count(self, severity: Severity) -> int:
        """How many findings have this severity."""
        return sum(finding.severity is severity for finding in self.findings)
