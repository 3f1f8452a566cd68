"""No change of a zone by hand is called healthy if it moves a packet: random changes, and look-alikes of every rule.

Every healthy one is made in a real database, where ovn-trace follows the same packets before and after it.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from ovnguard.reconciler.plan.comparison.explanation import Explanation, explained
from ovnguard.reconciler.plan.comparison.explanations import EXPLANATIONS
from ovnguard.reconciler.plan.comparison.row_differences import Difference, compare
from ovnguard.reconciler.plan.probes.probe_packets import Probe
from ovnguard.reconciler.plan.rows.row import Row
from tests.attacks.row_changes import changed, looking_like
from tests.support.recorded_rows import RecordedZone, fill, planned, recorded_rows, rows_of_plan
from tests.support.soak import limit, sized
from tests.support.zone_packets import bring, change, packets_of, ways
from tests.testbed.fixtures import ovn_zone, parts
from tests.testbed.ovn import OvnZone

__all__ = ["ovn_zone", "parts"]

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
def test_a_change_that_moves_a_packet_is_drift(
    zone: RecordedZone,
    ovn_zone: Callable[[str], OvnZone],
    tmp_path: Path,
) -> None:
    rows: list[Row] = [row for row in recorded_rows(zone) if row.table != "NB_Global"]
    desired = planned(zone, tmp_path).desired
    wanted, left_out = rows_of_plan(desired, zone.node)
    healthy = compare(rows, wanted, left_out).differences
    assert None not in rules(healthy)
    alike = looking_like(rows, healthy)
    changes: dict[str, list[Row]] = {}
    for number in range(sized(12, 250)):
        dice = random.Random(f"{zone} {number}")
        got, what = changed(rows, alike if alike and number % 2 else rows, dice)
        new = [each for each in compare(got, wanted, left_out).differences if each not in healthy]
        called = rules(new)
        assert None in called or {each.id for each in called if each is not None} <= SILENT, (number, what, new)
        if called and None not in called:
            changes[f"{number} {what}"] = got
    if changes:
        live = ovn_zone("changed")
        fill(live.nb, zone)
        bring(live, desired.nodes, zone.node)
        traced = made(live, rows, changes, packets_of(rows, wanted, desired.nodes))
        assert {what: moved for what, moved in traced.items() if moved} == {}


def made(
    live: OvnZone, rows: Sequence[Row], changes: Mapping[str, Sequence[Row]], sent: Sequence[Probe]
) -> dict[str, dict[str, list[str]]]:
    """The packets that take another way after each change that the database accepts, one change at a time."""
    assert len(sent) > 8
    before, found = ways(live, sent), dict[str, dict[str, list[str]]]()
    for what, got in changes.items():
        if change(live.nb, rows, got):
            live.wait_sb()
            after = ways(live, sent)
            found[what] = {title: way for title, way in after.items() if way != before[title]}
            assert change(live.nb, got, rows)
            live.wait_sb()
    return found
