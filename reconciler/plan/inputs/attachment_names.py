"""The network of an attachment.

Pods record attachments, ``namespace/name`` of a NetworkAttachmentDefinition; several of these may belong to one
network. Manifests rarely contain those rendered for a (Cluster)UserDefinedNetwork, which have its name.

Source: ovn-kubernetes ``pkg/util/multi_network.go``.
"""

from collections.abc import Callable

from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.network_namespaces import attachments, namespaced_networks
from ovnguard.validators.network.cluster_view import CUDN, NAD
from ovnguard.validators.network.declared.parse_nad import config_of
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX
from ovnguard.validators.network.model import DEFAULT_NETWORK


def network_names(inventory: Inventory) -> Callable[[str], str]:
    """Return a function from an attachment to the name of its network, or '' for an undeclared one.

    The attachment is ``default``, ``namespace/name``, or this with the number of a further attachment to one network.
    """
    found = {DEFAULT_NETWORK: DEFAULT_NETWORK}

    def network_of(attachment: str) -> str:
        name = found.get(attachment)
        if name is None:
            namespace, _, rest = attachment.partition("/")
            name = found[attachment] = _network_of(inventory, namespace, rest.partition("/")[0])
        return name

    return network_of


def networks_of_undeclared(attachment: str) -> tuple[str, str]:
    """Return the networks that an attachment may belong to whose (Cluster)UserDefinedNetwork is deleted.

    The attachments that OVN-Kubernetes renders have the name of their network's object.
    """
    namespace, _, rest = attachment.partition("/")
    name = rest.partition("/")[0]
    return f"{CUDN_PREFIX}{name}", f"{namespace}_{name}"


def _network_of(inventory: Inventory, namespace: str, name: str) -> str:
    obj = attachments(inventory).get(name, {}).get(namespace) if inventory.knows(NAD) else None
    if obj is not None:
        config = config_of(obj)
        return config.name if config is not None else ""
    if namespace in namespaced_networks(inventory).get(name, {}):
        return f"{namespace}_{name}"
    return f"{CUDN_PREFIX}{name}" if name in inventory.derived(_cluster_networks, CUDN) else ""


def _cluster_networks(inventory: Inventory) -> frozenset[str]:
    return frozenset(ref_of(obj).name for obj in inventory.objects(CUDN) or ())
