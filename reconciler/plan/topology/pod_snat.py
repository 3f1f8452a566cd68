"""Source NAT of each pod instead of the subnet, on the default network's gateway router.

With ovnkube's option disable-snat-multiple-gws, pods may leave by several gateways with their own addresses, so their
node's address is not for all of them. Rows of external gateways are not planned.

Source: ovn-kubernetes ``pods.go`` (``addLogicalPort``), ``egressgw.go`` (``addOrUpdatePodSNATOps``) and ``egressip.go``
(``deleteExternalGWPodSNATOps``).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import MappingProxyType

from ovnguard.reconciler.plan.rows.model import PodPort
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.northbound import of_table
from ovnguard.reconciler.plan.rows.row import Row, row_uuid
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import exempted
from ovnguard.reconciler.plan.topology.common_rows import Owned, Scope, network_ids
from ovnguard.reconciler.plan.topology.egress_ip import Egress
from ovnguard.reconciler.plan.topology.layer3_snat import exempts
from ovnguard.reconciler.plan.topology.node_snat import outbound_match
from ovnguard.validators.network.declared.node import GatewayMode, Node
from ovnguard.validators.network.model import Network, Transport


def with_pod_snat(
    rows: Iterable[Row], network: Network, node: Node, settings: Settings, pods: Iterable[PodPort]
) -> tuple[Row, ...]:
    """Return the default network's ``rows`` on ``node`` with source NAT of the node's own ``pods``."""
    router = Names(network.name).gateway_router(node.name)
    made = tuple(_snat(network, node, settings, pods))
    uuid = row_uuid("Logical_Router", router)
    whole = (_joined(row, made) if row.uuid == uuid else row for row in rows)
    return (*made, *whole) if made else tuple(rows)


def _snat(network: Network, node: Node, settings: Settings, pods: Iterable[PodPort]) -> Iterator[Row]:
    outside = {each.version: each.ip for each in reversed(node.gateway.addresses)} if node.gateway else {}
    local = node.gateway is not None and node.gateway.mode is GatewayMode.LOCAL
    has_tunnels = network.transport is not Transport.NO_OVERLAY
    leaving = Egress(network, node.name, settings, tuple(outside), has_tunnels).leaving
    router = Owned(Names(network.name).gateway_router(node.name), network_ids(network))
    for address in dict.fromkeys(each for pod in pods for each in pod.addresses):
        version = address.version
        if version not in outside or address in leaving:
            continue
        external, ports = outside[version], settings.snat_ports
        if exempts(network, local=local):
            yield router.snat(external, address, ports, scope=Scope(exempted=(exempted(network, version, ()),)))
        else:
            yield router.snat(external, address, ports, match=outbound_match(network, settings, version))


def _joined(router: Row, made: Iterable[Row]) -> Row:
    own = router.columns["nat"]
    whole = tuple(sorted((*(own if isinstance(own, tuple) else ()), *of_table("NAT", made))))
    return replace(router, columns=MappingProxyType({**router.columns, "nat": whole}))
