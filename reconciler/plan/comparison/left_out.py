"""What a plan does not contain on purpose, although OVN-Kubernetes may have it in the zone."""

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a plan leaves something out."""

    IDLE = "idle"
    REFUSED = "refused"
    STRANDED = "stranded"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the plan of one zone leaves out.

    ``idle`` are the networks that the node does not use under dynamic allocation. The others are names of pods' ports:
    ``refused`` has those of pods with an error, ``stranded`` those of pods on unknown nodes.
    """

    idle: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    stranded: frozenset[str] = frozenset()

    def reason(self, table: str, identity: str, network: str) -> Reason | None:
        """Return why the plan lacks this row, None if it does not do so on purpose."""
        if network in self.idle:
            return Reason.IDLE
        if table != "Logical_Switch_Port":
            return None
        if identity in self.refused:
            return Reason.REFUSED
        return Reason.STRANDED if identity in self.stranded else None

    def as_json(self) -> dict[str, list[str]]:
        """Return the names by reason."""
        names = (("idle", self.idle), ("refused", self.refused), ("stranded", self.stranded))
        return {reason: sorted(each) for reason, each in names}
