"""The recorded outcomes of CEL rules are the API server's: asked again here, written anew with ``--update``.

Each table under tests/unit/validators/cel/tables holds one schema, one value, and rules with what the server's own code
says of them: refused with a text, or evaluated with an outcome, a text and a cost. The unit tests compare our engine
with the recorded outcomes, so that the comparison also runs where there is no Go.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from ovnguard.validators.cel.types.errors import InvalidRule
from tests.support.cel.cel_compile import compile_rule
from tests.support.cel.cel_expressions import SCHEMA, VALUE, predicates
from tests.support.differential.cel_outcomes import ask, outcome
from tests.support.differential.peer import Peer
from tests.support.generated_rule import FALLBACK, estimated_cost, fast
from tests.support.soak import limit, sized

TABLES = Path(__file__).parents[1] / "unit" / "validators" / "cel" / "tables"


@pytest.mark.parametrize("table", sorted(TABLES.glob("*.json")), ids=lambda file: file.stem)
def test_recorded_outcomes_are_the_servers(peer: Peer, table: Path, request: pytest.FixtureRequest):
    recorded = json.loads(table.read_text(encoding="utf-8"))
    asked = [
        {"rule": row["rule"], **outcome(ask(peer, row["rule"], recorded["schema"], recorded["value"]))}
        for row in recorded["rules"]
    ]
    if request.config.getoption("--update"):
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in asked)
        head = json.dumps({"schema": recorded["schema"], "value": recorded["value"]}, ensure_ascii=False)[:-1]
        table.write_text(f'{head}, "rules": [\n{rows}\n]}}\n', encoding="utf-8")
    assert asked == json.loads(table.read_text(encoding="utf-8"))["rules"]


def test_known_differences_of_syntax_errors(peer: Peer):
    for row in json.loads(TABLES.with_name("syntax_differences.json").read_text(encoding="utf-8")):
        assert outcome(ask(peer, row["rule"], {"type": "string"}, "a")) == {"refused": row["server"]}


@limit(300)
def test_generated_expressions_agree_with_the_server(peer: Peer):
    compared = 0

    @settings(max_examples=sized(300, 5000), deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(predicates())
    def agree(rule: str) -> None:
        nonlocal compared
        answer = ask(peer, rule, SCHEMA, VALUE)
        theirs = outcome(answer)
        if "refused" in theirs:
            with pytest.raises(InvalidRule) as caught:
                compile_rule(rule, SCHEMA, message="MSG")
            assert caught.value.text == theirs["refused"]
            return
        compiled = compile_rule(rule, SCHEMA, message="MSG")
        result = compiled.evaluate(VALUE)
        assert {"ok": result.ok, "text": result.message, "cost": result.cost} == {
            key: theirs.get(key) for key in ("ok", "text", "cost")
        }
        assert factor(estimated_cost(compiled)) == theirs["estimate"]
        confirms(fast(compiled), ok=result.ok)
        compared += 1

    agree()
    assert compared > 50


def factor(cost: int) -> str:
    """An estimate as the server prints its relation to the limit."""
    share = cost / 10_000_000
    if share <= 1:
        return ""
    if share > 100:
        return "more than 100x"
    return f"{share:f}x" if share < 1.5 else f"{share:.1f}x"


def confirms(function: Any, *, ok: bool) -> None:
    """The fast form says nothing that the exact evaluator does not say."""
    if function is None:
        return
    try:
        outcome = function(VALUE, None)
    except FALLBACK:
        return
    assert outcome is ok
