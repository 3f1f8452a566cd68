"""Reports of the preflight and of audits keep the published schemas of their formats."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ovnguard.validators.cli.preflight import preflight
from tests.support.example_archive import contents
from tests.support.gathered_archive import packed
from tests.support.paths import ROOT
from tests.support.reconciler_cli import run
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

pytestmark = pytest.mark.functional

# GitLab documentation, "Code Quality report format": the fields that it reads, and the values of severity.
CODE_QUALITY: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "additionalProperties": False,
                "required": ["path", "lines"],
                "properties": {
                    # relative to the repository, without a leading ./
                    "path": {"type": "string", "pattern": "^[^./]"},
                    "lines": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Reports of errors, warnings and notes, of files with texts that must be escaped, and of one without an object."""
    folder = tmp_path_factory.mktemp("manifests")
    names = ("sarif", "junit", "gitlab")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("XDG_CACHE_HOME", str(folder / ".cache"))
        for file in sorted((ROOT / "deploy" / "examples").rglob("*.yaml")):
            (folder / file.name).write_bytes(file.read_bytes())
        valid = (folder / "green-layer3.yaml").read_text()
        (folder / "a b&<ü>.yaml").write_text(re.sub("name: green", "name: a-name-of-more-than-fifteen", valid, count=1))
        (folder / "wrong text.yaml").write_text(valid.replace("Primary", '"<&]]>\\e\\u2028\\""'))
        (folder / "none.yaml").write_text("a: [1\n")
        assert preflight([*(f"-o{name}={name}" for name in names), "-v", "--require-schemas", "."]) == 2
        assert preflight([*(f"-o{name}={name}-none" for name in names), "-q", "green-layer3.yaml"]) == 0
        (folder / "a b&<ü>.tar.gz").write_bytes(packed(contents()))
        audits = {f"{name}-audit": run("audit", "a b&<ü>.tar.gz", "-o", name) for name in ("sarif", "junit")}
    assert {each.code for each in audits.values()} == {1}
    found = {each: (folder / each).read_text(encoding="utf-8") for name in names for each in (name, f"{name}-none")}
    return found | {name: each.out for name, each in audits.items()}


def test_there_is_something_to_check(reports: dict[str, str]) -> None:
    results = json.loads(reports["sarif"])["runs"][0]["results"]
    assert {each["level"] for each in results} == {"error", "warning", "note"}
    assert json.loads(reports["gitlab-none"]) == []


@pytest.mark.parametrize("name", ["sarif", "sarif-none", "sarif-audit"])
def test_sarif(reports: dict[str, str], name: str, parts: Parts) -> None:
    need(parts, "report-schemas")
    schema = json.loads(parts["report-schemas"].file("sarif-2.1.0.json").read_text(encoding="utf-8"))
    checker = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in checker.iter_errors(json.loads(reports[name]))] == []
    assert [error.message for error in checker.iter_errors({"version": "2.1.0"})] == ["'runs' is a required property"]


@pytest.mark.parametrize("name", ["junit", "junit-none", "junit-audit"])
def test_junit(reports: dict[str, str], name: str, parts: Parts, tmp_path: Path) -> None:
    need(parts, "report-schemas")
    xmlschema = pytest.importorskip("xmlschema", reason="needs xmlschema: make test installs it")
    schema = xmlschema.XMLSchema(parts["report-schemas"].file("junit-10.xsd"))
    # `file`, which GitLab reads, and `line` are additions to the schema
    plain = re.sub(r'(<testcase [^>]*?) file="[^"]*" line="\d+"', r"\1", reports[name])
    assert plain.count("<testcase ") == reports[name].count(" line=")
    document = tmp_path / "junit.xml"
    document.write_text(plain, encoding="utf-8")
    assert [error.reason for error in schema.iter_errors(document)] == []
    document.write_text('<testsuite name="a" tests="1" failures="0"/>', encoding="utf-8")
    assert [error.reason for error in schema.iter_errors(document)] == ["missing required attribute 'errors'"]


@pytest.mark.parametrize("name", ["gitlab", "gitlab-none"])
def test_gitlab(reports: dict[str, str], name: str) -> None:
    entries = json.loads(reports[name])
    jsonschema.validate(entries, CODE_QUALITY)
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
