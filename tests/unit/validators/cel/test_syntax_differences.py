"""Texts that cannot be read in either engine, where ours gives up with fewer or other errors: known, and no more."""

import json
from pathlib import Path

import pytest

from ovnguard.validators.cel.types.errors import InvalidRule
from tests.support.cel.cel_compile import compile_rule

ROWS = json.loads(Path(__file__).with_name("syntax_differences.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=[row["rule"] for row in ROWS])
def test_is_refused_in_other_words(row):
    with pytest.raises(InvalidRule) as caught:
        compile_rule(row["rule"], {"type": "string"}, message="MSG")
    assert caught.value.text == row["ours"]
    assert row["ours"] != row["server"]


def test_at_most_thirteen_differences_are_known():
    assert len(ROWS) <= 13
