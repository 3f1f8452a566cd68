"""The plan of a zone is what OVN-Kubernetes' own controllers wrote from the same objects, row for row.

Every difference is explained by a rule of docs/rows.md. `python -m tests.support.recorded_rows` prints all counts.
"""

from collections import Counter

import pytest

from ovnguard.reconciler.plan.comparison.explanation import explained
from ovnguard.reconciler.plan.comparison.explanations import EXPLANATIONS
from tests.support.pages.rows_page import EXPLAINED
from tests.support.recorded_rows import RecordedZone, compared, recorded_zones
from tests.support.soak import limit


@pytest.mark.parametrize("zone", recorded_zones(), ids=str)
def test_a_zone_is_planned_as_recorded(zone: RecordedZone) -> None:
    differences = compared(zone).differences
    unexplained = [str(each) for each in differences if explained(each, EXPLANATIONS) is None]
    assert not unexplained, "\n".join([f"{len(unexplained)} unexplained differences", *unexplained])


@limit(300)
def test_every_rule_explains_as_many_differences_as_the_page_says() -> None:
    counts = Counter[str]()
    idle = {each.id: [*each.patterns] for each in EXPLANATIONS}
    for zone in recorded_zones():
        for difference in compared(zone).differences:
            explanation = explained(difference, EXPLANATIONS)
            if explanation is not None:
                counts[explanation.id] += 1
                left = idle[explanation.id]
                left[:] = [pattern for pattern in left if not pattern.fits(difference)]
    assert counts == EXPLAINED
    assert {name: patterns for name, patterns in idle.items() if patterns} == {}
