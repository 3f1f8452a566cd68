"""Whether networks with advertised pods are kept apart: ovnkube's option ``advertised-udn-isolation-mode``.

With ``strict``, OVN drops packets between pods of two advertised networks. With ``loose``, the routers outside decide.

Source: ovn-kubernetes, ``pkg/config/config.go``; cluster-network-operator writes the option to the file of ConfigMap
ovnkube-config.
"""

from enum import StrEnum

from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.ovnkube_settings.option_names import ISOLATION
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import ovnkube_options


class Isolation(StrEnum):
    """The values of the option; ovnkube starts with no other."""

    STRICT = "strict"
    LOOSE = "loose"


def isolation_of(inventory: Inventory) -> Isolation | None:
    """Return the value with which ovnkube's zones run; None where no object says or decides it."""
    value = ovnkube_options(inventory).value(ISOLATION)
    return next((mode for mode in Isolation if mode.value == value), None)
