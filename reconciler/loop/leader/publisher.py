"""What the leader calls after it has judged and numbered the networks."""

from typing import Protocol

from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.model import ActiveNodes


class Publisher(Protocol):
    """Writes what follows from the networks; it logs what fails, and tries it again itself."""

    def publish(self, desired: DesiredState, active: tuple[ActiveNodes, ...]) -> None:
        """Bring what it writes to ``desired``; ``active`` are the nodes of networks that are not rendered on all."""

    def due(self) -> float | None:
        """Return the seconds after which it must be called without an event, None for no such time."""
