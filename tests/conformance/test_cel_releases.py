"""Outcomes of CEL rules under older releases, asked of those releases' own code.

The program is the peer, built with the modules of another minor version of Kubernetes: $OVNGUARD_PEER_1_32, or
``apiserver-verdict-1.32`` beside the peer. ``--update`` writes what differs from 1.35 anew.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.cel.cel_expressions import SCHEMA, VALUE, predicates
from tests.support.cel.cel_releases import RECORDED, ours, rows
from tests.support.differential.cel_outcomes import ask, outcome
from tests.support.differential.peer import Peer, find
from tests.support.soak import sized

RELEASES = range(29, 35)


def program(minor: int) -> Path:
    """The peer of a release. Skips without one."""
    newest = find()
    beside = newest and newest.with_name(f"apiserver-verdict-1.{minor}")
    named = os.environ.get(f"OVNGUARD_PEER_1_{minor}")
    found = Path(named) if named else beside
    if found is None or not found.is_file():
        pytest.skip(f"needs apiserver-verdict-1-{minor}: set OVNGUARD_PEER_1_{minor}")
    return found


def stable(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without the addresses and the blanks that Go's printing of a syntax tree varies from run to run."""
    if "incompatible type already exists" in answer.get("refused", ""):
        return {"refused": answer["refused"].partition(" for expression: ")[0]}
    return answer


@pytest.mark.parametrize("minor", RELEASES)
def test_recorded_outcomes_are_the_releases(minor: int, request: pytest.FixtureRequest):
    differing: dict[str, Any] = {}
    differs = []
    with Peer(program(minor)) as peer:
        for name, table, row in rows():
            theirs = stable(outcome(ask(peer, row["rule"], table["schema"], table["value"])))
            if theirs != {key: value for key, value in row.items() if key != "rule"}:
                differing[name] = theirs
            if theirs != ours(table, row["rule"], minor):
                differs.append(name)
    recorded = {"verified": True, "rows": differing, "differs": differs}
    file = RECORDED / f"1.{minor}.json"
    if request.config.getoption("--update"):
        file.write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert recorded == json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("minor", RELEASES)
def test_generated_expressions_agree_with_the_release(minor: int):
    compared = 0
    with Peer(program(minor)) as peer:

        @settings(max_examples=sized(60, 1500), deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(predicates())
        def agree(rule: str) -> None:
            nonlocal compared
            theirs = outcome(ask(peer, rule, SCHEMA, VALUE))
            assert ours({"schema": SCHEMA, "value": VALUE}, rule, minor) == theirs
            compared += "ok" in theirs

        agree()
    assert compared > 50
