"""The cluster's default network, from an operator.openshift.io Network in either spelling of the no-overlay API.

`enhancement`: defaultNetworkTransport, defaultNetworkNoOverlayOptions, values Enable, Disable and fullMesh.
`released`: transport, noOverlayConfig, values Enabled, Disabled and FullMesh. bgpManagedConfig is in both.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import (
    DEFAULT_JOIN_SUBNETS,
    DEFAULT_MASQUERADE_SUBNETS,
    DEFAULT_TRANSIT_SUBNETS,
)
from ovnguard.validators.network.model import (
    DEFAULT_NETWORK,
    FULL_MESH,
    GENEVE,
    ROUTE_REFLECTOR,
    IPNetwork,
    ManagedBGP,
    Network,
    NoOverlay,
    ObjectRef,
    Role,
    Routing,
    Subnet,
    Topology,
    Transport,
)
from ovnguard.validators.network.parse_values import Parsed, Reader, dig, mapping, text_of, with_families

CONFIG: Final = "spec.defaultNetwork.ovnKubernetesConfig"
# The released API fills it in; the enhancement has no default.
RELEASED_DEFAULT_ASN: Final = 64512
_TRANSPORTS: Final = {"Geneve": Transport.GENEVE, "NoOverlay": Transport.NO_OVERLAY, "EVPN": Transport.EVPN}
_SNAT: Final = {"Enable": True, "Enabled": True, "Disable": False, "Disabled": False}
_ROUTING: Final = {"Managed": Routing.MANAGED, "Unmanaged": Routing.UNMANAGED}
# Absent means the full mesh; routeReflector is an addition of ovnguard, behind the feature gate RouteReflector.
_TOPOLOGIES: Final = {"fullMesh": FULL_MESH, "FullMesh": FULL_MESH, "routeReflector": ROUTE_REFLECTOR}
_ENHANCEMENT_ONLY: Final = frozenset(["defaultNetworkTransport", "defaultNetworkNoOverlayOptions"])
_RELEASED_ONLY: Final = frozenset(["transport", "noOverlayConfig"])


class InternalSubnets(NamedTuple):
    """The cluster's internal subnets in both families; those absent from the object have the built-in default."""

    join: tuple[IPNetwork, ...] = DEFAULT_JOIN_SUBNETS
    transit: tuple[IPNetwork, ...] = DEFAULT_TRANSIT_SUBNETS
    masquerade: tuple[IPNetwork, ...] = DEFAULT_MASQUERADE_SUBNETS


class NoOverlayChoice(NamedTuple):
    """What an operator Network specifies about no-overlay mode, whether or not the parent fields exist.

    ``spelling``: ``enhancement``, ``released`` or empty when the object uses no field of either.
    """

    transport: Transport = Transport.GENEVE
    options: NoOverlay | None = None
    bgp: tuple[int | None, str] | None = None
    spelling: str = ""

    @property
    def managed_bgp(self) -> ManagedBGP | None:
        """The managed BGP fabric, None when it is absent or its AS number is unknown."""
        if self.bgp is None or self.bgp[0] is None:
            return None
        return ManagedBGP(self.bgp[0], self.bgp[1])


def operator_network(obj: JsonObject) -> Parsed:
    """Return the default network that an operator Network declares.

    None without errors for another network provider, or when the object specifies neither pod subnets nor a default
    network.
    """
    spec = mapping(obj, "spec")
    provider = text_of(dig(spec, "defaultNetwork", "type"))
    if provider.lower() not in ("", "ovnkubernetes"):
        return Parsed(None)
    if not spec.get("clusterNetwork") and not isinstance(spec.get("defaultNetwork"), Mapping):
        return Parsed(None)
    reader = Reader()
    internal = internal_subnets(obj, reader)
    choice = no_overlay_choice(obj)
    network = Network(
        name=DEFAULT_NETWORK,
        source=ref_of(obj),
        topology=Topology.LAYER3,
        role=Role.PRIMARY,
        transport=choice.transport,
        subnets=_cluster_networks(spec.get("clusterNetwork"), reader),
        join_subnets=internal.join,
        service_subnets=reader.cidrs("spec.serviceNetwork", spec.get("serviceNetwork")),
        mtu=reader.number(f"{CONFIG}.mtu", _config(obj).get("mtu"), 0, 65536) or None,
        no_overlay=choice.options if choice.transport is Transport.NO_OVERLAY else None,
        managed_bgp=choice.managed_bgp,
        has_hybrid_overlay=isinstance(_config(obj).get("hybridOverlayConfig"), Mapping),
    )
    return reader.finish(network)


def internal_subnets(obj: JsonObject, reader: Reader) -> InternalSubnets:
    """Return the cluster's internal subnets of an operator Network; errors go to ``reader``."""
    config = _config(obj)

    def both(*names: str, inside: tuple[str, ...] = ()) -> list[IPNetwork]:
        found = []
        for version, family in ((4, "ipv4"), (6, "ipv6")):
            path, value = ".".join((CONFIG, *inside, family, *names)), dig(config, *inside, family, *names)
            if value is not None and (net := reader.cidr(path, value, version)):
                found.append(net)
        return found

    join = both("internalJoinSubnet")
    for version, name in ((4, "v4InternalSubnet"), (6, "v6InternalSubnet")):
        # the old field counts where the new one is absent
        if config.get(name) and not any(net.version == version for net in join):
            former = reader.cidr(f"{CONFIG}.{name}", config[name], version)
            join += [former] if former else []
    return InternalSubnets(
        join=with_families(join, DEFAULT_JOIN_SUBNETS),
        transit=with_families(both("internalTransitSwitchSubnet"), DEFAULT_TRANSIT_SUBNETS),
        masquerade=with_families(
            both("internalMasqueradeSubnet", inside=("gatewayConfig",)), DEFAULT_MASQUERADE_SUBNETS
        ),
    )


def hybrid_subnets(obj: JsonObject, reader: Reader) -> tuple[IPNetwork, ...]:
    """Return the pod subnets of hybrid overlay nodes; errors go to ``reader``."""
    path = f"{CONFIG}.hybridOverlayConfig.hybridClusterNetwork"
    listed = dig(_config(obj), "hybridOverlayConfig", "hybridClusterNetwork")
    found = (reader.cidr(f"{where}.cidr", dig(item, "cidr")) for where, item in reader.items(path, listed))
    return tuple(net for net in found if net is not None)


def no_overlay_choice(obj: JsonObject) -> NoOverlayChoice:
    """Return what an operator Network specifies about no-overlay mode; unknown values count as absent, except that an
    unknown topology is named.
    """
    config = _config(obj)
    transport = config.get("defaultNetworkTransport", config.get("transport"))
    options = config.get("defaultNetworkNoOverlayOptions", config.get("noOverlayConfig"))
    return NoOverlayChoice(
        transport=transport_of(transport),
        options=options_of(options),
        bgp=_bgp_of(config.get("bgpManagedConfig")),
        spelling=_spelling(config),
    )


def transport_of(value: object) -> Transport:
    """Return the transport for an API value; absent means the overlay."""
    return _TRANSPORTS.get(text_of(value), GENEVE)


def options_of(value: object) -> NoOverlay | None:
    """Return the no-overlay options from their API object, in either spelling; None when absent or incomplete."""
    snat = _SNAT.get(text_of(dig(value, "outboundSNAT")))
    routing = _ROUTING.get(text_of(dig(value, "routing")))
    return None if snat is None or routing is None else NoOverlay(snat, routing)


def ref_of(obj: JsonObject) -> ObjectRef:
    """Return the reference of the object; with generateName its name is the prefix."""
    metadata = obj.get("metadata")
    # every pass asks for thousands of names; most metadata are dictionaries, for which this check is much faster
    get = (metadata if metadata.__class__ is dict or isinstance(metadata, Mapping) else {}).get
    return ObjectRef(
        text_of(obj.get("apiVersion")),
        text_of(obj.get("kind")),
        text_of(get("namespace")),
        text_of(get("name")) or text_of(get("generateName")),
        text_of(get("uid")),
    )


def _config(obj: JsonObject) -> Mapping[str, Any]:
    return mapping(obj, "spec", "defaultNetwork", "ovnKubernetesConfig")


def _cluster_networks(value: object, reader: Reader) -> tuple[Subnet, ...]:
    found = []
    for path, item in reader.items("spec.clusterNetwork", value):
        subnet = reader.shared_subnet(
            f"{path}.cidr", f"{path}.hostPrefix", dig(item, "cidr"), dig(item, "hostPrefix") or None
        )
        if subnet is not None:
            found.append(subnet)
    return tuple(found)


def _bgp_of(value: object) -> tuple[int | None, str] | None:
    if not isinstance(value, Mapping):
        return None
    asn = value.get("asNumber")
    if asn is None and value.get("bgpTopology") == "FullMesh":
        asn = RELEASED_DEFAULT_ASN
    written = text_of(value.get("bgpTopology"))
    topology = _TOPOLOGIES.get(written, written or FULL_MESH)
    return (asn if isinstance(asn, int) and not isinstance(asn, bool) else None), topology


def _spelling(config: Mapping[str, Any]) -> str:
    bgp = config.get("bgpManagedConfig")
    topology = dig(bgp, "bgpTopology")
    if _ENHANCEMENT_ONLY & config.keys() or topology in ("fullMesh", "routeReflector"):
        return "enhancement"
    # Only the enhancement makes the topology optional.
    if isinstance(bgp, Mapping) and topology is None and not _RELEASED_ONLY & config.keys():
        return "enhancement"
    return "released" if _RELEASED_ONLY & config.keys() or topology == "FullMesh" else ""
