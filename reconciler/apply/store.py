"""What every holder of one zone's rows can do."""

from collections.abc import Sequence
from typing import Protocol

from reconciler.plan.rows import Operation, Row


class ZoneStore(Protocol):
    """The Northbound rows of one zone, in whatever backend."""

    def read(self) -> tuple[Row, ...]:
        """Return all rows that are ours; raise StoreError when they cannot be read."""

    def apply(self, operations: Sequence[Operation]) -> None:
        """Apply all operations, which came from the newest `read`, or none; raise StoreError for none."""

    def close(self) -> None:
        """Let go of whatever is held open."""
