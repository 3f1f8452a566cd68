"""Networks whose changes the database refused: they wait for their next attempt, so that the others are written."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.apply.ovn.ownership import by_network
from ovnguard.reconciler.plan.rows.row import Operation, Row

# Seconds before the second attempt; each further pause is twice as long.
FIRST_PAUSE: Final = 30.0
LONGEST_PAUSE: Final = 600.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """The database's error about one network ("" for shared rows), the number of attempts, and the next one.

    ``retry`` is in seconds of the quarantine's clock.
    """

    network: str
    text: str
    attempts: int
    retry: float

    def __str__(self) -> str:
        whose = f"network {self.network}" if self.network else "shared rows"
        return f"{whose}: not written: {self.text}"


class Quarantine:
    """The refused networks of one database. ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._held: dict[str, Refusal] = {}

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The refused networks, by name."""
        return tuple(self._held[name] for name in sorted(self._held))

    def admitted(self, operations: Sequence[Operation], observed: Sequence[Row]) -> Sequence[Operation]:
        """Return the operations on networks that need not wait; ``observed`` are the rows before them.

        A refused network without operations agrees with its rows and is no longer refused.
        """
        if not self._held:
            return operations
        rows = {row.uuid: row.columns for row in observed}
        found = by_network(operations, lambda operation: rows.get(operation.uuid, {}))
        self.release(self._held.keys() - found.keys())
        now = self._clock()
        waiting = {name for name, refusal in self._held.items() if refusal.retry > now}
        kept = {id(each) for name, changes in found.items() if name not in waiting for each in changes}
        return [each for each in operations if id(each) in kept]

    def refuse(self, refused: Mapping[str, str]) -> None:
        """Hold networks back, by name with the database's error."""
        for name, text in refused.items():
            attempts = self._held[name].attempts + 1 if name in self._held else 1
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempts - 1, 16))
            self._held[name] = Refusal(name, text, attempts, self._clock() + pause)

    def release(self, networks: Collection[str]) -> None:
        """Forget networks that the database accepted."""
        for name in networks:
            self._held.pop(name, None)
