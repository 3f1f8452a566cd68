import re
from collections import Counter

from collections.abc import Callable
from pathlib import Path

import pytest

from reconciler.plan.comparison.explanation import NO_PACKETS
from reconciler.plan.comparison.explanations import EXPLANATIONS
from tests.support.pages.rows_page import render
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "rows.md"


def test_the_page_is_up_to_date(generated: Callable[[Path, str, str], None]) -> None:
    generated(PAGE, render(), "pytest tests/unit/docs --update")


def test_every_rule_has_its_own_id():
    assert [each for each, count in Counter(each.id for each in EXPLANATIONS).items() if count > 1] == []


@pytest.mark.parametrize("explanation", EXPLANATIONS, ids=lambda each: each.id)
def test_the_test_that_shows_equal_packets_exists(explanation):
    if explanation.shown_by == NO_PACKETS:
        return
    path, _, name = explanation.shown_by.partition("::")
    assert re.search(rf"^def {re.escape(name)}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), name


@pytest.mark.parametrize("explanation", EXPLANATIONS, ids=lambda each: each.id)
def test_no_rule_spans_all_rows(explanation):
    for pattern in explanation.patterns:
        re.compile(pattern.rows), re.compile(pattern.observed), re.compile(pattern.planned)
        assert pattern.tables
        assert pattern.rows not in ("", ".*", ".+"), "name the rows"
