"""Load balancers of the default network's services that plans know: the allowed default services.

A service without servers on this node has one load balancer for all switches and routers. If a server has an address of
the node itself, the gateway router, which has the same address, cannot send there. It then has a separate load balancer
with the node's masquerade address.

Source: ovn-kubernetes ``pkg/ovn/controller/services``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reconciler.plan.northbound import new_row
from reconciler.plan.rows import Column, Row
from reconciler.plan.settings import Backend, Service, ServicePort
from reconciler.plan.topology.common_rows import network_ids
from reconciler.plan.topology.layer3_zone import Layer3Zone
from validators.network.addresses.addressing import MASQUERADE_HAIRPIN
from validators.network.model import IPAddress

_KIND_KEY: Final = "k8s.ovn.org/kind"
_OWNER_KEY: Final = "k8s.ovn.org/owner"


@dataclass(frozen=True, slots=True)
class LoadBalancers:
    """Rows by group."""

    everywhere: tuple[Row, ...] = ()
    on_switches: tuple[Row, ...] = ()
    on_routers: tuple[Row, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return (*self.everywhere, *self.on_switches, *self.on_routers)


def load_balancers(zone: Layer3Zone) -> LoadBalancers:
    """Return the load balancers of this zone: of the default network only, which owns these services."""
    if not zone.layer3.network.is_default:
        return LoadBalancers()
    everywhere, on_switches, on_routers = [], [], []
    own, node = zone.local.node.own_addresses, zone.local.node.name
    for service in zone.settings.services:
        for protocol in sorted({port.protocol for port in service.ports}):
            ports = [port for port in service.ports if port.protocol == protocol]
            name = f"Service_{service.name}_{protocol.upper()}"
            if any(each.address in own for port in ports for each in port.backends):
                on_switches.append(_row(zone, f"{name}_node_switch_{node}", service, ports, {}))
                on_routers.append(_row(zone, f"{name}_node_router_{node}", service, ports, _hosts(zone)))
            else:
                everywhere.append(_row(zone, f"{name}_cluster", service, ports, {}))
    return LoadBalancers(tuple(everywhere), tuple(on_switches), tuple(on_routers))


def _hosts(zone: Layer3Zone) -> Mapping[IPAddress, IPAddress]:
    """The node's addresses, each with the masquerade address by which a gateway router reaches the node."""
    hosts = {family.version: family.host for family in zone.edge.families}
    return {each: hosts[each.version] for each in zone.local.node.own_addresses if each.version in hosts}


def _row(
    zone: Layer3Zone,
    name: str,
    service: Service,
    ports: Sequence[ServicePort],
    instead: Mapping[IPAddress, IPAddress],
) -> Row:
    hairpin = [family.masquerade_subnet.network_address + MASQUERADE_HAIRPIN for family in zone.edge.families]
    vips = {
        _at(Backend(address, port.port)): ",".join(
            _at(Backend(instead.get(each.address, each.address), each.port))
            for each in port.backends
            if each.address.version == address.version
        )
        for address in service.addresses
        for port in ports
    }
    columns: dict[str, Column] = {
        "name": name,
        "protocol": (ports[0].protocol,),
        "vips": vips,
        "options": {
            "event": "false",
            "hairpin_snat_ip": " ".join(map(str, hairpin)),
            "neighbor_responder": "none",
            "reject": "true",
            "skip_snat": "false",
        },
        "external_ids": network_ids(zone.layer3.network) | {_KIND_KEY: "Service", _OWNER_KEY: service.name},
    }
    return new_row("Load_Balancer", columns)


def _at(backend: Backend) -> str:
    host = str(backend.address) if backend.address.version == 4 else f"[{backend.address}]"
    return f"{host}:{backend.port}"
