"""DHCP of virtual machines: ovn-controller on the machine's own node answers with these options.

Machines of a primary Layer2 network always get their address so, machines of the default network if they keep it during
live migrations. Every zone with a port of the machine has the options.

Source: ovn-kubernetes ``pkg/kubevirt/dhcp.go``, ``base_network_controller.go``, "ensureDHCP".
"""

from collections.abc import Mapping
from ipaddress import ip_address
from types import MappingProxyType
from typing import Final

from ovnguard.reconciler.plan.rows.model import Lease, PodPort
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import CONTROLLER_KEY, DATABASE_ID, Row
from ovnguard.reconciler.plan.rows.settings import AllowedService, Settings
from ovnguard.reconciler.plan.topology.common_rows import ZONE_KEY
from ovnguard.validators.network.addresses.addressing import mac_of
from ovnguard.validators.network.model import IPNetwork, Network, Role, Topology

_OWNER_TYPE: Final = "VirtualMachine"
_LEASE_SECONDS: Final = 3500
# The address of the DHCP server and its IPv6 counterpart, after which its MACs are made.
_SERVER: Final = ip_address("169.254.1.1")
_SERVER_V6: Final = ip_address("fe80::1")
_NONE: Final[Mapping[int, Row]] = MappingProxyType({})


def gives_lease(network: Network) -> bool:
    """Whether virtual machines of the network get their addresses by DHCP."""
    return network.is_default or (network.topology is Topology.LAYER2 and network.role is Role.PRIMARY)


def lease_rows(port: PodPort, network: Network, settings: Settings) -> Mapping[int, Row]:
    """Return the DHCP options of a pod's virtual machine by IP version; none without a known DNS service."""
    if port.lease is None or not gives_lease(network):
        return _NONE
    dns = settings.dns
    if dns is None:
        return _NONE
    return {subnet.version: _row(port, port.lease, subnet, network, settings, dns) for subnet in port.lease.subnets}


def missing_lease(network: Network, settings: Settings) -> str:
    """Return why virtual machines of the network get no address by DHCP, or ''."""
    if gives_lease(network) and settings.dns is None:
        return f"no DHCP for virtual machines: Service {settings.dns_service} is not known"
    return ""


def _row(
    port: PodPort, lease: Lease, subnet: IPNetwork, network: Network, settings: Settings, dns: AllowedService
) -> Row:
    # %q in upstream; a name has no characters that need an escape
    name = f'"{port.machine}"'
    server = next((str(each) for each in dns.addresses if each.version == subnet.version), "")
    options = {"dns_server": server} if server else {}
    if subnet.version == 6:
        options |= {"fqdn": name, "server_id": mac_of(_SERVER_V6)}
    else:
        options |= {
            "hostname": name,
            "lease_time": str(_LEASE_SECONDS),
            "server_id": str(_SERVER),
            "server_mac": mac_of(_SERVER),
        }
        mtu = network.mtu or settings.default_mtu
        options |= {"mtu": str(mtu)} if mtu else {}
        options |= {"router": str(lease.router)} if lease.router is not None else {}
    ids = _ids(port, network, str(subnet).replace(":", "."))
    return new_row("DHCP_Options", {"cidr": str(subnet), "options": options, "external_ids": ids})


def _ids(port: PodPort, network: Network, cidr: str) -> dict[str, str]:
    owner, machine = Names(network.name).controller, f"{port.namespace}/{port.machine}"
    return {
        DATABASE_ID: f"{owner}:{_OWNER_TYPE}:{machine}:{cidr}",
        "k8s.ovn.org/name": machine,
        "k8s.ovn.org/cidr": cidr,
        CONTROLLER_KEY: owner,
        "k8s.ovn.org/owner-type": _OWNER_TYPE,
        ZONE_KEY: "local",
    }
