"""When Events about states are reported."""

from datetime import UTC, datetime
from typing import Any

from ovnguard.reconciler.loop.process.events import Event, EventRecorder, Reference
from ovnguard.reconciler.loop.status.lasting_events import LastingEvents

ABOUT = Reference("v1", "Node", "", "n1", "u1")
BAD = Event(ABOUT, "Bad", "Look", "it is bad", warning=True)
GOOD = Event(ABOUT, "Good", "Look", "it is good")


class World:
    def __init__(self) -> None:
        self.seconds = 0.0
        self.written: list[tuple[str, int]] = []
        announcer = EventRecorder(self, "x", lambda: datetime(2026, 1, 1, tzinfo=UTC), lambda: 0.0)
        self.events, self._announcer = LastingEvents(announcer, lambda: self.seconds), announcer

    def request(self, method: str, path: str, query: Any = None, body: Any = None, content_type: str = "") -> Any:
        self.written.append((body["reason"], body.get("series", {}).get("count", 1)))
        return body

    def watch(self, *_: Any) -> Any:
        raise AssertionError("nobody watches here")

    def told(self, *states: tuple[float, Event | None]) -> list[str]:
        """The reasons that were reported while ``states`` began, each at its second."""
        for self.seconds, state in states:
            self.events.tell("n1", state)
            self._announcer.flush()
        return [reason for reason, _ in self.written]


def test_a_warning_waits_until_its_state_has_lasted() -> None:
    world = World()
    assert (world.told((0.0, BAD), (4.0, BAD)), world.events.due()) == ([], 6.0)
    assert (world.told((9.9, BAD), (10.0, BAD), (30.0, BAD)), world.events.due()) == (["Bad"], None)


def test_a_state_that_is_no_warning_is_reported_at_once_and_once() -> None:
    assert World().told((0.0, GOOD), (1.0, GOOD), (2.0, GOOD)) == ["Good"]


def test_what_was_short_is_not_reported_and_what_is_repeated_is() -> None:
    short = World().told((0.0, GOOD), (1.0, BAD), (10.9, GOOD), (11.0, BAD), (20.9, None))
    assert short == ["Good"]
    again = World().told((0.0, BAD), (10.0, BAD), (11.0, GOOD), (12.0, BAD), (22.0, BAD), (23.0, GOOD))
    assert again == ["Bad", "Good", "Bad", "Good"]


def test_a_change_of_the_state_begins_the_wait_again() -> None:
    other = Event(ABOUT, "Bad", "Look", "it is very bad", warning=True)
    world = World()
    assert (world.told((0.0, BAD), (9.0, other), (18.0, other)), world.events.due()) == ([], 1.0)


def test_a_subject_that_is_forgotten_begins_again() -> None:
    world = World()
    world.told((0.0, BAD), (10.0, BAD))
    assert [world.events.has_reported(name, default=True) for name in ("n1", "n2")] == [True, True]
    world.events.tell("n2", BAD)
    assert not world.events.has_reported("n2", default=True)
    world.events.keep(())
    assert (world.events.due(), world.events.has_reported("n1", default=False)) == (None, False)
