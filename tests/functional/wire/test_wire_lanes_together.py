"""A managed default network and an unmanaged user-defined network side by side, dual stack, both without overlay."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ovnguard.validators.network.model import DEFAULT_NETWORK, Routing
from tests.support.lab.wire import LabFactory, Pod
from tests.support.lab.wire_bgp import learn_from_kernels, place_routes, speakers, tell_outside, ways_to
from tests.support.lab.wire_hosted import HostedCluster, hosted_cluster
from tests.support.lab.wire_lanes import NODES, Lane, assert_east_west, assert_north_south
from tests.support.plan_scenarios import LAYER3_BOTH
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

USERS = LAYER3_BOTH.name
SNAT = {DEFAULT_NETWORK: True, USERS: False}


@pytest.fixture
def cluster(ovn_lab: LabFactory, parts: Parts, mode: str, tmp_path: Path) -> Iterator[HostedCluster]:
    """The default network's routes are learned, those of the other are placed: this kernel may have no VRF devices."""
    need(parts, "frr")
    managed = Lane(DEFAULT_NETWORK, Routing.MANAGED, SNAT[DEFAULT_NETWORK], mode)
    unmanaged = Lane(USERS, Routing.UNMANAGED, SNAT[USERS], mode)
    (default,), (_, users) = managed.networks, unmanaged.networks
    with hosted_cluster(ovn_lab, parts, managed.members, (default, users), unmanaged.settings) as made:
        made.settings = replace(unmanaged.settings, imported_routes=ways_to(made, USERS))
        with speakers(parts, tmp_path) as running:
            confs = {zone.node: zone.frr for zone in made.plan().zones}
            running.start(confs, {node: made.lab[node].namespace for node in NODES})
            yield made


@pytest.fixture
def pods(cluster: HostedCluster) -> Mapping[str, Mapping[str, Pod]]:
    """A pod of each network on every node."""
    made = {name: {node: cluster.pod(name, node, at) for at, node in enumerate(NODES, 1)} for name in SNAT}
    cluster.apply()
    place_routes(cluster)
    learn_from_kernels(cluster, ways_to(cluster, DEFAULT_NETWORK))
    return made


@pytest.mark.parametrize("mode", ["shared", "local"])
def test_networks_do_not_disturb_each_other(cluster: HostedCluster, pods: Mapping[str, Mapping[str, Pod]]) -> None:
    for name in SNAT:
        tell_outside(cluster, name)
        assert_east_west(cluster, pods[name])
    for name, snat in SNAT.items():
        assert_north_south(cluster, pods[name], snat=snat)
    for node in NODES:
        # no way leads from one network to the other
        assert not pods[USERS][node].machine.reaches(pods[DEFAULT_NETWORK][node].ip(4))
