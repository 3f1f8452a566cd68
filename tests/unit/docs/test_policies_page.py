import pytest

from tests.support.paths import ROOT
from tests.support.pages.policies_page import render

PAGE = ROOT / "docs" / "policies.md"


def test_the_page_is_up_to_date(request: pytest.FixtureRequest) -> None:
    text = render()
    if request.config.getoption("--update"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
