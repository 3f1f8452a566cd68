"""Zones that OVN-Kubernetes wrote are taken over while pods talk, network by network and zone by zone.

Two zones of a recording, with northd and ovn-controller, and a pod of each network on both nodes.
"""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.lab.recorded_lab import RecordedLab
from tests.support.lab.wire import LabFactory
from tests.support.lab.wire_losses import losses, pings
from tests.support.recorded_rows import RecordedZone, planned
from tests.support.taking_over import processes

pytestmark = pytest.mark.conformance

RECORDING = "one-family"
# Networks of pods on both nodes, with the attachment and the IP version.
NETWORKS = {"blue_net": ("blue/net", 6), "red_net": ("red/net", 4)}
# The longest silence of the network that is taken over, in seconds.
SILENCE = 1.0


def test_only_the_network_that_is_taken_over_may_lose_packets(ovn_lab: LabFactory, tmp_path: Path) -> None:
    made = RecordedLab(ovn_lab, RECORDING, (), tmp_path)
    desired = planned(RecordedZone(RECORDING, "node1"), tmp_path).desired
    rest = {each.name for each in desired.candidates} - NETWORKS.keys()
    found = []
    with ExitStack() as stack:
        traffic = {}
        for network, (attachment, version) in NETWORKS.items():
            pods = made.pods(attachment)
            traffic[network] = stack.enter_context(pings(pods["node1"], pods["node2"].ip(version)))
        for node in ("node1", "node2"):
            begin = stack.enter_context(processes(made.lab[node].zone.nb, RecordedZone(RECORDING, node)))
            for count, names in enumerate(({each} for each in (*NETWORKS, "")), 1):
                # the last process takes over what is left
                last = count > len(NETWORKS)
                adopt, only = (rest, None) if last else (names, frozenset([*NETWORKS][:count]))
                loop, _ = begin(*adopt, only=only)
                assert loop.tick() == ()
                assert loop.refusals == ()
                made.lab.wait()
                found += [(node, adopt, other, loss) for other, loss in losses(traffic).items()]
    assert [each for each in found if each[2] not in each[1] and each[3].lost] == [], found
    assert [each for each in found if each[3].silence > SILENCE] == [], found
