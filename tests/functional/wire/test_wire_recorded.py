"""Real packets between a zone that OVN-Kubernetes wrote, as recorded, and a zone of ovnguard."""

from pathlib import Path

import pytest

from tests.support.lab.recorded_lab import RecordedLab
from tests.support.lab.wire import KINDS, LabFactory

pytestmark = pytest.mark.conformance

# Attachments to networks of one IP family in a dual-stack cluster, Layer3 and Layer2, and their IP version.
ONE_FAMILY = {"blue/net": 6, "red/net": 4}


def test_networks_of_one_family_reach_across_the_zones_of_both_writers(ovn_lab: LabFactory, tmp_path: Path) -> None:
    made = RecordedLab(ovn_lab, "one-family", {"node2"}, tmp_path)
    for attachment, version in ONE_FAMILY.items():
        pods = made.pods(attachment)
        for kind, _ in KINDS:
            for pod in pods.values():
                pod.serve(kind, 8000)
        for client, server in ((pods["node1"], pods["node2"]), (pods["node2"], pods["node1"])):
            client.ping(server.ip(version))
            for kind, size in KINDS:
                answer = client.ask(kind, server.ip(version), 8000, size)
                assert (answer.name, answer.peer) == (server.name, client.ip(version))
