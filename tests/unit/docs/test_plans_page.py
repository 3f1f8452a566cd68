"""docs/plans.md: it names every golden plan, and no other; its text is that of a golden one."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.pages import plan_pages, plan_pictures
from tests.support.pages.plan_cases import CASES
from tests.support.paths import ROOT
from tests.support.reconciler_cli import run
from tests.support.soak import limit

_CONSOLE = re.compile(r"```console\n\$ ovnguard-reconciler (.*?)(?: 2>&1 \| grep (.*?))?\n(.*?)```\n", re.DOTALL)


def test_every_command_prints_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, generated: Callable[[Path, str, str], None]
) -> None:
    """In this process: standard output, then standard error."""
    monkeypatch.chdir(ROOT)

    def replayed(found: re.Match[str]) -> str:
        done = run(*shlex.split(found[1]))
        lines = (done.out + done.err).splitlines(keepends=True)
        before = found[0].removesuffix(f"{found[3]}```\n")
        return f"{before}{''.join(line for line in lines if (found[2] or '') in line)}```\n"

    page = ROOT / "docs" / "plans.md"
    shown, count = _CONSOLE.subn(replayed, page.read_text(encoding="utf-8"))
    assert count == 2
    generated(page, shown, "make rules, or pytest tests/unit/docs --update")


def test_every_golden_plan_is_named() -> None:
    rows = [line for line in (ROOT / "docs" / "plans.md").read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    named = [name for row in rows[1:] for name in re.findall(r"[a-z0-9-]+", row.split("|")[1])]
    folders = sorted(each.name for each in (ROOT / "tests/golden/plan").iterdir())
    assert sorted([*named, "text"]) == folders


def test_the_text_of_a_plan_is_a_golden_one() -> None:
    golden = (ROOT / "tests/golden/plan/text/changed-subnet.txt").read_text(encoding="utf-8")
    page = _CONSOLE.sub("", (ROOT / "docs/plans.md").read_text(encoding="utf-8"))
    shown = re.findall(r"```\n(.*?)```\n", page, re.DOTALL)
    assert len(shown) == 3
    assert all(part in golden for part in shown)


# 20 networks on 7 nodes are planned twice, as they are and with the change
@limit(180)
@pytest.mark.parametrize("name", CASES)
def test_a_picture_is_that_of_the_plan(name: str, generated: Callable[[Path, str, str], None]) -> None:
    generated(plan_pictures.FOLDER / f"{name}.svg", CASES[name].printed("svg"), "pytest tests/unit/docs --update")


def test_every_picture_is_shown() -> None:
    page = (ROOT / "docs/plans.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\(pictures/(.*)\.svg\)", page) == list(CASES)
    assert sorted(file.stem for file in plan_pictures.FOLDER.iterdir()) == sorted(CASES)


def test_every_screen_is_shown_and_small() -> None:
    page = (ROOT / "docs/plans.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\(screens/(.*)\.png\)", page) == list(plan_pages.SCREENS)
    assert sorted(file.stem for file in plan_pages.FOLDER.iterdir()) == sorted(plan_pages.SCREENS)
    assert max(file.stat().st_size for file in plan_pages.FOLDER.iterdir()) < 300_000
