"""Folders that tests read: the checkout, golden files, case files and upstream data."""

import os
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
TESTS: Final = ROOT / "tests"
GOLDEN: Final = TESTS / "golden"
CEL_DATA: Final = TESTS / "unit" / "validators" / "cel"
RULE_CASES: Final = TESTS / "unit" / "validators" / "network" / "rules" / "cases"


def shared_folder() -> Path | None:
    """Upstream data to run against: $OVNGUARD_SHARED, else `shared` next to the checkout; None if there is none."""
    folder = Path(os.environ.get("OVNGUARD_SHARED", ROOT.parent / "shared"))
    return folder if (folder / "conformance").is_dir() else None
