"""The results of suites, and what an analysis of the same run found."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ovnguard.validators.suite.suite import SuiteReport

if TYPE_CHECKING:
    from ovnguard.validators.suite.coverage import Gap
    from ovnguard.validators.suite.mutation import Survivor


@dataclass(frozen=True, slots=True)
class AnalysedReport:
    """The report; the numbers of mutants that cases refused and of invalid ones, and the survivors; the number of
    rules with more mutants than were tried; the gaps.

    None stands for an analysis that was not asked for.
    """

    report: SuiteReport
    killed: int | None = None
    invalid: int = 0
    survivors: "tuple[Survivor, ...]" = ()
    cut: int = 0
    gaps: "tuple[Gap, ...] | None" = None
