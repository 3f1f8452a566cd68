"""The metrics of an interconnect upgrade."""

from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Gauge

from ovnguard.reconciler.loop.process.metrics import PREFIX


@dataclass(frozen=True, slots=True)
class RolloutNumbers:
    """An interconnect upgrade: its phase, rollouts that hang, nodes and pods that it waits for, and since when."""

    phase: str = ""
    hung: int = 0
    stalls: int = 0
    waiting_since: float = 0.0
    level_reached: bool = False


class RolloutMetrics:
    """The metrics of an interconnect upgrade, in ``registry``, or nowhere; no phase before the first pass."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._phase = Gauge(f"{PREFIX}_rollout_phase", "1 for the phase.", ("phase",), registry=registry)
        self._hung = Gauge(f"{PREFIX}_rollout_hung", "Rollouts without progress for ten minutes.", registry=registry)
        self._stalls = Gauge(f"{PREFIX}_rollout_stalls", "Nodes and pods that rollouts wait for.", registry=registry)
        self._since = Gauge(
            f"{PREFIX}_rollout_waiting_since_timestamp_seconds",
            "Last change of the rollout that has been unfinished and unchanged the longest, 0 without any.",
            registry=registry,
        )
        self._reached = Gauge(
            f"{PREFIX}_rollout_level_reached", "Whether everything runs the release.", registry=registry
        )

    def set(self, numbers: RolloutNumbers) -> None:
        """Set the numbers."""
        self._phase.clear()
        self._phase.labels(numbers.phase).set(1)
        self._hung.set(numbers.hung)
        self._stalls.set(numbers.stalls)
        self._since.set(numbers.waiting_since)
        self._reached.set(numbers.level_reached)
