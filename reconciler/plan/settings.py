"""What a plan needs to know about the cluster beside its networks and nodes."""

from dataclasses import dataclass

from validators.network import addressing
from validators.network.model import IPAddress, IPNetwork


@dataclass(frozen=True, slots=True)
class Service:
    """A service of the default network that pods of primary networks may reach, with its cluster addresses."""

    name: str
    addresses: tuple[IPAddress, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """Cluster-wide parameters; every default is OVN-Kubernetes' own.

    ``default_mtu``: MTU of the default network in octets, which limits every gateway port. ``services``: option
    udn-allowed-default-services, ``namespace/name``. ``snat_ports``: port range of source NAT.
    """

    default_mtu: int = 1400
    default_join_subnets: tuple[IPNetwork, ...] = addressing.DEFAULT_JOIN_SUBNETS
    udn_join_subnets: tuple[IPNetwork, ...] = addressing.DEFAULT_UDN_JOIN_SUBNETS
    masquerade_subnets: tuple[IPNetwork, ...] = addressing.DEFAULT_MASQUERADE_SUBNETS
    services: tuple[Service, ...] = ()
    snat_ports: str = "32768-60999"
    frr_namespace: str = "openshift-frr-k8s"
    frr_log_level: str = "informational"
