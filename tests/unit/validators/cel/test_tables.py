"""Rules against recorded outcomes of the API server's own code: verdict, text, cost, estimated cost, fast form."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from ovnguard.validators.cel.types.errors import InvalidRule
from tests.support.cel.cel_compile import compile_rule
from tests.support.generated_rule import FALLBACK, cost_bound, estimated_cost, fast

TABLES = Path(__file__).with_name("tables")


def rows():
    for table in sorted(TABLES.glob("*.json")):
        recorded = json.loads(table.read_text(encoding="utf-8"))
        for row in recorded["rules"]:
            yield pytest.param(recorded["schema"], recorded["value"], row, id=f"{table.stem}: {row['rule']}")


def factor(cost):
    share = cost / 10_000_000
    if share <= 1:
        return ""
    if share > 100:
        return "more than 100x"
    return f"{share:f}x" if share < 1.5 else f"{share:.1f}x"


@pytest.mark.parametrize(("schema", "value", "row"), list(rows()))
def test_rule(schema, value, row):
    if "refused" in row:
        with pytest.raises(InvalidRule) as caught:
            compile_rule(row["rule"], schema, message="MSG")
        assert caught.value.text == row["refused"]
        return
    rule = compile_rule(row["rule"], schema, message="MSG")
    result = rule.evaluate(value)
    assert {"ok": result.ok, "text": result.message, "cost": result.cost} == {
        key: row[key] for key in ("ok", "text", "cost")
    }
    assert factor(estimated_cost(rule)) == row["estimate"]
    assert cost_bound(rule, 40) >= result.cost
    function = fast(rule)
    if function is not None:
        with suppress(*FALLBACK):  # then the exact evaluator decides
            assert function(value, None) is result.ok


def test_tables_have_more_than_500_rows():
    assert len(list(rows())) > 500
