"""Rule suites and the results of their cases, as values.

Source of the format: openshift/api, ``tests/types.go``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from validators.base.json_types import JsonObject
from validators.suite.crd_patches import Operation


class Phase(StrEnum):
    """Which list of the suite a case stands in."""

    CREATE = "onCreate"
    UPDATE = "onUpdate"


class CaseOutcome(StrEnum):
    """Failed: the verdict is another one than expected. Errored: the case could not be judged as it is written."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"


class TextForm(StrEnum):
    """In whose words a case passed: the server version's (also when a stored object was expected), or earlier ones."""

    NONE = ""
    EXACT = "exact"
    LEGACY = "legacy"


class SuiteFault(Exception):
    """A suite, a CRD or a feature gate file that cannot be used as it is; the text names file, line and remedy."""


@dataclass(frozen=True, slots=True)
class ObjectText:
    """An object that a case holds as YAML text: its value, or why there is none (``file:line: reason``)."""

    value: JsonObject | None
    fault: str = ""

    def get(self) -> JsonObject:
        """Return the object. Raises SuiteFault when the text holds none."""
        if self.value is None:
            raise SuiteFault(self.fault)
        return self.value


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a suite. ``updated`` is None in a case of onCreate; a ``fault`` means that nothing else counts."""

    phase: Phase
    name: str
    line: int
    initial: ObjectText
    updated: ObjectText | None
    expected: ObjectText
    expected_error: str = ""
    expected_status_error: str = ""
    patches: tuple[Operation, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite file. ``feature_gates`` are as written, ``-Gate`` for one that must be off.

    ``label`` is the path that reports show, ``file`` the one that opens the file from the working folder.
    """

    file: str
    label: str
    name: str
    crd_name: str
    version: str
    feature_gates: tuple[str, ...]
    cases: tuple[Case, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """A CRD and the file it is from; ``label`` is the path that reports show."""

    path: Path
    label: str
    value: JsonObject

    @property
    def name(self) -> str:
        """``metadata.name``, empty when there is none."""
        name = mapping(self.value.get("metadata")).get("name")
        return name if isinstance(name, str) else ""

    @property
    def annotations(self) -> Mapping[str, object]:
        """``metadata.annotations``."""
        return mapping(mapping(self.value.get("metadata")).get("annotations"))


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one case under one CRD file; ``suite`` and ``crd_file`` are relative to the PATH they are from.

    ``file`` and ``line`` say where the case stands, as seen from the working folder. A suite that cannot be read at
    all is one errored result without case and phase.
    """

    suite: str
    crd_file: str
    case: str
    phase: str
    outcome: CaseOutcome
    message: str = ""
    text_form: TextForm = TextForm.NONE
    file: str = ""
    line: int = 1

    @property
    def passed(self) -> bool:
        """Whether the verdict is the expected one."""
        return self.outcome is CaseOutcome.PASSED


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """All results in the order of the files; ``warnings`` are lines for people about what suites say in vain."""

    cases: tuple[CaseResult, ...]
    warnings: tuple[str, ...] = ()

    def count(self, outcome: CaseOutcome) -> int:
        """How many cases ended so."""
        return sum(case.outcome is outcome for case in self.cases)

    def texts(self, form: TextForm) -> int:
        """How many cases passed in this form; those that expect a stored object count as exact."""
        return sum(case.text_form is form for case in self.cases)

    @property
    def suites(self) -> int:
        """How many suite files were run."""
        return len({case.file or case.suite for case in self.cases})

    @property
    def runs(self) -> int:
        """How many times a suite was run under a CRD file."""
        return len({(case.file, case.suite, case.crd_file) for case in self.cases if case.crd_file})

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return all(case.passed for case in self.cases)


def mapping(value: object) -> Mapping[str, object]:
    """The value when it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}
