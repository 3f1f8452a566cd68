"""What the webhook counts, as the rest of it sees that: without a metrics library nothing is counted.

`webhook.observability.prometheus` counts with Prometheus' client.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol

from webhook.admission.handlers import Decision


class Telemetry(Protocol):
    """Takes note of what happens. Called from many threads."""

    def in_flight(self) -> AbstractContextManager[object]:
        """Around a call of an admission route."""

    def decided(self, decisions: Sequence[Decision]) -> None:
        """Reviews were answered."""

    def rejected(self, webhook: str, status: int) -> None:
        """A call was no review, and answered by an HTTP status."""

    def exposition(self) -> tuple[str, str]:
        """Return a content type and everything that was counted."""


class NoTelemetry:
    """Counts nothing."""

    def in_flight(self) -> AbstractContextManager[object]:
        """Do nothing."""
        return nullcontext()

    def decided(self, decisions: Sequence[Decision]) -> None:
        """Do nothing."""

    def rejected(self, webhook: str, status: int) -> None:
        """Do nothing."""

    def exposition(self) -> tuple[str, str]:
        """Return an empty exposition, which is a valid one."""
        return "text/plain; version=0.0.4; charset=utf-8", ""


NO_TELEMETRY: Final = NoTelemetry()
