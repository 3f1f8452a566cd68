"""No change of a zone by hand is called healthy if it moves a packet: random changes, and look-alikes of every rule."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from reconciler.plan.comparison.explanation import Explanation, explained
from reconciler.plan.comparison.explanations import EXPLANATIONS
from reconciler.plan.comparison.row_differences import Difference, compare
from reconciler.plan.rows.row import Row
from tests.attacks.row_changes import changed, looking_like
from tests.support.recorded_rows import RecordedZone, planned, recorded_rows, rows_of_plan
from tests.support.soak import limit, sized

pytestmark = pytest.mark.conformance

# Zones with a difference for every rule.
ZONES = (
    RecordedZone("attachments@less", "node1"),
    RecordedZone("delete-node", "node1"),
    RecordedZone("dynamic-grace@grace", "node1"),
    RecordedZone("egressservice-layer3", "node2"),
    RecordedZone("layer2-mixed@upgraded", "node2"),
    RecordedZone("layer2-preconfigured", "node1"),
    RecordedZone("managed-cudn-vrf@one-deleted", "node1"),
    RecordedZone("routed-mix@swapped", "node1"),
)
# What may change in these and stay explained: no pod of this node uses the network, OVN-Kubernetes never starts it,
# nothing refers to the empty set, and OVN assigns no address.
SILENT = {
    "excluded-addresses-of-advertised-networks",
    "grace",
    "reservation-beyond-ipv6",
    "sets-of-deleted-networks",
}


def rules(differences: Sequence[Difference]) -> list[Explanation | None]:
    return [explained(each, EXPLANATIONS) for each in differences]


@limit(300)
@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_a_change_that_moves_a_packet_is_drift(zone: RecordedZone, tmp_path: Path) -> None:
    rows: list[Row] = [row for row in recorded_rows(zone) if row.table != "NB_Global"]
    wanted, left_out = rows_of_plan(planned(zone, tmp_path).desired, zone.node)
    healthy = compare(rows, wanted, left_out).differences
    assert None not in rules(healthy)
    alike = looking_like(rows, healthy)
    for number in range(sized(12, 250)):
        dice = random.Random(f"{zone} {number}")
        got, what = changed(rows, alike if alike and number % 2 else rows, dice)
        new = [each for each in compare(got, wanted, left_out).differences if each not in healthy]
        called = rules(new)
        assert None in called or {each.id for each in called if each is not None} <= SILENT, (number, what, new)
