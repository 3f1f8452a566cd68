"""The machine of ``make differential``: it finds, shrinks, groups and reports."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.differential import run
from tests.support.differential.causes import cause_of, known_name
from tests.support.differential.peer import Peer
from tests.support.differential.run import Tally, compare, report
from tests.support.differential.shrink import shrink
from tests.support.differential.streams import Stream


def test_a_case_becomes_as_small_as_its_difference_needs() -> None:
    case = {"a": [{"b": "xxxxabcxxxx", "c": 12}, 5, {"d": {}}], "e": {"f": [1, 2, 3]}}
    small = shrink(case, lambda one: "abc" in json.dumps(one), 5.0)
    assert small == {"a": [{"b": "abc"}]}


def test_equal_causes_have_one_name() -> None:
    lines = [
        'only ours: spec.versions[0].name: Invalid value: "x": must be 5 of {"a":1}',
        'only ours: spec.versions[12].schema: Invalid value: "é\\"": must be 17 of {}',
    ]
    assert len({cause_of([line]) for line in lines}) == 1
    assert cause_of(lines[:1]) == 'only ours: FIELD: Invalid value: "…": must be N of {…}'


def test_a_known_difference_has_its_mark_and_nothing_else() -> None:
    ours = "only ours: x: Internal error: unable to convert structural schema to CEL declarations"
    theirs = "only the peer's: x.default: Invalid value: 1: 1"
    assert known_name("definitions", [ours, theirs]) == "defaults-below-unknown-types"
    for stream, lines in (
        ("definitions", [theirs]),
        ("definitions", [ours, "only ours: y"]),
        ("rules", [ours, theirs]),
    ):
        assert known_name(stream, lines) == ""


def _numbers(seed: int) -> Iterator[Any]:
    yield {"value": seed, "more": ["x"] * 5}


def _is_odd(case: Any) -> list[str]:
    return [f"odd: {case['value']}"] if case["value"] % 2 else []


def test_differences_are_counted_and_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = Stream("numbers", _numbers, _is_odd)
    monkeypatch.setattr(run, "streams", lambda *_: ([stream], ["policies: no oracle"]))
    tally = compare(10, 0.05, sys.maxsize, frozenset())
    same, different = tally.counts["numbers", "same"], tally.counts["numbers", "different"]
    assert abs(same - different) <= 1 < different
    assert tally.cases == {("numbers", "odd: N"): ({"value": 1}, ["odd: 1"])}
    assert report(tally, tmp_path) == 1
    [file] = tmp_path.iterdir()
    assert json.loads(file.read_text()) == {"stream": "numbers", "differences": ["odd: 1"], "case": {"value": 1}}
    output = capsys.readouterr().out
    assert f"numbers, {different} times: odd: N" in output
    assert "not compared: policies: no oracle" in output


def test_a_crash_of_ours_is_a_difference() -> None:
    stream = Stream("numbers", _numbers, lambda case: [case["absent"]])
    [line] = run.differences(stream, {}) or []
    assert line.startswith("crash: KeyError in test_differential.py:")


def test_without_an_oracle_the_exit_code_says_so(tmp_path: Path) -> None:
    assert report(Tally(missing=["x"]), tmp_path) == 2


def test_every_stream_compares_cases(peer: Peer, tmp_path: Path) -> None:
    """A few of each; a run of `make differential` compares many more."""
    tally = compare(2, 6.0, 40, frozenset({"definitions", "objects", "rules", "patterns"}))
    assert {name for name, _ in tally.counts} >= {"definitions"}
    assert report(tally, tmp_path) == 0
