"""Networks of NetworkAttachmentDefinitions: a CNI configuration as JSON text in ``spec.config``.

Every error about the configuration has the field ``spec.config``; its text names the key. Source of most texts:
ovn-kubernetes, ``go-controller/pkg/util/multi_network.go`` and ``pkg/config/cni.go``.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple, NoReturn

from validators.base.json_types import JsonObject
from validators.network.addresses.addressing import DEFAULT_UDN_JOIN_SUBNETS
from validators.network.declared.parse_nad_checks import config_faults
from validators.network.declared.parse_operator import ref_of
from validators.network.model import (
    DEFAULT_NETWORK,
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
from validators.network.parse_errors import (
    CNI_CONFIG,
    CNI_CONFLICT,
    CNI_NAMES,
    CNI_TRANSPORT,
    ROLE,
    TOPOLOGY,
    ParseError,
)
from validators.network.parse_values import Parsed, Reader, annotation, dig, text_of, with_families

CONFIG_FIELD: Final = "spec.config"
PLUGIN: Final = "ovn-k8s-cni-overlay"
UPSTREAM_NETWORK_ID: Final = "k8s.ovn.org/network-id"
UPSTREAM_TUNNEL_KEYS: Final = "k8s.ovn.org/tunnel-keys"
MAX_CONFIG: Final = 64 * 1024
MAX_DEPTH: Final = 16
_TRANSPORTS: Final = {
    "": Transport.GENEVE,
    "geneve": Transport.GENEVE,
    "no-overlay": Transport.NO_OVERLAY,
    "evpn": Transport.EVPN,
}
_RESERVED_NAMES: Final = ("", DEFAULT_NETWORK, "ovn-kubernetes")


class NadConfig(NamedTuple):
    """A decoded configuration. ``plugin`` is the part for OVN-Kubernetes, ``whole`` the configuration around it."""

    whole: JsonObject
    plugin: JsonObject


def config_of(obj: JsonObject) -> NadConfig | str | None:
    """Return the configuration for OVN-Kubernetes, a text with the reason why it is invalid, or None for another
    plugin.
    """
    text = dig(obj, "spec", "config")
    if not isinstance(text, str) or not text.strip():
        return None
    if len(text) > MAX_CONFIG:
        return f"must not be longer than {MAX_CONFIG} characters"
    try:
        whole = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        return f"must not nest deeper than {MAX_DEPTH} levels"
    except ValueError as error:
        return f"must be JSON: {error}"
    if not isinstance(whole, dict):
        return "must be a JSON object"
    if not _shallow(whole):
        return f"must not nest deeper than {MAX_DEPTH} levels"
    plugins = whole.get("plugins")
    if not isinstance(plugins, list):
        return NadConfig(whole, whole) if whole.get("type") == PLUGIN else None
    ours = [plugin for plugin in plugins if isinstance(plugin, dict) and plugin.get("type") == PLUGIN]
    if not ours:
        return None
    return NadConfig(whole, ours[0]) if len(plugins) == 1 else "CNI plugin chaining is not supported"


def network_attachment_definition(obj: JsonObject) -> Parsed:
    """Return the network of a NetworkAttachmentDefinition.

    None without errors when another plugin is configured, or when it only attaches pods to the default network.
    """
    config = config_of(obj)
    reader = Reader()
    if isinstance(config, str):
        reader.refuse(CNI_CONFIG, CONFIG_FIELD, dig(obj, "spec", "config"), config)
        return Parsed(None, tuple(reader.errors))
    if config is None:
        return Parsed(None)
    name = text_of(config.whole.get("name")) or text_of(config.plugin.get("name"))
    if name == DEFAULT_NETWORK and not config.plugin.get("topology"):
        return Parsed(None)
    return _network(obj, name, config.plugin, reader)


class _KeyReader(Reader):
    """Reads one key of the configuration: its errors join those of another reader and name the key."""

    def __init__(self, key: str, reader: Reader) -> None:
        self._key = key
        self.errors = reader.errors

    def refuse(self, error: ParseError, path: str, value: object, detail: str) -> None:
        super().refuse(error, path, "" if value is None else value, f"{self._key}: {detail}")


def _network(obj: JsonObject, name: str, config: Mapping[str, Any], reader: Reader) -> Parsed:
    def at(key: str) -> tuple[Reader, object]:
        return _KeyReader(key, reader), config.get(key)

    topology, role = _shape(obj, name, config, reader)
    if topology is None or role is None:
        return Parsed(None, tuple(reader.errors))
    transport, options = _transport(config, reader)
    transit, recorded = at("transitSubnet")
    mtu, mtu_value = at("mtu")
    vlan, vlan_value = at("vlanID")
    is_localnet = topology is Topology.LOCALNET
    network = Network(
        name=name,
        source=ref_of(obj),
        topology=topology,
        role=role,
        transport=transport,
        subnets=_subnets(topology, *at("subnets")),
        join_subnets=_join(topology, *at("joinSubnet")),
        transit_subnets=transit.transit(CONFIG_FIELD, recorded) if _wants_transit(topology, role) else (),
        default_gateway_ips=_addresses(*at("defaultGatewayIPs")),
        infrastructure_subnets=_cidrs(*at("infrastructureSubnets")),
        reserved_subnets=_cidrs(*at("reservedSubnets")),
        mtu=mtu.number(CONFIG_FIELD, mtu_value, 0, 65536) or None,
        no_overlay=options,
        network_id=reader.network_id(*_either(obj, NETWORK_ID_ANNOTATION, UPSTREAM_NETWORK_ID)),
        tunnel_keys=reader.tunnel_keys(*_either(obj, TUNNEL_KEYS_ANNOTATION, UPSTREAM_TUNNEL_KEYS)),
        physical_network=text_of(config.get("physicalNetworkName")) if is_localnet else "",
        vlan=(vlan.number(CONFIG_FIELD, vlan_value, 0, 4094) or 0) if is_localnet else 0,
    )
    network = replace(network, excluded_subnets=_cidrs(*at("excludeSubnets")))
    # invalid values are absent here, and do not cause further errors
    if not reader.errors:
        if network.needs_transit_subnet and not network.subnets:
            _no(
                obj,
                reader,
                CNI_CONFLICT,
                "the subnet attribute must be defined for layer2 primary user defined networks",
            )
        for fault in config_faults(config, network, network.excluded_subnets):
            _no(obj, reader, CNI_CONFLICT, fault)
    return reader.finish(network)


def _shape(
    obj: JsonObject, name: str, config: Mapping[str, Any], reader: Reader
) -> tuple[Topology | None, Role | None]:
    """Names, topology and role; None where they are unknown."""
    ref = ref_of(obj)
    attached, full_name = text_of(config.get("netAttachDefName")), f"{ref.namespace or 'default'}/{ref.name}"
    if not attached:
        _no(obj, reader, CNI_NAMES, f"missing NADName in secondary network netconf {_shown(name)}")
    elif attached != full_name:
        _no(
            obj,
            reader,
            CNI_NAMES,
            f"net-attach-def name ({full_name}) is inconsistent with config ({_shown(attached)})",
        )
    if name in _RESERVED_NAMES:
        # the doubled word is upstream's
        _no(obj, reader, CNI_NAMES, f"invalid name in in secondary network netconf ({name})")
    topology = next((each for each in Topology if each == config.get("topology")), None)
    if topology is None:
        _no(
            obj,
            reader,
            TOPOLOGY,
            f'topology: "{_shown(config.get("topology") or "")}" must be layer2, layer3 or localnet',
        )
    named = config.get("role") or Role.SECONDARY.value
    role = next((each for each in Role if each == named), None)
    if role is None:
        _no(obj, reader, ROLE, f"invalid network role value {_shown(named)}")
    elif topology is Topology.LOCALNET and role is Role.PRIMARY:
        _no(
            obj,
            reader,
            ROLE,
            f'unexpected network field "role" {role} for "localnet" topology, localnet topology does not allow '
            "network roles to be set since its always a secondary network",
        )
    return topology, role


def _transport(config: Mapping[str, Any], reader: Reader) -> tuple[Transport, NoOverlay | None]:
    """Transport and options. A configuration has no routing key, so routing is always Unmanaged."""
    given, snat = config.get("transport") or "", config.get("outboundSNAT") or ""
    transport = _TRANSPORTS.get(given) if isinstance(given, str) else None
    if transport is None:
        detail = f'invalid transport "{_shown(given)}": must be one of ["no-overlay" "evpn"]'
        reader.refuse(CNI_TRANSPORT, CONFIG_FIELD, given, detail)
        return Transport.GENEVE, None
    if transport is not Transport.NO_OVERLAY:
        if snat:
            reader.refuse(
                CNI_TRANSPORT, CONFIG_FIELD, snat, 'outboundSNAT is only valid when transport is "no-overlay"'
            )
        return transport, None
    if snat not in ("enabled", "disabled"):
        reader.refuse(
            CNI_TRANSPORT,
            CONFIG_FIELD,
            snat,
            f'invalid outboundSNAT "{_shown(snat)}": must be one of ["enabled" "disabled"]',
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
        cidr, _, share = part.rpartition("/") if part.count("/") == 2 else (part, "", "")
        prefix = int(share) if share.isascii() and share.isdecimal() and len(share) <= 3 else (share or None)
        subnet = reader.shared_subnet(CONFIG_FIELD, CONFIG_FIELD, cidr, prefix)
        found += [subnet] if subnet else []
    return tuple(found)


def _cidrs(reader: Reader, value: object) -> tuple[IPNetwork, ...]:
    return tuple(net for part in reader.listed(CONFIG_FIELD, value) if (net := reader.cidr(CONFIG_FIELD, part)))


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


def _shown(value: object) -> str:
    """A value for use inside a text, never longer than a line."""
    text = str(value)
    return text if len(text) <= 100 else text[:100] + "..."


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


def _shallow(value: object) -> bool:
    """Whether ``value`` nests at most `MAX_DEPTH` levels deep."""
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [child for each in level for child in _children(each)]
        if not level:
            return True
    return False


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
