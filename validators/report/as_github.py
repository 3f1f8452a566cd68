"""The report as workflow commands of GitHub Actions, which annotate the changed files of a pull request.

Source: GitHub, "Workflow commands for GitHub Actions"; escapes as in ``actions/toolkit``, ``core/src/command.ts``.
"""

from typing import Final

from ovnguard.validators.report.findings import Finding, Report, Severity
from ovnguard.validators.report.visible_text import visible

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def render(report: Report) -> str:
    """Return one command for each finding, each with a line end."""
    return "".join(f"{_command(finding)}\n" for finding in report.findings)


def _command(finding: Finding) -> str:
    title = " ".join(part for part in (finding.subject.title, finding.rule and f"[{finding.rule}]") if part)
    properties = {"file": finding.file, "line": finding.line, "col": finding.column, "title": title}
    shown = ",".join(f"{key}={visible(str(value)).translate(_PROPERTY)}" for key, value in properties.items() if value)
    text = "\n".join(map(visible, finding.text.split("\n")))
    return f"::{_COMMANDS[finding.severity]} {shown}::{text.translate(_DATA)}"
