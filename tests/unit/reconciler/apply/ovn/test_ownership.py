"""Which network a row belongs to."""

import pytest

from ovnguard.reconciler.apply.ovn.ownership import SHARED, Networks

NETWORKS = Networks(["default", "cluster_udn_blue", "cnc_svc"])


@pytest.mark.parametrize(
    ("name", "network"),
    [
        ("clusterLBGroup", "default"),
        ("cluster_udn_blue_clusterLBGroup", "cluster_udn_blue"),
        ("cnc_svc_clusterLBGroup", "cnc_svc"),
        # of a ClusterNetworkConnect
        ("cnc_svc_join", SHARED),
        ("cnc_svc_1", SHARED),
    ],
)
def test_a_group_of_load_balancers_is_a_network_s_or_a_connection_s(name: str, network: str) -> None:
    assert NETWORKS.of("Load_Balancer_Group", {"name": name}) == network
