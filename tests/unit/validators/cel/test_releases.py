"""Rules under other releases than 1.35, against recorded outcomes of those releases' own code.

A file under ``releases`` says what differs from 1.35, and in ``differs`` where our answer is known to be another.
"""

import pytest

from tests.support.cel.cel_releases import ours, releases, rows

EVERY = 4  # of the rules on which a release agrees with 1.35


@pytest.mark.parametrize(("minor", "recorded"), [pytest.param(*one, id=f"1.{one[0]}") for one in releases()])
def test_release(minor, recorded):
    assert recorded["verified"]
    differing = {}
    for at, (name, table, row) in enumerate(rows()):
        other = recorded["rows"].get(name)
        if other is None and at % EVERY != minor % EVERY:
            continue
        expected = other or {key: value for key, value in row.items() if key != "rule"}
        outcome = ours(table, row["rule"], minor)
        if outcome != expected:
            differing[name] = outcome
    assert sorted(differing) == sorted(recorded["differs"])


def test_every_release_is_recorded():
    assert [minor for minor, _ in releases()] == [29, 30, 31, 32, 33, 34, 36, 37]


def test_few_answers_differ():
    assert all(len(recorded["differs"]) <= 9 for _, recorded in releases())
