"""The external_ids by which OVN-Kubernetes finds a row again: who owns it, for what, and both in one text.

Source: ovn-kubernetes ``pkg/libovsdb/ops/db_object_ids.go`` and ``db_object_types.go``.
"""

from collections.abc import Mapping
from typing import Final

from ovnguard.reconciler.plan.rows.row import CONTROLLER_KEY, DATABASE_ID, OWNER_TYPE

NAME: Final = "k8s.ovn.org/name"
# EgressIPs of every network are in the hands of the default network's controller.
EGRESS_CONTROLLER: Final = "default-network-controller"
EGRESS_IP: Final = "EgressIP"


def database_ids(controller: str, owner_type: str, parts: Mapping[str, str]) -> dict[str, str]:
    """Return the external_ids of a row; ``parts`` are its further keys in the order in which the id contains them."""
    identity = ":".join((controller, owner_type, *parts.values()))
    return {DATABASE_ID: identity, CONTROLLER_KEY: controller, OWNER_TYPE: owner_type, **parts}


def egress_ids(network: str, priority: int, name: str, family: str) -> dict[str, str]:
    """Return the external_ids of a policy for EgressIPs in a network; ``family`` is ip, ip4 or ip6."""
    parts = {"priority": str(priority), NAME: name, "ip-family": family, "network": network}
    return database_ids(EGRESS_CONTROLLER, EGRESS_IP, parts)
