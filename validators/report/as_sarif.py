"""The report in the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0)."""

import json
from collections.abc import Callable
from pathlib import PurePath
from typing import Final
from urllib.parse import quote

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.report.findings import BAD_INPUT, Finding, Report

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
# A message may have links, [text](destination); a bracket with a backslash is text (section 3.11.6).
_LINK: Final = lazy_pattern(r"\](?=\()")


def render(report: Report, requirement: Callable[[str], str], version: str, program: str = "ovn-preflight") -> str:
    """Return the report as indented JSON text with a final newline.

    ``requirement`` returns what the rule with an id requires, "" if that is unknown; ``version`` is the one of
    ``program``.
    """
    ids = sorted({_id(finding) for finding in report.findings})
    indexes = {each: index for index, each in enumerate(ids)}
    document = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": program,
                        "version": version,
                        "rules": [_rule(each, requirement(each)) for each in ids],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {"executionSuccessful": all(finding.reason != BAD_INPUT for finding in report.findings)}
                ],
                "results": [_result(finding, indexes[_id(finding)]) for finding in report.findings],
            }
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _id(finding: Finding) -> str:
    return finding.rule or finding.reason


def _rule(name: str, requirement: str) -> JsonObject:
    return {"id": name, **({"shortDescription": {"text": requirement}} if requirement else {})}


def _result(finding: Finding, index: int) -> JsonObject:
    place: JsonObject = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(finding.file)},
            "region": {"startLine": finding.line, "startColumn": finding.column},
        }
    }
    if finding.subject.kind:
        name = f"{finding.subject.title}: {finding.path}" if finding.path else finding.subject.title
        place["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "object"}]
    return {
        "ruleId": _id(finding),
        "ruleIndex": index,
        "level": finding.severity.value,
        "message": {"text": _LINK.sub(r"\\]", finding.text)},
        "locations": [place],
    }


def _uri(file: str) -> str:
    """A relative path stays relative to where the command ran."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="replace")
