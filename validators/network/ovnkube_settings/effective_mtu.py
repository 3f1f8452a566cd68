"""The MTU of the default network that the cluster uses, where objects show it.

ovnkube's own configuration counts first, then what the network operator reports, and at last what it would select.
While the MTU changes, only the first of them is in use.

Sources: ovn-kubernetes, ``pkg/config/config.go`` (option ``mtu``) and ``dist/images/ovnkube.sh``;
config.openshift.io/v1 Network, ``status.clusterNetworkMTU``; cluster-network-operator,
``pkg/network/ovn_kubernetes.go``.
"""

from typing import Final

from ovnguard.validators.network.cluster.cluster_facts import (
    IPSEC_MARGIN,
    OVERLAY_MARGIN,
    facts_of,
    host_mtu,
    known_operator,
)
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster_view import CONFIG_NETWORK, OPERATOR_NETWORK_NAME
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.ovnkube_settings.option_names import MTU
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import ovnkube_options
from ovnguard.validators.network.parse_values import decimal, dig

_LOWEST: Final = 576
_HIGHEST: Final = 65536


def effective_mtu(inventory: Inventory) -> int | None:
    """Return the MTU in octets, or None while no object shows it."""
    return (
        _of_ovnkube(inventory)
        or inventory.derived(_reported, CONFIG_NETWORK)
        or facts_of(inventory).default_mtu
        or _selected(inventory)
    )


def _of_ovnkube(inventory: Inventory) -> int | None:
    """The value with which ovnkube runs."""
    return decimal(ovnkube_options(inventory).value(MTU), _LOWEST, _HIGHEST)


def _reported(inventory: Inventory) -> int | None:
    """What the network operator reports."""
    for obj in inventory.objects(CONFIG_NETWORK) or ():
        number = dig(obj, "status", "clusterNetworkMTU")
        if ref_of(obj).name == OPERATOR_NETWORK_NAME and isinstance(number, int) and _LOWEST <= number <= _HIGHEST:
            return number
    return None


def _selected(inventory: Inventory) -> int | None:
    """What the network operator selects where its object contains no MTU: the hosts', with room for tunnels."""
    host, operator = host_mtu(inventory), known_operator(inventory)
    if host is None or operator is None:
        return None
    if operator.no_overlay:
        return host
    return host - (IPSEC_MARGIN if operator.ipsec_full else OVERLAY_MARGIN)
