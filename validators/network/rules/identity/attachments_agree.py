"""All attachments with the same network name form one network, so their configurations must be equal.

Upstream takes the first one and ignores the others: pods of their namespaces do not start.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.network_index import census, same_source
from ovnguard.validators.network.cluster.network_namespaces import attachments
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD, config_of
from ovnguard.validators.network.model import Network
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity

_NAD: Final = "NetworkAttachmentDefinition"
# Lists as text; their order has no meaning.
_LISTS: Final = ("subnets", "excludeSubnets", "reservedSubnets", "infrastructureSubnets", "defaultGatewayIPs")
_VALUES: Final = (
    "topology",
    "role",
    "mtu",
    "vlanID",
    "allowPersistentIPs",
    "physicalNetworkName",
    "transport",
    "outboundSNAT",
    "evpn",
    "uplink",
)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error that names the keys which differ from those of another attachment of the network."""
    network = ctx.own_network
    if network is None:
        return
    for other in census(ctx.inventory).declared.get(network.name, ()):
        if other.source.kind != _NAD or same_source(other.source, network.source):
            continue
        stored = attachments(ctx.inventory).get(other.source.name, {}).get(other.source.namespace)
        differing = [] if stored is None else list(_differing(ctx.object, network, stored, other))
        if differing:
            key, theirs = _key(network), _key(other)
            text = f"NAD {key} CNI config does not match that of network {network.name}"
            detail = f"{text}: {', '.join(differing)} not as in {theirs}"
            # the keys would let a tenant guess another one's configuration value by value
            public = "" if other.source.namespace == network.source.namespace else f"{text} in another namespace"
            yield FieldError(ErrorType.INVALID, CONFIG_FIELD, dig(ctx.object, "spec", "config"), detail, public=public)
        return


def _differing(obj: JsonObject, network: Network, stored: JsonObject, other: Network) -> Iterator[str]:
    one, two = _plugin(obj), _plugin(stored)
    for key in _VALUES:
        if (one.get(key) or None) != (two.get(key) or None) and not (key == "role" and network.role is other.role):
            yield key
    for key in _LISTS:
        if _listed(one.get(key)) != _listed(two.get(key)):
            yield key
    if network.join_subnets != other.join_subnets:
        yield "joinSubnet"


def _plugin(obj: JsonObject) -> Mapping[str, Any]:
    config = config_of(obj)
    return config.plugin if config is not None else {}


def _listed(value: object) -> list[str]:
    return sorted(part.strip() for part in value.split(",")) if isinstance(value, str) and value else []


def _key(network: Network) -> str:
    return f"{network.source.namespace or 'default'}/{network.source.name}"


RULE = Rule(
    id="OVNG-L2-013",
    kinds=(NAD,),
    own_network=True,
    severity=Severity.ERROR,
    design="ovn-kubernetes, pkg/networkmanager, NAD controller",
    message="attachments of one network must have the same configuration",
    hint="copy the configuration of the other attachment, or give the network another name",
    check=check,
    needs=(Need.NETWORKS,),
)
