"""Events: named after what they say, counted when they recur, bounded in time, and never in anybody's way."""

import logging
from datetime import UTC, datetime

import pytest

from ovnguard.reconciler.loop.process.events import (
    BURST,
    MAX_NOTE,
    MAX_PENDING,
    PAUSE,
    REFILL,
    Event,
    EventRecorder,
    Reference,
    reference_to,
)
from ovnguard.validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError, ClusterError

NODE = Reference("v1", "Node", "", "n1", "uid-n1")
UDN = Reference("k8s.ovn.org/v1", "UserDefinedNetwork", "ns", "blue", "uid-blue")
PATH = "/apis/events.k8s.io/v1/namespaces/default/events"


def event(note: str = "two rows", about: Reference = NODE, **kwargs) -> Event:
    return Event(about, "RowsRepaired", "RepairRows", note, **kwargs)


class Server:
    """Keeps what is created, as the API server does."""

    def __init__(self) -> None:
        self.objects: dict[str, dict] = {}
        self.asked: list[tuple[str, str]] = []
        self.failure: Exception | None = None

    def request(self, method, path, query=None, body=None, content_type=""):
        self.asked.append((method, path))
        assert query is None
        if self.failure:
            raise self.failure
        if method == "POST":
            place = f"{path}/{body['metadata']['name']}"
            if place in self.objects:
                raise ApiStatusError(409, "AlreadyExists", "events already exists")
            self.objects[place] = body
            return body
        if method == "PATCH":
            assert content_type == MERGE_PATCH
            assert set(body) == {"series"}
            self.objects[path] = {**self.objects[path], **body}
        return self.objects[path]

    def watch(self, *_):
        raise AssertionError("nobody watches here")


class Bench:
    def __init__(self, server: Server | None = None) -> None:
        self.server = server or Server()
        self.seconds = 1000.0
        self.announcer = EventRecorder(self.server, "n1", lambda: datetime(2026, 1, 2, 3, 4, 5, 678, UTC), self._now)

    def _now(self) -> float:
        return self.seconds

    def tell(self, *events: Event) -> None:
        for each in events:
            self.announcer.announce(each)
        self.announcer.flush()

    @property
    def events(self) -> list[dict]:
        return list(self.server.objects.values())


def test_an_event_has_everything_that_the_api_server_asks_for():
    bench = Bench()
    bench.tell(event(warning=True))
    (made,) = bench.events
    name = made["metadata"].pop("name")
    assert name.startswith("n1.")
    assert len(name) == len("n1.") + 16
    assert made == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"namespace": "default"},
        "eventTime": "2026-01-02T03:04:05.000678Z",
        "reportingController": "ovnguard-reconciler",
        "reportingInstance": "n1",
        "action": "RepairRows",
        "reason": "RowsRepaired",
        "regarding": {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "uid-n1"},
        "note": "two rows",
        "type": "Warning",
    }


def test_an_event_is_where_its_object_is():
    bench = Bench()
    bench.tell(event(about=UDN))
    (made,) = bench.events
    assert made["metadata"]["namespace"] == made["regarding"]["namespace"] == "ns"
    assert made["type"] == "Normal"
    assert bench.server.asked == [("POST", "/apis/events.k8s.io/v1/namespaces/ns/events")]


def test_references_are_what_the_api_server_says():
    metadata = {"name": "blue", "namespace": "ns", "uid": "uid-blue", "resourceVersion": "1"}
    assert reference_to({"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "metadata": metadata}) == UDN
    assert reference_to({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "uid-n1"}}) == NODE


def test_two_recorders_of_one_fact_write_one_event():
    server = Server()
    Bench(server).tell(event())
    Bench(server).tell(event())
    assert [method for method, _ in server.asked] == ["POST", "POST"]
    (made,) = server.objects.values()
    assert "series" not in made


def test_what_recurs_is_counted_across_processes():
    server = Server()
    Bench(server).tell(event(recurs=True))
    for count in (2, 3):
        Bench(server).tell(event(recurs=True))
        (made,) = server.objects.values()
        assert made["series"] == {"count": count, "lastObservedTime": "2026-01-02T03:04:05.000678Z"}
    assert [method for method, _ in server.asked] == ["POST", *["POST", "GET", "PATCH"] * 2]


def test_what_happened_twice_before_it_could_be_written_is_one_event():
    bench = Bench()
    bench.tell(event(), event(), event("other"))
    assert [made.get("series", {}).get("count") for made in bench.events] == [2, None]


@pytest.mark.parametrize("failure", [ClusterError("gone"), ApiStatusError(503, "ServiceUnavailable", "soon")])
def test_a_silent_api_server_is_asked_again_after_a_pause(failure, caplog):
    bench = Bench()
    bench.server.failure = failure
    bench.tell(event())
    bench.tell(event("other"))
    assert len(bench.server.asked) == 1
    bench.server.failure = None
    bench.seconds += PAUSE
    bench.tell()
    assert [made["note"] for made in bench.events] == ["two rows", "other"]
    assert caplog.messages == [f"cannot write event RowsRepaired about Node n1: {failure}"]


def test_a_refused_event_is_dropped_and_logged_once(caplog):
    bench = Bench()
    bench.server.failure = ApiStatusError(403, "Forbidden", "no")
    bench.tell(event(), event("other"))
    assert len(bench.server.asked) == 2
    assert caplog.messages == ["cannot write event RowsRepaired about Node n1: 403 Forbidden: no"]
    bench.server.failure = None
    bench.tell(event("third"))
    assert [made["note"] for made in bench.events] == ["third"]


def test_events_come_at_a_bounded_rate():
    bench = Bench()
    bench.tell(*(event(str(number)) for number in range(BURST + 5)))
    assert len(bench.events) == BURST
    bench.tell()
    assert len(bench.events) == BURST
    bench.seconds += REFILL * 2
    bench.tell()
    assert len(bench.events) == BURST + 2
    bench.seconds += REFILL * 1000
    bench.tell()
    assert [made["note"] for made in bench.events] == [str(number) for number in range(BURST + 5)]


def test_events_above_the_limit_are_dropped_and_logged(caplog):
    caplog.set_level(logging.WARNING)
    bench = Bench()
    bench.tell(*(event(str(number)) for number in range(MAX_PENDING + 3)))
    assert caplog.messages == [f"3 events were dropped: more than {MAX_PENDING} were pending"]


@pytest.mark.parametrize("letter", ["x", "ä", "𝄞"])
def test_a_note_is_cut_where_the_api_server_would_refuse_it(letter):
    bench = Bench()
    bench.tell(event(letter * MAX_NOTE * 2), event(letter * 3))
    long, short = (made["note"] for made in bench.events)
    assert long.endswith(f"{letter}...")
    assert MAX_NOTE - 4 < len(long.encode()) <= MAX_NOTE
    assert short == letter * 3


def test_names_are_names_of_objects():
    bench = Bench()
    bench.tell(event(about=Reference("v1", "Node", "", "a" * 199 + "." + "b" * 50, "u")))
    (name,) = (made["metadata"]["name"] for made in bench.events)
    assert name.startswith("a" * 199 + ".")
    assert len(name) == 199 + 1 + 16


def test_an_instance_is_not_longer_than_the_api_server_allows():
    announcer = EventRecorder(server := Server(), "n" * 253, lambda: datetime(2026, 1, 1, tzinfo=UTC), lambda: 0.0)
    announcer.announce(event())
    announcer.flush()
    (made,) = server.objects.values()
    assert made["reportingInstance"] == "n" * 128
