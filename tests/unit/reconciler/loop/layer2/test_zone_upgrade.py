"""A node of another zone gets its transit router: this zone follows the annotation by itself."""

import copy
import json

from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.node import ROUTER_PORT_KEYS, TOPOLOGY_VERSION
from tests.support.fake_cluster import World, cudn, node

NETWORK = "cluster_udn_blue"


def keyed(name: str, number: int) -> dict:
    """A node that still has the topology before transit routers: it has a key for its gateway router's port."""
    found = node(name, number, **{ROUTER_PORT_KEYS: json.dumps({NETWORK: str(number)})})
    del found["metadata"]["annotations"][TOPOLOGY_VERSION]
    return found


def routers(world: World) -> set[str]:
    return {str(row.columns["name"]) for row in world.store.rows if row.table == "Logical_Router"}


def ports(world: World, table: str) -> set[str]:
    return {str(row.columns["name"]) for row in world.store.rows if row.table == table}


def test_a_zone_follows_the_upgrade_of_other_nodes_and_its_own() -> None:
    world = World(cudn("blue"))
    for each in (keyed("n1", 2), keyed("n2", 3)):
        world.cluster.put(each)
    world.settle()
    remote = "stor-cluster_udn_blue_ovn_layer2_switch_n2"
    assert routers(world) == {"GR_cluster_udn_blue_n1"}
    assert remote in ports(world, "Logical_Switch_Port")

    upgrade(world, "n1")
    assert routers(world) == {"GR_cluster_udn_blue_n1", "cluster_udn_blue_transit_router"}
    assert remote in ports(world, "Logical_Switch_Port")
    assert "trtor-GR_cluster_udn_blue_n2" not in ports(world, "Logical_Router_Port")

    upgrade(world, "n2")
    assert remote not in ports(world, "Logical_Switch_Port")
    assert "trtor-GR_cluster_udn_blue_n2" in ports(world, "Logical_Router_Port")
    assert not any("upgrade" in name for name in ports(world, "Logical_Switch_Port"))


def upgrade(world: World, name: str) -> None:
    changed = copy.deepcopy(world.cluster.get(name, NODE))
    changed["metadata"]["annotations"][TOPOLOGY_VERSION] = "2.0"
    world.cluster.put(changed)
    world.settle()
