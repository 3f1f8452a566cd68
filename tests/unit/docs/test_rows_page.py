import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ovnguard.reconciler.plan.comparison.explanations import EXPLANATIONS
from tests.support.pages.rows_page import EXPLAINED, TRACED, render
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "rows.md"


def test_the_page_is_up_to_date(generated: Callable[[Path, str, str], None]) -> None:
    generated(PAGE, render(), "pytest tests/unit/docs --update")


def test_every_rule_has_its_own_id():
    assert [each for each, count in Counter(each.id for each in EXPLANATIONS).items() if count > 1] == []


def test_the_test_that_follows_packets_exists() -> None:
    path, _, name = TRACED.partition("::")
    assert f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("explanation", EXPLANATIONS, ids=lambda each: each.id)
def test_every_rule_names_its_source_and_how_much_it_explains(explanation):
    assert re.fullmatch(r"[a-z_0-9/]+\.go: \w+(?:, line [0-9]+ at [0-9a-f]{12})?", explanation.source)
    assert EXPLAINED[explanation.id] > 0


@pytest.mark.parametrize("explanation", EXPLANATIONS, ids=lambda each: each.id)
def test_no_rule_spans_all_rows(explanation):
    for pattern in explanation.patterns:
        re.compile(pattern.rows), re.compile(pattern.observed), re.compile(pattern.planned)
        assert pattern.tables
        assert pattern.rows not in ("", ".*", ".+"), "name the rows"
