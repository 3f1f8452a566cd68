"""Several nodes in one OVN zone, as a cluster has them before every node gets a zone of its own.

The rows are those of a cluster router with a switch for every node and, as with `--enable-interconnect`, a port of
every node on the transit switch. The planner knows one node per zone, so these rows are not from a plan.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row import Row
from tests.support.lab.wire import Cluster, Pod
from tests.testbed.ovn import OvnZone

NAMES = Names("default")
Command = list[str]


class GlobalZone:
    """The zone of the nodes without a zone of their own, over the default network of a cluster."""

    def __init__(self, zone: OvnZone, cluster: Cluster) -> None:
        self.zone, self._cluster = zone, cluster
        self._rows = {each.node: _by_name(each.rows) for each in cluster.plan().zones}

    def take_in(self, pods: Iterable[Pod]) -> None:
        """Write the rows of all nodes and these pods, and connect the nodes' ovn-controllers to this zone."""
        self._write(self._backbone())
        for node in self._rows:
            self._write(self._node(node))
        pods = tuple(pods)
        self._write(command for pod in pods for command in _port(pod))
        for node in self._rows:
            self._cluster.lab[node].follow(self.zone)
        for pod in pods:
            self.zone.nbctl("wait-until", "Logical_Switch_Port", pod.port.name, "up=true")
        self.zone.nbctl("--wait=hv", "sync")

    def see_as_remote(self, node: str) -> None:
        """Replace the node's rows: it has a zone of its own, and is reached through the transit switch."""
        chassis = self._cluster.lab.specs[node].chassis
        self.zone.sbctl("set", "Chassis", chassis, "other_config:is-remote=true")
        self._write(self._remote(node, chassis))
        self.zone.wait_sb()

    def _backbone(self) -> Iterator[Command]:
        transit = NAMES.transit_switch
        config = cast(Mapping[str, str], next(iter(self._rows.values()))[transit].columns["other_config"])
        yield ["lr-add", NAMES.cluster_router]
        yield ["ls-add", transit]
        yield ["set", "Logical_Switch", transit, *(f"other_config:{key}={value}" for key, value in config.items())]

    def _node(self, node: str) -> Iterator[Command]:
        yield ["ls-add", node]
        ways = (
            (node, NAMES.node_to_cluster(node), NAMES.cluster_to_node(node)),
            (NAMES.transit_switch, NAMES.transit_to_cluster(node), NAMES.cluster_to_transit(node)),
        )
        for switch, port, peer in ways:
            row = self._rows[node][peer]
            yield ["lrp-add", NAMES.cluster_router, peer, str(row.columns["mac"]), *_networks(row)]
            yield ["lsp-add", switch, port]
            yield ["lsp-set-type", port, "router"]
            yield ["lsp-set-addresses", port, "router"]
            yield ["lsp-set-options", port, f"router-port={peer}"]
        key = f"options:requested-tnl-key={self._key(node)}"
        yield ["set", "Logical_Switch_Port", NAMES.transit_to_cluster(node), key]

    def _remote(self, node: str, chassis: str) -> Iterator[Command]:
        port, own = NAMES.transit_to_cluster(node), self._rows[node][NAMES.cluster_to_transit(node)]
        yield ["lrp-del", NAMES.cluster_to_transit(node)]
        yield ["lrp-del", NAMES.cluster_to_node(node)]
        yield ["ls-del", node]
        yield ["lsp-set-type", port, "remote"]
        yield ["lsp-set-addresses", port, " ".join((str(own.columns["mac"]), *_networks(own)))]
        yield ["lsp-set-options", port, f"requested-tnl-key={self._key(node)}", f"requested-chassis={chassis}"]
        hops = {":" in each: each.split("/")[0] for each in _networks(own)}
        for subnet in self._cluster.node(node).host_subnets["default"]:
            yield ["lr-route-add", NAMES.cluster_router, str(subnet), hops[subnet.version == 6]]

    def _key(self, node: str) -> str:
        port = self._rows[node][NAMES.transit_to_cluster(node)]
        return cast(Mapping[str, str], port.columns["options"])["requested-tnl-key"]

    def _write(self, commands: Iterable[Command]) -> None:
        self.zone.nbctl(*(word for command in commands for word in ("--", *command)))


def _port(pod: Pod) -> Iterator[Command]:
    yield ["lsp-add", NAMES.node_switch(pod.port.node), pod.port.name]
    yield ["lsp-set-addresses", pod.port.name, " ".join((pod.port.mac, *map(str, pod.port.addresses)))]


def _networks(port: Row) -> tuple[str, ...]:
    return cast(tuple[str, ...], port.columns["networks"])


def _by_name(rows: Iterable[Row]) -> Mapping[str, Row]:
    return {str(row.columns["name"]): row for row in rows if "name" in row.columns}
