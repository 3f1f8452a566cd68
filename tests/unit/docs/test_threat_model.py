"""Every threat has an answer and a test that exists."""

import re

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
THREATS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.partition("\n## Threats\n")[2].partition("\n## ")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| threat |")
]


@pytest.mark.parametrize("row", THREATS, ids=lambda row: row[0])
def test_each_threat_has_an_answer_and_tests_that_exist(row: list[str]) -> None:
    threat, answer, tests = row
    assert threat
    assert answer
    named = re.findall(r"`([^`]+)`", tests)
    assert named
    for each in named:
        path, _, name = each.partition("::")
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"def {name}\(", text), each


def test_there_are_threats() -> None:
    assert len(THREATS) > 10


def test_accounts_are_those_of_the_deployment() -> None:
    accounts = set()
    for path in (ROOT / "deploy").rglob("*.yaml"):
        accounts |= set(re.findall(r"kind: ServiceAccount\nmetadata:\n  name: (\S+)", path.read_text(encoding="utf-8")))
    assert accounts == set(re.findall(r"^\| account `([\w-]+)`", PAGE, re.MULTILINE))
