"""How long the first pods of networks on the measured node wait for the rows of their networks."""

import time
from collections.abc import Sequence

from tests.bench import cluster_objects as objects
from tests.bench.cluster_bed import Cluster


class FirstRows:
    """The networks with these numbers, which node 1 begins to use."""

    def __init__(self, cluster: Cluster, indexes: Sequence[int]) -> None:
        self.indexes = indexes
        self._cluster = cluster
        self._names = {objects.network_name(index): index for index in indexes}
        self._found: dict[int, float] = {}

    def look(self) -> None:
        """Note the networks that are rendered by now."""
        now = time.monotonic()
        for name in self._cluster.rendered() & self._names.keys():
            self._found.setdefault(self._names[name], now)

    def complete(self) -> bool:
        """Whether all are rendered."""
        self.look()
        return len(self._found) == len(self.indexes)

    def seconds(self, remainder: int | None = None) -> list[float]:
        """From the creation of a pod to the rows of its network, sorted; of even or odd networks alone by
        ``remainder``.
        """
        chosen = (index for index in self._found if remainder is None or index % 2 == remainder)
        return sorted(self._found[index] - self._cluster.started[index, 1] for index in chosen)


def shares(values: Sequence[float]) -> str:
    """The values that a half and 99 % of them do not exceed, as text."""
    p50, p99 = (values[min(len(values) - 1, int(len(values) * share))] for share in (0.5, 0.99))
    return f"p50 {p50:.2f} s, p99 {p99:.2f} s"
