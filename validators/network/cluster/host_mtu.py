"""The MTU of the hosts, as the cluster's network operator found it out.

Its prober writes ConfigMap ``openshift-network-operator/mtu``, key ``mtu``; nothing else in the API tells it.
Source: cluster-network-operator, ``pkg/util`` (MTU_CM_NAME).
"""

import re
from typing import Final

from validators.network.cluster.inventory import Inventory
from validators.network.cluster_view import CONFIG_MAP
from validators.network.declared.parse_operator import ref_of
from validators.network.parse_values import dig, text_of

# What the network operator takes off the hosts' MTU for an overlay network, without and with encrypted pod traffic.
OVERLAY_MARGIN: Final = 100
IPSEC_MARGIN: Final = 146
# What Geneve itself adds, over IPv4 and over IPv6: less room than this and a node does not start.
GENEVE_HEADERS: Final = {4: 58, 6: 78}

_PLACE: Final = ("openshift-network-operator", "mtu")
_DIGITS: Final = re.compile(r"[0-9]{1,5}")


def host_mtu(inventory: Inventory) -> int | None:
    """Return the hosts' MTU in octets; None when it is not known, or when the prober found none."""
    return inventory.derived(_host_mtu, CONFIG_MAP)


def _host_mtu(inventory: Inventory) -> int | None:
    for obj in inventory.objects(CONFIG_MAP) or ():
        ref = ref_of(obj)
        text = text_of(dig(obj, "data", "mtu"))
        if (ref.namespace, ref.name) == _PLACE and _DIGITS.fullmatch(text):
            return int(text) or None
    return None
