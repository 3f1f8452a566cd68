"""The plan of a zone is what OVN-Kubernetes' own controllers wrote from the same objects, row for row.

Every difference is explained by a rule of docs/rows.md. `python -m tests.support.recorded_rows` prints all counts.
"""

from pathlib import Path

import pytest

from reconciler.plan.comparison.explanation import explained
from reconciler.plan.comparison.explanations import EXPLANATIONS
from tests.support.recorded_rows import RecordedZone, compared, recorded_schema, recorded_zones
from tests.support.soak import limit

# Zones with differences that are faults, one per line. Take a line off as soon as its zone has none.
NOT_YET = frozenset(Path(__file__).with_name("recorded_rows_not_yet.txt").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def schema():
    return recorded_schema()


def _zones():
    differs = pytest.mark.xfail(reason="differs from the recording", strict=True)
    return [
        pytest.param(zone, id=str(zone), marks=[differs] if str(zone) in NOT_YET else []) for zone in recorded_zones()
    ]


@pytest.mark.parametrize("zone", _zones())
def test_a_zone_is_planned_as_recorded(zone: RecordedZone, schema, tmp_path: Path) -> None:
    differences = compared(zone, schema, tmp_path).differences
    unexplained = [str(each) for each in differences if explained(each, EXPLANATIONS) is None]
    assert not unexplained, "\n".join([f"{len(unexplained)} unexplained differences", *unexplained])


@limit(300)
def test_every_rule_explains_a_difference_of_a_recording(schema, tmp_path: Path) -> None:
    idle = {each.id: [*each.patterns] for each in EXPLANATIONS}
    for zone in recorded_zones():
        for difference in compared(zone, schema, tmp_path).differences:
            explanation = explained(difference, EXPLANATIONS)
            if explanation is not None:
                left = idle[explanation.id]
                left[:] = [pattern for pattern in left if not pattern.fits(difference)]
    assert {name: patterns for name, patterns in idle.items() if patterns} == {}


def test_the_list_names_recorded_zones():
    assert sorted(NOT_YET - {str(zone) for zone in recorded_zones()}) == []
