"""The MTU of the default network that the cluster uses, where objects show it.

ovnkube's own configuration counts first, then what the network operator reports, and at last what it would select.
While the MTU changes, only the first of them is in use.

Sources: ovn-kubernetes, ``pkg/config/config.go`` (option ``mtu``) and ``dist/images/ovnkube.sh``;
config.openshift.io/v1 Network, ``status.clusterNetworkMTU``; cluster-network-operator,
``pkg/network/ovn_kubernetes.go``.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from validators.base.json_types import JsonObject
from validators.network.cluster.advertised_networks import OVNKUBE_NAMESPACES
from validators.network.cluster.cluster_facts import IPSEC_MARGIN, OVERLAY_MARGIN, facts_of, host_mtu, known_operator
from validators.network.cluster.inventory import Inventory
from validators.network.cluster.workloads import containers, texts
from validators.network.cluster_view import CONFIG_MAP, CONFIG_NETWORK, OPERATOR_NETWORK_NAME
from validators.network.declared.network_of import group_kind_of
from validators.network.declared.parse_operator import ref_of
from validators.network.ovnkube_settings.allocation_settings import OVNKUBE_KINDS, PREFIX
from validators.network.parse_values import MAX_ITEMS, decimal, dig, mapping, text_of

_LOWEST: Final = 576
_HIGHEST: Final = 65536
# The maximum number of characters read from one text.
_MAX_TEXT: Final = 500_000
_FLAG: Final = re.compile(r"(?<![\w-])--?mtu(?:=|[ \t]+)[\"']?([0-9]{1,6})(?![\w.])")
_SECTION: Final = "[default]"


def effective_mtu(inventory: Inventory) -> int | None:
    """Return the MTU in octets, or None while no object shows it."""
    return (
        inventory.derived(_of_ovnkube, *OVNKUBE_KINDS)
        or inventory.derived(_reported, CONFIG_NETWORK)
        or facts_of(inventory).default_mtu
        or _selected(inventory)
    )


def _of_ovnkube(inventory: Inventory) -> int | None:
    """The value on which ovnkube's configuration file and workloads agree."""
    found = {
        number
        for kind in OVNKUBE_KINDS
        for obj in inventory.objects(kind) or ()
        if (ref := ref_of(obj)).namespace in OVNKUBE_NAMESPACES and ref.name.startswith(PREFIX)
        for number in _numbers(obj)
    }
    return found.pop() if len(found) == 1 else None


def _numbers(obj: JsonObject) -> Iterator[int]:
    if group_kind_of(obj) == CONFIG_MAP:
        found = [each for text in list(mapping(obj, "data").values())[:MAX_ITEMS] for each in _keys(text_of(text))]
    else:
        found = [each for _, container in containers(obj) for each in _settings(container)]
    yield from (number for each in found if (number := decimal(each, _LOWEST, _HIGHEST)) is not None)


def _keys(text: str) -> Iterator[str]:
    """The values of the key in the section of general options."""
    inside = False
    for line in map(str.strip, text[:_MAX_TEXT].splitlines()):
        if line.startswith("["):
            inside = line.lower() == _SECTION
        elif inside:
            key, _, value = line.partition("=")
            if key.strip().lower() == "mtu":
                yield value.strip().strip("\"'")


def _settings(container: object) -> Iterator[str]:
    """The values of a container's flags and environment."""
    each = mapping(container)
    elements = [text[:_MAX_TEXT] for _, text in texts(each)]
    yield from (found[1] for text in elements for found in _FLAG.finditer(text))
    yield from (after for flag, after in pairwise(elements) if flag in ("-mtu", "--mtu"))
    listed = each.get("env")
    named = [mapping(entry) for entry in (listed[:MAX_ITEMS] if isinstance(listed, list) else ())]
    yield from (text_of(entry.get("value")) for entry in named if entry.get("name") == "OVN_MTU")


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
