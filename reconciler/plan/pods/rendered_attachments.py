"""The NetworkAttachmentDefinitions of (Cluster)UserDefinedNetworks, as OVN-Kubernetes' cluster manager renders them.

Texts of the network's object are copied as they are: OVN-Kubernetes compares configurations as text.

Source: ovn-kubernetes ``pkg/clustermanager/userdefinednetwork/template``, for the content; ``pkg/networkmanager``, for
the annotations with the network's numbers.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import DEFAULT_UDN_JOIN_SUBNETS
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.network_namespaces import namespaces, selector_of
from ovnguard.validators.network.cluster.ownership import OWNER_KINDS
from ovnguard.validators.network.cluster_view import CUDN, NAD
from ovnguard.validators.network.declared.netconf import PLUGIN
from ovnguard.validators.network.declared.parse_nad import UPSTREAM_NETWORK_ID, UPSTREAM_TUNNEL_KEYS
from ovnguard.validators.network.model import Network, Role, Topology, Transport
from ovnguard.validators.network.parse_values import dig, mapping, network_text, text_of

FINALIZER: Final = "k8s.ovn.org/user-defined-network-protection"
"""The finalizer of an attachment and of its network: it stays while pods use the network."""
RENDERED_LABEL: Final = "k8s.ovn.org/user-defined-network"
NETWORK_NAME: Final = "k8s.ovn.org/network-name"
_CNI_VERSION: Final = "1.1.0"
_NOT_COPIED: Final = ("k8s.ovn.org", "ovnguard.io/")
# A Localnet network has no overlay, whose headers the default network's MTU leaves room for.
_HEADERS: Final = 100


def namespaces_of(candidate: Candidate, inventory: Inventory) -> tuple[str, ...]:
    """Return the namespaces in which a network needs an attachment, by name; terminating ones need none."""
    known = namespaces(inventory)
    if candidate.kind == CUDN:
        return tuple(each.name for each in known.selected_by(selector_of(candidate.object)))
    own = text_of(dig(candidate.object, "metadata", "namespace"))
    return (own,) if own in known.by_name else ()


def is_numbered(candidate: Candidate) -> bool:
    """Return whether the object of a network records all of its numbers. It need not be planned.

    It is not while an attachment contradicts, as somebody may have changed it: then ours is put right first.
    """
    network = candidate.network
    if network is None or network.network_id is None:
        return False
    return not network.needs_transit_subnet or bool(network.tunnel_keys and network.transit_subnets)


def attachment_places(candidates: Iterable[Candidate], inventory: Inventory) -> Iterator[tuple[Candidate, str]]:
    """Iterate over ``candidates``, which are numbered, with each namespace in which one needs an attachment.

    A network that is being deleted needs none.
    """
    for each in candidates:
        if each.kind in OWNER_KINDS and each.network is not None and not dig(each.object, *_DELETED):
            yield from ((each, namespace) for namespace in namespaces_of(each, inventory))


_DELETED: Final = ("metadata", "deletionTimestamp")


def rendered_attachment(obj: JsonObject, network: Network, namespace: str, default_mtu: int | None) -> JsonObject:
    """Return the attachment of ``network``, which ``obj`` declares, in ``namespace``.

    ``default_mtu`` is the default network's MTU in octets; while it is unknown, the configuration of a Localnet network
    without its own has none.
    """
    metadata = obj["metadata"]
    name = str(metadata["name"])
    owner = {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": name,
        "uid": metadata.get("uid", ""),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    copied = {key: each for key, each in mapping(metadata, "annotations").items() if not key.startswith(_NOT_COPIED)}
    keys = json.dumps(list(network.tunnel_keys), separators=(",", ":"))
    numbers = {NETWORK_NAME: network.name, UPSTREAM_NETWORK_ID: str(network.network_id), UPSTREAM_TUNNEL_KEYS: keys}
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": NAD.kind,
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {**mapping(metadata, "labels"), RENDERED_LABEL: ""},
            "annotations": {**copied, **numbers},
            "finalizers": [FINALIZER],
            "ownerReferences": [owner],
        },
        "spec": {"config": _text(_configuration(obj, network, f"{namespace}/{name}", default_mtu))},
    }


def _text(configuration: Mapping[str, Any]) -> str:
    filled = {key: value for key, value in configuration.items() if value}
    return json.dumps(filled, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _configuration(obj: JsonObject, network: Network, attachment: str, default_mtu: int | None) -> dict[str, Any]:
    """The configuration of the CNI plugin; what is empty is left out."""
    spec = mapping(obj, "spec")
    block = mapping(spec.get("network", spec), network.topology.value)
    options = network.no_overlay if network.transport is Transport.NO_OVERLAY else None
    localnet = network.topology is Topology.LOCALNET
    mtu = block.get("mtu") or (default_mtu + _HEADERS if localnet and default_mtu is not None else 0)
    return {
        "cniVersion": _CNI_VERSION,
        "type": PLUGIN,
        "name": network.name,
        "netAttachDefName": attachment,
        "topology": network.topology.value,
        "role": network.role.value,
        "mtu": mtu,
        "subnets": _subnets(block),
        "joinSubnet": _join_subnets(block, network),
        "transitSubnet": network_text(network.transit_subnets),
        "allowPersistentIPs": dig(block, "ipam", "lifecycle") == "Persistent",
        "excludeSubnets": _listed(block, "excludeSubnets"),
        "physicalNetworkName": network.physical_network,
        "vlanID": network.vlan,
        # the network has what OVN-Kubernetes uses of these fields
        "reservedSubnets": _listed(block, "reservedSubnets") if network.reserved_subnets else "",
        "infrastructureSubnets": _listed(block, "infrastructureSubnets") if network.infrastructure_subnets else "",
        "defaultGatewayIPs": _listed(block, "defaultGatewayIPs") if network.default_gateway_ips else "",
        "transport": network.transport.value if options is not None else "",
        "outboundSNAT": "" if options is None else "enabled" if options.outbound_snat else "disabled",
        "uplink": network.uplink,
    }


def _subnets(block: Mapping[str, Any]) -> str:
    """The subnets, those of a Layer3 network with the prefix length of each node's."""
    found = []
    for each in block.get("subnets") or ():
        if isinstance(each, str):
            found.append(each)
        else:
            share = dig(each, "hostSubnet")
            found.append(f"{dig(each, 'cidr')}/{share}" if share else text_of(dig(each, "cidr")))
    return ",".join(found)


def _join_subnets(block: Mapping[str, Any], network: Network) -> str:
    if network.role is not Role.PRIMARY:
        return ""
    return _listed(block, "joinSubnets") or network_text(DEFAULT_UDN_JOIN_SUBNETS)


def _listed(block: Mapping[str, Any], key: str) -> str:
    return ",".join(map(text_of, block.get(key) or ()))
