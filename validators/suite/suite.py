"""Rule suites and the results of their cases, as values.

Source of the format: openshift/api, ``tests/types.go``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.suite.crd_patches import Operation


class Phase(StrEnum):
    """The list of the suite that contains a case."""

    CREATE = "onCreate"
    UPDATE = "onUpdate"


class CaseOutcome(StrEnum):
    """Failed: the verdict differs from the expected one. Errored: the case as written could not be judged."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"


class TextForm(StrEnum):
    """The release whose text made a case pass: this server version (also for an expected stored object), or an earlier
    one.
    """

    NONE = ""
    EXACT = "exact"
    LEGACY = "legacy"


class SuiteFault(Exception):
    """A suite, a CRD or a feature gate file that is unusable; the text names file, line and remedy."""


@dataclass(frozen=True, slots=True)
class ObjectText:
    """An object that a case contains as YAML text: its value, or the reason why it has none (``file:line: reason``)."""

    value: JsonObject | None
    fault: str = ""

    def get(self) -> JsonObject:
        """Return the object. Raises SuiteFault when the text contains none."""
        if self.value is None:
            raise SuiteFault(self.fault)
        return self.value


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a suite. ``updated`` is None in a case of onCreate; with a ``fault`` the other fields have no
    meaning.
    """

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

    ``label`` is the path in reports, ``file`` the path from the working folder.
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
    """A CRD and its file; ``label`` is the path in reports."""

    path: Path
    label: str
    value: JsonObject

    @property
    def name(self) -> str:
        """``metadata.name``, or empty."""
        name = mapping(self.value.get("metadata")).get("name")
        return name if isinstance(name, str) else ""

    @property
    def annotations(self) -> Mapping[str, object]:
        """``metadata.annotations``, or empty."""
        return mapping(mapping(self.value.get("metadata")).get("annotations"))


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case under one CRD file; ``suite`` and ``crd_file`` are relative to the PATH argument that led
    to them.

    ``file`` and ``line`` locate the case, relative to the working folder. An unreadable suite is one errored result
    without case and phase.
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
    """All results in the order of the files; ``warnings`` are lines for people about parts of suites without effect."""

    cases: tuple[CaseResult, ...]
    warnings: tuple[str, ...] = ()

    def count(self, outcome: CaseOutcome) -> int:
        """The number of cases with this outcome."""
        return sum(case.outcome is outcome for case in self.cases)

    def texts(self, form: TextForm) -> int:
        """The number of cases that passed in this form; cases that expect a stored object count as exact."""
        return sum(case.text_form is form for case in self.cases)

    @property
    def suites(self) -> int:
        """The number of suite files that were run."""
        return len({case.file or case.suite for case in self.cases})

    @property
    def runs(self) -> int:
        """The number of pairs of a suite and a CRD file that were run."""
        return len({(case.file, case.suite, case.crd_file) for case in self.cases if case.crd_file})

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return all(case.passed for case in self.cases)


def mapping(value: object) -> Mapping[str, object]:
    """The value when it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}
