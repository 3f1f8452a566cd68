"""Whether networks with advertised pods are kept apart: ovnkube's option ``advertised-udn-isolation-mode``.

With ``strict``, OVN drops packets between pods of two advertised networks. With ``loose``, the routers outside decide.

Source: ovn-kubernetes, ``pkg/config/config.go``; cluster-network-operator writes the option to the file of ConfigMap
ovnkube-config.
"""

from enum import StrEnum

from validators.network.cluster.advertised_networks import OVNKUBE_NAMESPACES
from validators.network.cluster.inventory import Inventory
from validators.network.ovnkube_settings.allocation import allocation
from validators.network.ovnkube_settings.allocation_settings import ISOLATION


class Isolation(StrEnum):
    """The values of the option; ovnkube starts with no other."""

    STRICT = "strict"
    LOOSE = "loose"


def isolation_of(inventory: Inventory) -> Isolation | None:
    """Return the value on which ovnkube's known workloads and configuration file agree; None where they say nothing."""
    known = allocation(inventory)
    sources = (each for each in known.sources if each.namespace in OVNKUBE_NAMESPACES) if known is not None else ()
    modes = {
        each.by_option[ISOLATION].value for source in sources for each in source.settings if ISOLATION in each.by_option
    }
    return next((mode for mode in Isolation if modes == {mode.value}), None)
