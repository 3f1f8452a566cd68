"""docs/plans.md: it names every golden plan, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_every_golden_plan_is_named() -> None:
    rows = [line for line in (ROOT / "docs" / "plans.md").read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    named = [name for row in rows[1:] for name in re.findall(r"[a-z0-9-]+", row.split("|")[1])]
    folders = sorted(each.name for each in (ROOT / "tests/golden/plan").iterdir())
    assert sorted([*named, "text"]) == folders
