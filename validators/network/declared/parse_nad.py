"""Networks of NetworkAttachmentDefinitions: a CNI configuration as JSON text in ``spec.config``.

Every error about the configuration has the field ``spec.config``; its text names the key. Source of most texts:
ovn-kubernetes, ``go-controller/pkg/util/multi_network.go`` and ``pkg/config/cni.go``.
"""

from collections.abc import Mapping
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.go.text import quote
from ovnguard.validators.network.addresses.addressing import DEFAULT_UDN_JOIN_SUBNETS
from ovnguard.validators.network.declared.netconf import PLUGIN, NetConf, read_netconf, repeated
from ovnguard.validators.network.declared.parse_nad_checks import containment_faults, topology_faults
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.model import (
    NETWORK_ID_ANNOTATION,
    TUNNEL_KEYS_ANNOTATION,
    IPAddress,
    IPNetwork,
    Network,
    NoOverlay,
    Role,
    Routing,
    Subnet,
    Topology,
    Transport,
)
from ovnguard.validators.network.parse_errors import (
    CNI_CONFIG,
    CNI_CONFLICT,
    CNI_KEYS,
    CNI_NAMES,
    CNI_TRANSPORT,
    ROLE,
    TOPOLOGY,
    ParseError,
)
from ovnguard.validators.network.parse_values import Parsed, Reader, annotation, dig, text_of, with_families

CONFIG_FIELD: Final = "spec.config"
UPSTREAM_NETWORK_ID: Final = "k8s.ovn.org/network-id"
UPSTREAM_TUNNEL_KEYS: Final = "k8s.ovn.org/tunnel-keys"
_TRANSPORTS: Final = {
    "": Transport.GENEVE,
    "no-overlay": Transport.NO_OVERLAY,
    "evpn": Transport.EVPN,
}
# What a message shows of values that it quotes.
_SHOWN: Final = 100
_LONGEST: Final = 400


def config_of(obj: JsonObject) -> NetConf | None:
    """Return the configuration of OVN-Kubernetes that it reads, None where it reads none."""
    config = _read(obj)
    return None if config is None or config.error or config.plugin.get("type") != PLUGIN else config


def _read(obj: JsonObject) -> NetConf | None:
    """The configuration with its errors. Multus takes one from a file on the node where the text is empty."""
    text = dig(obj, "spec", "config")
    return read_netconf(text) if isinstance(text, str) and text else None


def network_attachment_definition(obj: JsonObject) -> Parsed:
    """Return the network of a NetworkAttachmentDefinition.

    None without errors when another plugin is configured, or when it only attaches pods to the default network.
    """
    config = _read(obj)
    if config is None:
        return Parsed(None)
    keys = Reader()
    for field, written in repeated(config.written).items():
        shown = shortlist(quote(_shown(key)) for key in written)
        _no(obj, keys, CNI_KEYS, f"{field}: only the last of the keys {shown} counts")
    parsed = _read_values(obj, config)
    if not keys.errors:
        return parsed
    # OVN-Kubernetes reads a stored text, so other networks are compared with it
    return Parsed(parsed.network, (*keys.errors, *parsed.errors), parsed.warnings)


def _read_values(obj: JsonObject, config: NetConf) -> Parsed:
    reader = Reader()
    if config.error:
        _no(obj, reader, CNI_CONFIG, _shown(config.error, _LONGEST))
    if config.error or config.plugin.get("type") != PLUGIN:
        return Parsed(None, tuple(reader.errors))
    if not config.plugin.get("topology"):
        return _default_network(obj, config.plugin, reader)
    if config.name_error:
        _no(obj, reader, CNI_NAMES, _shown(config.name_error, _LONGEST))
    return _network(obj, config.name, config.plugin, reader)


class _KeyReader(Reader):
    """Reads one key of the configuration: its errors and warnings join those of another reader and name the key."""

    def __init__(self, key: str, reader: Reader) -> None:
        self._key = key
        self.errors = reader.errors
        self.warnings = reader.warnings

    def warn(self, error: ParseError, path: str, value: object, detail: str) -> None:
        super().warn(error, path, value, f"{self._key}: {detail}")

    def refuse(self, error: ParseError, path: str, value: object, detail: str) -> None:
        super().refuse(error, path, "" if value is None else value, f"{self._key}: {detail}")


def _network(obj: JsonObject, name: str, config: Mapping[str, Any], reader: Reader) -> Parsed:
    def at(key: str) -> tuple[Reader, object]:
        return _KeyReader(key, reader), config.get(key)

    topology, role = _shape(obj, config, reader)
    transport, options = _transport(config, reader)
    for fault in topology_faults(config, topology):
        _no(obj, reader, CNI_CONFLICT, fault)
    if topology is None or role is None:
        return Parsed(None, tuple(reader.errors))
    transit, recorded = at("transitSubnet")
    is_localnet = topology is Topology.LOCALNET
    network = Network(
        name=name,
        source=ref_of(obj),
        topology=topology,
        role=role,
        transport=transport,
        subnets=_subnets(topology, *at("subnets")),
        join_subnets=_join(topology, *at("joinSubnet")),
        transit_subnets=transit.transit(CONFIG_FIELD, recorded, strict=False) if _wants_transit(topology, role) else (),
        mtu=_number(*at("mtu"), 65536) or None,
        no_overlay=options,
        network_id=reader.network_id(*_either(obj, NETWORK_ID_ANNOTATION, UPSTREAM_NETWORK_ID)),
        tunnel_keys=reader.tunnel_keys(*_either(obj, TUNNEL_KEYS_ANNOTATION, UPSTREAM_TUNNEL_KEYS)),
        physical_network=text_of(config.get("physicalNetworkName")) if is_localnet else "",
        vlan=_number(*at("vlanID"), 4094) if is_localnet else 0,
        uplink=text_of(config.get("uplink")) if role is Role.PRIMARY else "",
    )
    if topology is not Topology.LAYER3:
        network = network._replace(excluded_subnets=_cidrs(*at("excludeSubnets")))
    if topology is Topology.LAYER2:
        network = network._replace(
            default_gateway_ips=_addresses(*at("defaultGatewayIPs")),
            infrastructure_subnets=_cidrs(*at("infrastructureSubnets"), strict=True),
            reserved_subnets=_cidrs(*at("reservedSubnets"), strict=True),
        )
    _check_subnets(obj, config, network, reader)
    return reader.finish(network)


def _check_subnets(obj: JsonObject, config: Mapping[str, Any], network: Network, reader: Reader) -> None:
    """Refuse a missing subnet, and addresses outside of the subnets."""
    if network.needs_transit_subnet and not config.get("subnets"):
        detail = "the subnet attribute must be defined for layer2 primary user defined networks"
        _no(obj, reader, CNI_CONFLICT, detail)
    # invalid values are absent here, and do not cause further errors
    if not reader.errors:
        for fault in containment_faults(network):
            _no(obj, reader, CNI_CONFLICT, fault)


def _default_network(obj: JsonObject, config: Mapping[str, Any], reader: Reader) -> Parsed:
    """Judge what OVN-Kubernetes asks even of a configuration that only attaches pods to the default network."""
    _role(obj, None, config, reader)
    _transport(config, reader)
    for fault in topology_faults(config, None):
        _no(obj, reader, CNI_CONFLICT, fault)
    return Parsed(None, tuple(reader.errors))


def _number(reader: Reader, value: object, most: int) -> int:
    return reader.number(CONFIG_FIELD, value, 0, most) or 0


def _shape(obj: JsonObject, config: Mapping[str, Any], reader: Reader) -> tuple[Topology | None, Role | None]:
    """Names, topology and role; None where they are unknown."""
    ref = ref_of(obj)
    attached, full_name = config.get("netAttachDefName", ""), f"{ref.namespace}/{ref.name}"
    # of an attachment whose namespace is unknown, only the name can be compared
    stated = attached if ref.namespace else f"/{attached.rpartition('/')[2]}"
    if attached and stated != full_name:
        _no(
            obj,
            reader,
            CNI_NAMES,
            f"net-attach-def name ({full_name}) is inconsistent with config ({_shown(attached)})",
        )
    topology = next((each for each in Topology if each == config["topology"]), None)
    if topology is None:
        _no(obj, reader, TOPOLOGY, f'topology: "{_shown(config["topology"])}" must be layer2, layer3 or localnet')
    return topology, _role(obj, topology, config, reader)


def _role(obj: JsonObject, topology: Topology | None, config: Mapping[str, Any], reader: Reader) -> Role | None:
    named = config.get("role") or Role.SECONDARY.value
    role = next((each for each in Role if each == named), None)
    if topology is Topology.LOCALNET and role is not Role.SECONDARY:
        _no(
            obj,
            reader,
            ROLE,
            f'unexpected network field "role" {_shown(named)} for "localnet" topology, localnet topology does not '
            "allow network roles to be set since its always a secondary network",
        )
    elif role is None:
        _no(obj, reader, ROLE, f"invalid network role value {_shown(named)}")
    return role


def _transport(config: Mapping[str, Any], reader: Reader) -> tuple[Transport, NoOverlay | None]:
    """Transport and options. A configuration has no routing key, so routing is always Unmanaged."""
    name, snat = config.get("transport", ""), config.get("outboundSNAT", "")
    transport = _TRANSPORTS.get(name)
    if transport is None:
        detail = f'invalid transport {quote(_shown(name))}: must be one of ["no-overlay" "evpn"]'
        reader.refuse(CNI_TRANSPORT, CONFIG_FIELD, name, detail)
        return Transport.GENEVE, None
    if transport is not Transport.NO_OVERLAY:
        if snat:
            reader.refuse(
                CNI_TRANSPORT, CONFIG_FIELD, snat, 'outboundSNAT is only valid when transport is "no-overlay"'
            )
        return transport, None
    if not snat:
        detail = 'transport "no-overlay" requires outboundSNAT: one of ["enabled" "disabled"]'
        reader.refuse(CNI_TRANSPORT, CONFIG_FIELD, snat, detail)
        return transport, None
    if snat not in ("enabled", "disabled"):
        reader.refuse(
            CNI_TRANSPORT,
            CONFIG_FIELD,
            snat,
            f'invalid outboundSNAT {quote(_shown(snat))}: must be one of ["enabled" "disabled"]',
        )
        return transport, None
    return transport, NoOverlay(snat == "enabled", Routing.UNMANAGED)


def _subnets(topology: Topology, reader: Reader, value: object) -> tuple[Subnet, ...]:
    """Subnets of the comma-separated list; those of layer3 may end in the prefix length of a node's subnet,
    ``10.0.0.0/16/24``.
    """
    if topology is not Topology.LAYER3:
        return tuple(Subnet(net) for net in _cidrs(reader, value))
    found = []
    for part in reader.listed(CONFIG_FIELD, value):
        cidr, _, share = part.rpartition("/") if part.count("/") == 2 else (part, "", None)
        is_length = share is not None and share.isascii() and share.isdecimal() and len(share) <= 3
        subnet = reader.shared_subnet(CONFIG_FIELD, CONFIG_FIELD, cidr, int(share or 0) if is_length else share)
        found += [subnet] if subnet else []
    return tuple(found)


def _cidrs(reader: Reader, value: object, *, strict: bool = False) -> tuple[IPNetwork, ...]:
    parts = reader.listed(CONFIG_FIELD, value)
    return tuple(net for part in parts if (net := reader.cidr(CONFIG_FIELD, part, strict=strict)))


def _addresses(reader: Reader, value: object) -> tuple[IPAddress, ...]:
    return tuple(ip for part in reader.listed(CONFIG_FIELD, value) if (ip := reader.address(CONFIG_FIELD, part)))


def _join(topology: Topology, reader: Reader, value: object) -> tuple[IPNetwork, ...]:
    if topology is not Topology.LOCALNET:
        return with_families(_cidrs(reader, value), DEFAULT_UDN_JOIN_SUBNETS)
    if value:
        detail = "localnet topology does not allow specifying join-subnet as services are not supported"
        reader.refuse(CNI_CONFLICT, CONFIG_FIELD, value, detail)
    return ()


def _wants_transit(topology: Topology, role: Role) -> bool:
    return topology is Topology.LAYER2 and role is Role.PRIMARY


def _either(obj: JsonObject, ours: str, upstream: str) -> tuple[str, object]:
    path, value = annotation(obj, ours)
    return (path, value) if value is not None else annotation(obj, upstream)


def _no(obj: JsonObject, reader: Reader, error: ParseError, detail: str) -> None:
    reader.refuse(error, CONFIG_FIELD, dig(obj, "spec", "config"), detail)


def _shown(text: str, most: int = _SHOWN) -> str:
    """A value for use inside a text, never longer than a line."""
    return text if len(text) <= most else text[:most] + "..."
