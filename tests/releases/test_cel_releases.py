"""Definitions, objects and CEL rules under other releases, asked of those releases' own code.

``make conformance-releases`` builds the peer with the modules of each release and runs these tests. ``--update``
records what differs from 1.35.
"""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from ovnguard.validators.base.field import minor
from tests.support.cel.cel_expressions import SCHEMA, VALUE, predicates
from tests.support.cel.cel_releases import RECORDED, ours, rows
from tests.support.differential.cel_outcomes import ask, outcome
from tests.support.differential.peer import PROGRAM, RELEASES, Peer, find
from tests.support.differential.run import compare
from tests.support.soak import sized

SEED = 0
CASES = 3000
REQUESTS = 60
_TREE = re.compile(r"(?<=incompatible type already exists) for expression: .*? old:[^\n]*", re.DOTALL)
OTHERS = tuple(map(minor, RELEASES))


def program(release: str) -> Path:
    """The peer of a release, which `make conformance-releases` builds."""
    found = find(release)
    assert found is not None, f"no {PROGRAM}-{release}: make conformance-releases builds it"
    return found


def stable(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without the addresses and the blanks that Go's printing of a syntax tree varies from run to run."""
    if "incompatible type already exists" in answer.get("refused", ""):
        return {"refused": _TREE.sub("", answer["refused"])}
    return answer


@pytest.mark.parametrize("number", OTHERS)
def test_recorded_outcomes_are_the_releases(number: int, request: pytest.FixtureRequest) -> None:
    differing: dict[str, Any] = {}
    differs = []
    with Peer(program(f"1.{number}")) as peer:
        for name, table, row in rows():
            theirs = stable(outcome(ask(peer, row["rule"], table["schema"], table["value"])))
            if theirs != {key: value for key, value in row.items() if key != "rule"}:
                differing[name] = theirs
            if theirs != ours(table, row["rule"], number):
                differs.append(name)
    recorded = {"verified": True, "rows": differing, "differs": differs}
    file = RECORDED / f"1.{number}.json"
    if request.config.getoption("--update"):
        file.write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert recorded == json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("release", RELEASES)
def test_generated_expressions_agree_with_the_release(release: str) -> None:
    compared = 0
    number = minor(release)
    with Peer(program(release)) as peer:

        @settings(max_examples=sized(60, 1500), deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(predicates())
        def agree(rule: str) -> None:
            nonlocal compared
            theirs = outcome(ask(peer, rule, SCHEMA, VALUE))
            assert ours({"schema": SCHEMA, "value": VALUE}, rule, number) == theirs
            compared += "ok" in theirs

        agree()
    # Older releases refuse more.
    assert compared > 20


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("stream", ["definitions", "objects", "rules", "functions", "patterns"])
def test_generated_cases_agree_with_the_release(release: str, stream: str) -> None:
    """The causes of differences come with their smallest case."""
    program(release)
    tally = compare(SEED, math.inf, sized(CASES, 10 * CASES), frozenset({stream}), release, REQUESTS)
    assert {cause: tally.cases[stream, cause] for _, cause in tally.causes} == {}
    # Old objects that storage never held cannot be judged.
    assert tally.counts[stream, "not comparable"] < CASES / 10
