"""What northd, ovn-controller and Open vSwitch say to planned rows while packets pass: nothing bad."""

import re
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.rows.model import FIRST_MARK, EgressHop
from ovnguard.reconciler.plan.rows.names import Names
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import (
    DUAL_OVERLAY_DEFAULT,
    LAYER2,
    LAYER2_LEAVING,
    LAYER3_BOTH,
    LAYER3_LEAVING,
    SECONDARY3,
    SERVED,
    without_overlay,
)
from tests.testbed.ovs import OvnNode

SIDE = SECONDARY3._replace(network_id=5)
ROUTED = without_overlay(LAYER3_BOTH, snat=True)._replace(name="cluster_udn_routed", network_id=6)
NETWORKS = (LAYER2, LAYER3_BOTH, DUAL_OVERLAY_DEFAULT, SIDE, ROUTED)
MEMBERS = sharing(nodes(3, v6=True), LAYER3_BOTH, SIDE, ROUTED)
# an address is held by one node only
ELSEWHERE = replace(
    LAYER3_LEAVING, name="elsewhere", mark=FIRST_MARK + 1, hops=(EgressHop("node3", ip_address("172.18.0.203")),)
)
SETTINGS = replace(SERVED, egress=(LAYER2_LEAVING, ELSEWHERE))

NAMES = Names(LAYER2.name)
# a machine with more to do than two cores can; no row makes these
LOAD = r"\|timeval\|WARN\|"
ALLOWED = {
    # a distributed gateway port gets a chassisredirect port beside it, onto which northd 25.03 copies the requested key
    # before it sees that it is taken; the first port keeps it, and the second is used in one zone only
    "northd": (
        rf"Logical (router port {NAMES.router_to_switch}|switch port {NAMES.switch_to_router}) "
        r"requests same tunnel key 1 as another LSP or LRP",
        # what load balancers send out again gets one address of the outer port: the node's, or the masquerade address,
        # which br-ex makes the node's; both are what the outside is to see
        r'Logical router port "rtoe-GR_\S+" is configured with multiple IPv[46] addresses\.  Only the first IP',
    ),
    # Debian builds it with support for plugged representors, and the kernel has no devlink
    "ovn-controller": (
        r"vif_plug_provider\|WARN\|failed to initialize representor VIF plug provider",
        # a packet that was on its way to ovn-controller when its network went
        r"pinctrl\|WARN\|unknown logical port with datapath \d+ and port \d+",
    ),
    "ovs-vswitchd": (),
    "ovsdb-server": (),
}


@pytest.fixture
def cluster(ovn_lab: LabFactory) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, NETWORKS, SETTINGS) as made:
        yield made


def complaints(node: OvnNode) -> list[str]:
    """Lines of a node's logs that are worse than information and not allowed."""
    found = []
    for program, allowed in ALLOWED.items():
        log = node.zone.log(program) if program == "northd" else node.log(program)
        lines = (line for line in log.splitlines() if re.search(r"\|(WARN|ERR|EMER)\|", line))
        found += [f"{program}: {line}" for line in lines if not any(re.search(each, line) for each in (LOAD, *allowed))]
    return found


def test_nothing_is_wrong_with_rows_that_come_change_and_go(cluster: Cluster) -> None:
    outside = cluster.lab.external
    outside.serve("tcp", 8000)
    primary = [network for network in NETWORKS if network is not SIDE]
    pods = [cluster.pod(network.name, f"node{number}", number) for network in primary for number in (1, 2)]
    cluster.apply()
    for pod in pods:
        for version in (4, 6):
            assert pod.machine.ask("tcp", wire.outside(version), 8000).name == "external"
    # a node leaves, then the networks
    cluster.members = MEMBERS[:2]
    cluster.settings = SERVICES
    cluster.apply()
    cluster.pods.clear()
    cluster.networks = ()
    cluster.apply()
    for node in cluster.lab.nodes.values():
        assert complaints(node) == []
