"""Localnet networks: a switch on each node, connected to a physical network, without routers.

Source: ovn-kubernetes ``localnet_user_defined_network_controller.go``.
"""

from typing import Final

from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import Column, Row
from ovnguard.reconciler.plan.topology.common_rows import owner_ids, role_ids
from ovnguard.reconciler.plan.topology.layer2_switch import subnet_config
from ovnguard.validators.network.model import NETWORK_ID_ANNOTATION, Network

_ADDRESSES: Final = ("unknown",)


def localnet_rows(network: Network, ids: NetworkIds) -> tuple[Row, ...]:
    """Return the switch and its port towards the physical network, the same in every zone."""
    names = Names(network.name)
    port: dict[str, Column] = {
        "name": names.localnet_network_port,
        "type": "localnet",
        "addresses": _ADDRESSES,
        "tag_request": (network.vlan,) if network.vlan else (),
        "options": {"network_name": network.physical_network or network.name},
        "external_ids": owner_ids(network),
    }
    outside = new_row("Logical_Switch_Port", port)
    switch: dict[str, Column] = {
        "name": names.localnet_switch,
        "ports": refs([outside]),
        "other_config": subnet_config(network),
        # no tunnel key contains the network's id, so the switch records it
        "external_ids": role_ids(network) | {NETWORK_ID_ANNOTATION: str(ids.network_id)},
    }
    return outside, new_row("Logical_Switch", switch)
