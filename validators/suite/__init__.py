"""Rule suites in the format of openshift/api, run without an API server.

``files`` is the only module here that touches the disk; `run_suites` is the way in.
"""

from validators.suite.files import NoSuites
from validators.suite.keywords import BadExpression
from validators.suite.model import CaseResult, Outcome, Phase, SuiteFault, SuiteReport, TextForm
from validators.suite.run import run_suites

__all__ = [
    "BadExpression",
    "CaseResult",
    "NoSuites",
    "Outcome",
    "Phase",
    "SuiteFault",
    "SuiteReport",
    "TextForm",
    "run_suites",
]
