"""Outcomes of CEL rules under older releases, asked of those releases' own code.

``make conformance-releases`` builds the peer with the modules of each release and runs these tests. ``--update``
records what differs from 1.35.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.cel.cel_expressions import SCHEMA, VALUE, predicates
from tests.support.cel.cel_releases import RECORDED, ours, rows
from tests.support.differential.cel_outcomes import ask, outcome
from tests.support.differential.compare import definition
from tests.support.differential.object_verdicts import request_differences
from tests.support.differential.peer import PROGRAM, RELEASES, Peer, find
from tests.support.differential.samples import sample
from tests.support.soak import sized
from validators.crd.compiled_crd import compile_crd

TRIES = 30
_TREE = re.compile(r"(?<=incompatible type already exists) for expression: .*? old:[^\n]*", re.DOTALL)
OLDER = range(29, 35)


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


@pytest.mark.parametrize("minor", OLDER)
def test_recorded_outcomes_are_the_releases(minor: int, request: pytest.FixtureRequest) -> None:
    differing: dict[str, Any] = {}
    differs = []
    with Peer(program(f"1.{minor}")) as peer:
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


@pytest.mark.parametrize("release", RELEASES)
def test_generated_expressions_agree_with_the_release(release: str) -> None:
    compared = 0
    minor = int(release.removeprefix("1."))
    with Peer(program(release)) as peer:

        @settings(max_examples=sized(60, 1500), deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(predicates())
        def agree(rule: str) -> None:
            nonlocal compared
            theirs = outcome(ask(peer, rule, SCHEMA, VALUE))
            assert ours({"schema": SCHEMA, "value": VALUE}, rule, minor) == theirs
            compared += "ok" in theirs

        agree()
    assert compared > 50


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("rules", [False, True], ids=["objects", "rules"])
def test_generated_objects_agree_with_the_release(release: str, rules: bool) -> None:
    compared, wrong = 0, []
    with Peer(program(release)) as peer:
        for seed in range(sized(150, 5000)):
            schema, has_status, requests = sample(seed, rules=rules)
            source = definition(schema, status=has_status)
            name = source["metadata"]["name"]
            answer = peer.ask(crd=source)
            if answer["crdErrors"]:
                continue
            crd = compile_crd(source, kubernetes=release)
            for request in requests:
                found = request_differences(peer, crd, name, {**request, "cost": rules}, TRIES)
                compared += found is not None
                wrong += [f"seed {seed}: {request}: {line}" for line in found or ()]
    assert not wrong, f"{len(wrong)} of {compared}: " + "\n".join(wrong[:5])
    assert compared > 1000
