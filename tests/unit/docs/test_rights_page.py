"""docs/rights.md is the table that tests compare with deploy/ and with runs."""

import pytest

from tests.support.pages.rights_page import render
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "rights.md"


def test_the_page_is_up_to_date(request: pytest.FixtureRequest) -> None:
    text = render()
    if request.config.getoption("--update"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
