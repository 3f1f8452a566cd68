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


SET = 'repository = "https://git.test/o"\nregistry = "r.test/o"\n'


@pytest.mark.parametrize(
    ("file", "text", "missing"),
    [
        ("CHANGELOG.md", "## Unreleased\n\n## 1.0.0\n\n- A change.\n", []),
        (
            "CHANGELOG.md",
            "## Unreleased\n\n- A change.\n\n## 1.0.0\n",
            ["CHANGELOG.md: the version of the changes under Unreleased"],
        ),
        ("CODEOWNERS", "* @MAINTAINERS\n", ["CODEOWNERS: the team that @MAINTAINERS stands for"]),
        ("release.toml", 'repository = ""\nregistry = ""\n', ["release.toml: repository", "release.toml: registry"]),
    ],
)
def test_what_a_publication_needs(file: str, text: str, missing: list[str], tmp_path: Path) -> None:
    files = {
        "CODEOWNERS": "* @net/guards\n",
        "CHANGELOG.md": "## 1.0.0\n\n- A change.\n",
        "release.toml": SET,
        file: text,
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert unset(tmp_path) == missing
