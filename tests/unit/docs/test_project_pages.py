"""SECURITY.md, CODE_OF_CONDUCT.md, CODEOWNERS, the issue templates and the page about releases."""

import re
from pathlib import Path

import pytest
import yaml

from tests.support.paths import ROOT

PAGES = ("SECURITY.md", "CODE_OF_CONDUCT.md", "docs/promises.md", "docs/releasing.md")
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
FORMS = [path for path in TEMPLATES if path.name != "config.yml"]


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for target, anchor in re.findall(
        r"\]\((?!https:)([^)#]+)(?:#([\w-]+))?\)", (ROOT / name).read_text(encoding="utf-8")
    ):
        text = ((ROOT / name).parent / target).read_text(encoding="utf-8")
        titles = {title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
        assert not anchor or anchor in titles, (target, anchor)


def test_the_code_of_conduct_is_the_contributor_covenant() -> None:
    text = (ROOT / "CODE_OF_CONDUCT.md").read_text(encoding="utf-8")
    assert "https://www.contributor-covenant.org/version/2/1/code_of_conduct/" in text


def test_every_file_has_an_owner() -> None:
    rules = [line.split() for line in (ROOT / "CODEOWNERS").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    assert rules[0][0] == "*"
    assert all(re.fullmatch(r"@[\w/-]+", owner) for _, *owners in rules for owner in owners)
    assert [pattern for pattern, *_ in rules[1:] if not (ROOT / pattern.strip("/")).exists()] == []


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_what_a_forge_can_ask(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(form) == {"name", "description", "labels", "body"}
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert {each["type"] for each in form["body"]} <= {"markdown", "textarea", "input"}
    assert len({each["id"] for each in fields}) == len(fields) > 0
    assert all(each["attributes"]["label"] for each in fields)
    assert any(each.get("validations") == {"required": True} for each in fields)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_names_files_that_exist(path: Path) -> None:
    names = re.findall(r"\b(?:docs/)?[\w-]+\.md\b", path.read_text(encoding="utf-8"))
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_nobody_reports_a_vulnerability_in_public() -> None:
    assert yaml.safe_load((TEMPLATES[0].parent / "config.yml").read_text(encoding="utf-8")) == {
        "blank_issues_enabled": False
    }
    assert all("SECURITY.md" in path.read_text(encoding="utf-8") for path in TEMPLATES if path.stem != "request")
