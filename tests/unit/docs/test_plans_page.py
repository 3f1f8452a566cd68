"""docs/plans.md: it names every golden plan, and no other; its text is that of a golden one."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_every_golden_plan_is_named() -> None:
    rows = [line for line in (ROOT / "docs" / "plans.md").read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    named = [name for row in rows[1:] for name in re.findall(r"[a-z0-9-]+", row.split("|")[1])]
    folders = sorted(each.name for each in (ROOT / "tests/golden/plan").iterdir())
    assert sorted([*named, "text"]) == folders


def test_the_text_of_a_plan_is_a_golden_one() -> None:
    golden = (ROOT / "tests/golden/plan/text/changed-subnet.txt").read_text(encoding="utf-8")
    shown = re.findall(r"```\n(.*?)```\n", (ROOT / "docs/plans.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(shown) == 3
    assert all(part in golden for part in shown)
