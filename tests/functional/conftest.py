"""The test beds for tests on real OVN and FRR."""

from tests.testbed.fixtures import apiserver, frr_lab, netns_allowed, ovn_lab, ovn_zone, parts

__all__ = ["apiserver", "frr_lab", "netns_allowed", "ovn_lab", "ovn_zone", "parts"]
