"""What OVN-Kubernetes leaves in a zone changes no packet: ovn-trace through its rows, and through the planned ones.

Two zones of one recording, with databases and northd of their own: the recorded rows, and the plan of the same objects.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.comparison.explanation import explained
from ovnguard.reconciler.plan.comparison.explanations import EXPLANATIONS
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.row_diff import diff
from tests.support.recorded_rows import RecordedZone, compared, fill, planned, recorded_rows, rows_of_plan
from tests.support.zone_packets import bring, packets_of, ways
from tests.testbed.ovn import OvnZone

pytestmark = pytest.mark.conformance

# Recorded zones, and the rules that explain their differences.
SHOWN = {
    RecordedZone("attachments@less", "node1"): {"pods-on-deleted-attachments"},
    RecordedZone("delete-node", "node1"): {"stranded-pods"},
    RecordedZone("dynamic-grace@grace", "node1"): {"grace"},
    RecordedZone("egressservice-layer3", "node2"): {"egress-services-of-primary-networks"},
    RecordedZone("layer2-mixed@upgraded", "node2"): {"remote-routers-after-upgrade"},
    RecordedZone("layer2-preconfigured", "node1"): {
        "default-services-of-the-second-family",
        "refused-pods",
        "reservation-beyond-ipv6",
    },
    RecordedZone("managed-cudn-vrf@one-deleted", "node1"): {"sets-of-deleted-networks", "subnets-of-deleted-networks"},
    RecordedZone("routed-mix@swapped", "node1"): {
        "default-services-of-the-second-family",
        "excluded-addresses-of-advertised-networks",
        "nat-of-networks-not-advertised-any-more",
    },
}


@pytest.fixture
def sides(ovn_zone: Callable[[str], OvnZone], tmp_path: Path) -> Callable[[RecordedZone], tuple[OvnZone, OvnZone]]:
    def make(recorded: RecordedZone) -> tuple[OvnZone, OvnZone]:
        theirs, ours = ovn_zone("recorded"), ovn_zone("planned")
        fill(theirs.nb, recorded)
        desired: DesiredState = planned(recorded, tmp_path).desired
        with closing(NorthboundStore(ours.nb)) as store:
            store.apply(diff(store.read(), rows_of_plan(desired, recorded.node)[0]))
        for zone in (theirs, ours):
            bring(zone, desired.nodes, recorded.node)
        return theirs, ours

    return make


@pytest.mark.parametrize("recorded", SHOWN, ids=str)
def test_packets_take_the_same_way_on_both_sides(
    sides: Callable[[RecordedZone], tuple[OvnZone, OvnZone]], tmp_path: Path, recorded: RecordedZone
) -> None:
    found = [explained(each, EXPLANATIONS) for each in compared(recorded).differences]
    assert {each.id for each in found if each is not None} == SHOWN[recorded]
    theirs, ours = sides(recorded)
    desired = planned(recorded, tmp_path).desired
    probes = packets_of(recorded_rows(recorded), rows_of_plan(desired, recorded.node)[0], desired.nodes)
    assert len(probes) > 8
    mine, left = ways(ours, probes), ways(theirs, probes)
    assert {title: (way, left[title]) for title, way in mine.items() if way != left[title]} == {}


def test_every_rule_is_shown() -> None:
    assert set().union(*SHOWN.values()) == {each.id for each in EXPLANATIONS}
