"""ACLs with OVN-Kubernetes' ids."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import DATABASE_ID, Column, Row
from ovnguard.reconciler.plan.topology.common_rows import ACL_METER

# Directions as the database and as OVN-Kubernetes' ids name them: towards a pod, and from a pod.
TO: Final = "to-lport"
FROM: Final = "from-lport"
DIRECTIONS: Final[Mapping[str, str]] = {TO: "Ingress", FROM: "Egress"}
# The port of the pod, as matches name it.
PORTS: Final[Mapping[str, str]] = {TO: "outport", FROM: "inport"}


@dataclass(frozen=True, slots=True)
class Acl:
    """One ACL; ``after_lb``: it sees the destination that a load balancer chose."""

    direction: str
    priority: int
    match: str
    action: str
    tier: int = 0
    after_lb: bool = False

    def row(self, ids: Mapping[str, str]) -> Row:
        """Return the row with these external_ids, among them OVN-Kubernetes' id, which identifies it."""
        columns: dict[str, Column] = {
            "direction": self.direction,
            "priority": self.priority,
            "match": self.match,
            "action": self.action,
            "meter": (ACL_METER,),
            "tier": self.tier,
            "options": {"apply-after-lb": "true"} if self.after_lb else {},
            "external_ids": ids,
        }
        return new_row("ACL", columns, ids[DATABASE_ID])
