"""The test beds for tests on a real API server, with OVN zones and FRR for the whole way."""

from tests.support.deployed.rollout_fixtures import bed, guest, hosted
from tests.testbed.fixtures import apiserver, frr_lab, netns_allowed, ovn_lab, ovn_zone, parts

__all__ = ["apiserver", "bed", "frr_lab", "guest", "hosted", "netns_allowed", "ovn_lab", "ovn_zone", "parts"]
