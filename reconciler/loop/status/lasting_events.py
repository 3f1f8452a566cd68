"""Events about states: each state is reported once, and a Warning only when the state has lasted a while."""

from collections.abc import Callable, Container
from dataclasses import dataclass, replace

from ovnguard.reconciler.loop.process.backoff import earliest
from ovnguard.reconciler.loop.process.events import Event, EventRecorder
from ovnguard.reconciler.loop.status.zones_ready import WARNING


@dataclass(slots=True)
class _Subject:
    """What was told last about a subject, since when, and what was reported."""

    state: Event | None
    since: float
    reported: Event | None = None
    first: bool = True


class LastingEvents:
    """Remembers the states of subjects. ``monotonic`` returns seconds.

    What a process finds first may have been reported by another one: then it is not counted again.
    """

    def __init__(self, announcer: EventRecorder, monotonic: Callable[[], float]) -> None:
        self._announcer, self._monotonic = announcer, monotonic
        self._subjects: dict[str, _Subject] = {}

    def tell(self, name: str, state: Event | None) -> None:
        """Note the state of a subject, None while there is nothing to report, and report what is due."""
        now = self._monotonic()
        subject = self._subjects.setdefault(name, _Subject(state, now))
        if subject.state != state:
            subject.state, subject.since = state, now
        self.flush()

    def has_reported(self, name: str, *, default: bool) -> bool:
        """Return whether anything was reported about a subject, ``default`` if its state was not told yet."""
        subject = self._subjects.get(name)
        return default if subject is None else subject.reported is not None

    def flush(self) -> None:
        """Report the states that have lasted long enough."""
        for subject in self._subjects.values():
            if self._due(subject):
                continue
            if subject.state is not None and subject.state != subject.reported:
                self._announcer.announce(replace(subject.state, recurs=not subject.first))
            subject.reported, subject.first = subject.state, False

    def due(self) -> float | None:
        """Return the seconds until a state is reported, None if all are."""
        return earliest(*(self._due(subject) for subject in self._subjects.values()))

    def keep(self, names: Container[str]) -> None:
        """Forget the subjects that are not among ``names``."""
        self._subjects = {name: subject for name, subject in self._subjects.items() if name in names}

    def _due(self, subject: _Subject) -> float | None:
        if subject.state == subject.reported:
            return None
        waits = WARNING if subject.state is not None and subject.state.warning else 0.0
        return max(0.0, subject.since + waits - self._monotonic())
