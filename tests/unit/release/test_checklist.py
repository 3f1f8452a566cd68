"""The checklist of a release: each command runs, and one that fails is named with what it prints."""

import shlex
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.release import checklist
from tests.support.release.checklist import PAGE, Check, checks, failed
from tests.support.release.unset import unset

LISTED = checks(PAGE.read_text(encoding="utf-8"))


def test_every_row_is_a_check() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("|---|---|\n")[2].partition("\n\n")[0]
    assert len(LISTED) == len(table.splitlines()) > 3


@pytest.mark.parametrize("check", LISTED, ids=lambda check: check.claim)
def test_files_of_a_command_exist(check: Check) -> None:
    names = [word.partition("::")[0] for word in shlex.split(check.command) if word.startswith("tests/")]
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_a_failure_is_named_with_what_it_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    python = shlex.quote(sys.executable)
    wrong = Check("the moon is a cheese", f"{python} -S -c 'print(\"no\"); raise SystemExit(3)'")
    assert failed([Check("two is two", f"{python} -S -c 'pass'"), wrong], tmp_path) == [wrong]
    printed = f"ok      two is two\nFAILED  the moon is a cheese\nno\n$ {wrong.command}: exit code 3\n"
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(("failures", "code"), [([], 0), ([Check("a", "b")], 1)])
def test_what_is_not_set_is_no_fault(
    failures: list[Check], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checklist, "failed", lambda listed: failures)
    monkeypatch.setattr(checklist, "unset", lambda: ["CODEOWNERS: the team"])
    assert checklist.main() == code
    assert capsys.readouterr().out == "not set: CODEOWNERS: the team\n"


@pytest.mark.parametrize(
    ("owners", "changes", "missing"),
    [
        ("* @net/guards\n", "## Unreleased\n\n## 1.0.0\n\n- A change.\n", []),
        ("* @net/guards\n", "## 1.0.0\n\n- A change.\n", []),
        ("* @MAINTAINERS\n", "## 1.0.0\n", ["CODEOWNERS: the team that @MAINTAINERS stands for"]),
        (
            "* @net/guards\n",
            "## Unreleased\n\n- A change.\n\n## 1.0.0\n",
            ["CHANGELOG.md: the version of the changes under Unreleased"],
        ),
    ],
)
def test_what_a_publication_needs(owners: str, changes: str, missing: list[str], tmp_path: Path) -> None:
    (tmp_path / "CODEOWNERS").write_text(owners, encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(changes, encoding="utf-8")
    assert unset(tmp_path) == missing
