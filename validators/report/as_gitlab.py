"""The report as GitLab's Code Quality artifact.

Source: GitLab documentation, "Code Quality", section "Code Quality report format".
"""

import json
from collections import Counter
from hashlib import sha256
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.report.findings import Finding, Report, Severity

_SEVERITIES: Final = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def render(report: Report) -> str:
    """Return the report as indented JSON text with a final newline."""
    seen: Counter[str] = Counter()
    entries = []
    for finding in report.findings:
        # lines move, so they take no part in the fingerprint; equal findings differ by their number
        identity = "\n".join((finding.file, *finding.subject[2:], finding.rule, finding.path, finding.message))
        seen[identity] += 1
        entries.append(_entry(finding, sha256(f"{identity}\n{seen[identity]}".encode(errors="replace")).hexdigest()))
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _entry(finding: Finding, fingerprint: str) -> JsonObject:
    return {
        "description": f"{finding.subject.title}: {finding.text}" if finding.subject.kind else finding.text,
        "check_name": finding.rule or finding.reason,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": finding.file, "lines": {"begin": finding.line}},
    }
