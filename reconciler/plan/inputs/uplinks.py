"""Gateways of networks with an uplink: they leave each node by a bridge of their own.

Source: ovn-kubernetes, option ``--enable-uplink``; k8s.ovn.org/v1alpha1 Uplink and UplinkState.
"""

from collections.abc import Callable, Iterable, Sequence

from ovnguard.reconciler.plan.inputs.plannable_nodes import counted
from ovnguard.reconciler.plan.rows.model import Remark, UplinkState
from ovnguard.validators.network.declared.node import GatewayMode, Node, NodeGateway
from ovnguard.validators.network.model import Network


class UplinkGateways:
    """The gateway of every network on every node, by the known states of uplinks."""

    def __init__(self, states: Iterable[UplinkState] = ()) -> None:
        self._states = {(each.uplink, each.node): each for each in states}

    def state(self, network: Network, node: str) -> UplinkState | None:
        """Return the state of the network's uplink on a node, None without one."""
        return self._states.get((network.uplink, node)) if network.uplink else None

    def gateway(self, network: Network, node: Node) -> NodeGateway | None:
        """Return how the network leaves a node, None while the node's gateway or the uplink's state is unknown."""
        if not network.uplink or node.gateway is None:
            return node.gateway
        state = self.state(network, node.name)
        if state is None:
            return None
        return node.gateway._replace(
            bridge_id=state.bridge,
            interface_id=f"{state.bridge}_{node.name}",
            mac=state.mac,
            addresses=state.addresses,
            next_hops=state.next_hops,
            vlan_id=0,
        )

    def notes(
        self, networks: Iterable[Network], nodes: Sequence[Node], has_rows: Callable[[str, str], bool]
    ) -> list[Remark]:
        """Return what networks wait for on those of ``nodes`` where ``has_rows`` says that they are planned.

        Text: ovn-kubernetes.
        """
        found = []
        for network in networks:
            if not network.uplink:
                continue
            rendered = [node.name for node in nodes if has_rows(network.name, node.name)]
            missing = [node for node in rendered if self.state(network, node) is None]
            text = 'no gateway router: waiting for UplinkState {0}.{1} for uplink "{0}" on node "{1}"'
            found += counted([Remark(text.format(network.uplink, node), network.name, node) for node in missing])
        return found


def uplink_fault(network: Network, nodes: Iterable[Node]) -> str:
    """Return why a network cannot have its uplink on ``nodes``, or ''. Text: ovn-kubernetes, util.ValidateNetConf."""
    if network.uplink and any(node.gateway and node.gateway.mode is GatewayMode.LOCAL for node in nodes):
        return f'uplink "{network.uplink}" is supported only in shared gateway mode'
    return ""
