"""The test beds for tests on a real API server, with OVN zones and FRR for the whole way."""

from tests.testbed.fixtures import apiserver, frr_lab, netns_allowed, ovn_zone, parts

__all__ = ["apiserver", "frr_lab", "netns_allowed", "ovn_zone", "parts"]
