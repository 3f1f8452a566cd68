"""docs/rights.md is the table that tests compare with deploy/ and with runs."""

from collections.abc import Callable
from pathlib import Path

from tests.support.pages.rights_page import render
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "rights.md"


def test_the_page_is_up_to_date(generated: Callable[[Path, str, str], None]) -> None:
    generated(PAGE, render(), "pytest tests/unit/docs --update")
