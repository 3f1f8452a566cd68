"""List, watch, and every way in which that breaks."""

import logging
import threading
from collections.abc import Iterator

import pytest

from ovnguard.validators.cluster import listwatch, trim
from ovnguard.validators.cluster.cache import Cache, Served
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError
from ovnguard.validators.cluster.listwatch import FIRST_PAUSE, LONGEST_PAUSE, NOT_SERVED_PAUSE, ListWatch
from ovnguard.validators.cluster.resources import CUDNS, NADS, NODES, WHOLE, Part
from ovnguard.validators.cluster.watch_failures import WatchFailures

pytestmark = pytest.mark.timing


def obj(name: str, version: str = "1", **extra):
    return {"metadata": {"name": name, "resourceVersion": version}, **extra}


def page(*items, version: str = "10", more: str = ""):
    return {"metadata": {"resourceVersion": version, "continue": more}, "items": list(items)}


def event(kind: str, name: str, version: str):
    return {"type": kind, "object": obj(name, version)}


def gone():
    return {"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}}


class FakeWatch:
    def __init__(self, script) -> None:
        self._script = script
        self.closed = threading.Event()

    def events(self) -> Iterator[dict]:
        for step in self._script:
            if isinstance(step, Exception):
                raise step
            if step == "wait":
                assert self.closed.wait(60)
                return
            yield step

    def close(self) -> None:
        self.closed.set()


class FakeClient:
    """Answers lists and watches from two scripts and remembers what it was asked; then sets `done`."""

    def __init__(self, lists, watches) -> None:
        self.lists, self.watches = list(lists), list(watches)
        self.asked: list[tuple[str, dict]] = []
        self.paths: list[str] = []
        self.done = threading.Event()

    def _next(self, script, fallback):
        answer = script.pop(0) if script else fallback
        if isinstance(answer, Exception):
            raise answer
        return answer

    def request(self, method, path, query=None, body=None, content_type=""):
        self.asked.append(("list", dict(query)))
        self.paths.append(path)
        if not self.lists:
            self.done.set()
        return self._next(self.lists, ClusterError("the script is over"))

    def watch(self, path, query, idle_timeout):
        self.asked.append(("watch", dict(query)))
        self.paths.append(path)
        if not self.watches:
            self.done.set()
        return FakeWatch(self._next(self.watches, ClusterError("the script is over")))


class Stop:
    """Time that passes at once: remembers the pauses, and stops when the client's script is over."""

    def __init__(self, client: FakeClient) -> None:
        self._client = client
        self.pauses: list[float] = []

    def is_set(self) -> bool:
        return self._client.done.is_set()

    def wait(self, timeout: float) -> bool:
        self.pauses.append(timeout)
        return self.is_set()


class Run:
    def __init__(self, lists, watches, resource=CUDNS, part=WHOLE, *, tolerant=False, failures=None) -> None:
        self.client = FakeClient(lists, watches)
        self.stop = Stop(self.client)
        self.cache = Cache(resource, part)
        self.changes = 0
        self.list_watch = ListWatch(
            self.client, self.cache, self._changed, self.stop, jitter=lambda: 1.0, tolerant=tolerant, failures=failures
        )
        self.list_watch.run()

    def _changed(self) -> None:
        self.changes += 1

    @property
    def names(self) -> list[str]:
        return [each["metadata"]["name"] for each in self.cache.objects() or ()]

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.client.asked]


def test_list_then_watch_from_there():
    run = Run([page(obj("a"), obj("b"))], [[event("ADDED", "c", "11"), event("DELETED", "a", "12")]])
    assert run.names == ["b", "c"]
    assert run.changes == 3
    assert run.client.asked[0] == ("list", {"limit": "500"})
    assert run.client.asked[1][1]["resourceVersion"] == "10"
    assert run.client.asked[1][1]["allowWatchBookmarks"] == "true"
    assert run.client.asked[2] == ("watch", {**run.client.asked[1][1], "resourceVersion": "12"})


def test_a_change_outside_the_kept_part_does_not_wake():
    part = Part(trim=trim.selectable)
    heartbeat = event("MODIFIED", "a", "11")
    labelled = event("MODIFIED", "a", "12")
    labelled["object"]["metadata"]["labels"] = {"l": "1"}
    run = Run([page(obj("a"))], [[heartbeat, labelled]], part=part)
    assert run.changes == 2
    assert run.client.asked[-1][1]["resourceVersion"] == "12"


def test_selectors_go_with_lists_and_watches():
    part = Part("ns", "name", fields="spec.nodeName!=", labels="a=b")
    run = Run([page()], [], part=part)
    wanted = {"fieldSelector": "metadata.name=name,spec.nodeName!=", "labelSelector": "a=b"}
    assert run.client.asked[0] == ("list", {"limit": "500", **wanted})
    assert wanted.items() <= run.client.asked[1][1].items()


def test_pages_are_one_list():
    run = Run([page(obj("a"), more="next"), page(obj("b"), version="12")], [[event("MODIFIED", "b", "13")]])
    assert run.client.asked[1] == ("list", {"limit": "500", "continue": "next"})
    assert run.client.asked[2][1]["resourceVersion"] == "12"
    assert run.names == ["a", "b"]


def test_items_of_built_in_lists_learn_what_they_are():
    run = Run([page(obj("n"))], [], NODES)
    assert run.cache.objects() == ({"apiVersion": "v1", "kind": "Node", **obj("n")},)


def test_bookmarks_move_the_version_and_are_no_change():
    bookmark = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "99"}}}
    run = Run([page()], [[bookmark]])
    assert run.changes == 1
    assert run.client.asked[-1][1]["resourceVersion"] == "99"


@pytest.mark.parametrize("watch", [[gone()], ApiStatusError(410, "Expired", "too old")], ids=["event", "answer"])
def test_gone_lists_again_at_once(watch):
    run = Run([page(obj("a")), page(obj("b"))], [watch])
    assert run.kinds == ["list", "watch", "list", "watch"]
    assert run.names == ["b"]
    assert run.stop.pauses[:-1] == []


def test_the_rest_of_a_list_that_expired_starts_again():
    run = Run([page(obj("a"), more="next"), ApiStatusError(410, "Expired", ""), page(obj("b"))], [])
    assert run.kinds == ["list", "list", "list", "watch"]
    assert run.names == ["b"]


def test_a_broken_watch_goes_on_where_it_was_without_a_list():
    run = Run([page(obj("a"))], [[event("ADDED", "b", "11"), ClusterError("broken")], [event("ADDED", "c", "12")]])
    assert run.kinds == ["list", "watch", "watch", "watch"]
    assert run.client.asked[2][1]["resourceVersion"] == "11"
    assert run.names == ["a", "b", "c"]


def test_pauses_grow_to_a_limit_and_are_logged(caplog):
    caplog.set_level(logging.DEBUG)
    run = Run([*[ClusterError("refused")] * 10, page()], [])
    assert run.stop.pauses[:10] == [min(FIRST_PAUSE * 2**n, LONGEST_PAUSE) for n in range(10)]
    assert caplog.messages[0] == "clusteruserdefinednetworks.k8s.ovn.org: refused; next try in 0.2 s"
    assert caplog.messages[9] == "clusteruserdefinednetworks.k8s.ovn.org: refused; next try in 30.0 s"


def test_a_good_list_makes_pauses_short_again():
    run = Run([ClusterError("x"), ClusterError("x"), page()], [ClusterError("x"), [event("ADDED", "a", "11")]])
    assert run.stop.pauses[:3] == [FIRST_PAUSE, FIRST_PAUSE * 2, FIRST_PAUSE]


def test_a_watch_that_ends_at_once_is_a_fault():
    run = Run([page()], [[], []])
    assert run.stop.pauses[:2] == [FIRST_PAUSE, FIRST_PAUSE * 2]


def test_failures_and_their_end_are_reported():
    failures = WatchFailures()
    run = Run([ClusterError("x")] * 2, [], failures=failures)
    assert failures.counts() == {"clusteruserdefinednetworks.k8s.ovn.org": 2}
    assert [each.text for each in failures.lasting(0)] == ["x"]
    Run([ClusterError("x"), page()], [[event("ADDED", "a", "11")]], failures=failures)
    assert failures.lasting(0) == ()
    assert run.stop.pauses == [FIRST_PAUSE, FIRST_PAUSE * 2]


def test_a_kind_that_is_not_served_is_logged_once_and_requested_again(caplog):
    caplog.set_level(logging.INFO)
    absent = ApiStatusError(404, "NotFound", "the server could not find the requested resource")
    run = Run([absent, absent, page(obj("a"))], [])
    assert run.stop.pauses[:2] == [NOT_SERVED_PAUSE * 2] * 2
    assert [text for text in caplog.messages if "not served" in text] == [
        "clusteruserdefinednetworks.k8s.ovn.org is not served by this cluster; asking again from time to time"
    ]
    assert run.cache.served is Served.YES
    assert run.changes == 2


def test_a_resource_that_vanishes_is_forgotten():
    run = Run([page(obj("a")), ApiStatusError(404, "NotFound", "")], [ApiStatusError(404, "NotFound", "")])
    assert run.cache.served is Served.NO
    assert run.cache.objects() is None


@pytest.mark.parametrize(
    ("lists", "watches"),
    [
        ([{"items": []}], []),
        ([page({"metadata": {}})], []),
        ([page()], [[{"type": "ADDED", "object": {"metadata": {"resourceVersion": "1"}}}]]),
        ([page()], [[{"type": "ADDED", "object": None}]]),
        ([page()], [[{"type": "ADDED", "object": {}}]]),
    ],
)
def test_nonsense_is_a_fault_and_not_the_end(lists, watches, caplog):
    caplog.set_level(logging.INFO)
    run = Run(lists, watches)
    assert run.stop.pauses[0] == FIRST_PAUSE
    assert len(caplog.messages) >= 1


def test_interrupt_wakes_a_reader_that_waits():
    client = FakeClient([page()], [["wait"]])
    stop = threading.Event()
    listed = threading.Event()
    list_watch = ListWatch(client, Cache(CUDNS), listed.set, stop)
    thread = threading.Thread(target=list_watch.run)
    thread.start()
    assert listed.wait(60)
    stop.set()
    while thread.is_alive():
        list_watch.interrupt()
        thread.join(0.01)
    assert "watch" in [kind for kind, _ in client.asked]


FORBIDDEN = ApiStatusError(403, "Forbidden", "nodes is forbidden")


@pytest.fixture
def paused(monkeypatch):
    """The pauses of who can be nudged; they pass at once."""
    pauses = []

    class Nudged(threading.Event):
        def wait(self, timeout=None):
            pauses.append(timeout)
            return False

    monkeypatch.setattr(listwatch, "new_nudge", Nudged)
    return pauses


def test_what_we_may_not_see_is_not_known_after_some_tries(caplog, paused):
    caplog.set_level(logging.WARNING)
    failures = WatchFailures(later=lambda _, call: call())
    run = Run([*[FORBIDDEN] * 6, page(obj("a"))], [], tolerant=True, failures=failures)
    assert paused[:3] == [FIRST_PAUSE, FIRST_PAUSE * 2, FIRST_PAUSE * 4]
    assert paused[3:6] == [NOT_SERVED_PAUSE * 2] * 3
    assert run.list_watch.refusals == 6
    assert [text for text in caplog.messages if "granted" in text] == [
        "clusteruserdefinednetworks.k8s.ovn.org: 403 Forbidden: nodes is forbidden; "
        "what needs it is not checked until it is granted"
    ]
    # granted in the end
    assert (run.cache.served, run.changes) == (Served.YES, 2)


@pytest.mark.usefixtures("paused")
def test_what_was_seen_before_it_was_refused_is_forgotten():
    run = Run([page(obj("a")), *[FORBIDDEN] * 4], [FORBIDDEN] * 4, tolerant=True)
    assert (run.cache.served, run.cache.objects()) == (Served.REFUSED, None)


@pytest.mark.usefixtures("paused")
def test_short_refusals_of_a_server_that_has_just_begun_change_nothing():
    run = Run([page(obj("a"))], [FORBIDDEN, FORBIDDEN, [event("ADDED", "b", "11")]], tolerant=True)
    assert run.names == ["a", "b"]


def test_nudge_ends_a_pause():
    absent = ApiStatusError(404, "NotFound", "")
    client = FakeClient([absent, page(obj("a"))], [["wait"]])
    stop, cache = threading.Event(), Cache(CUDNS)
    asked = threading.Event()
    watching = ListWatch(client, cache, asked.set, stop, tolerant=True)
    thread = threading.Thread(target=watching.run)
    thread.start()
    assert asked.wait(60)
    assert cache.served is Served.NO
    asked.clear()
    watching.nudge()
    assert asked.wait(60)
    assert cache.served is Served.YES
    stop.set()
    watching.interrupt()
    thread.join(60)
    assert not thread.is_alive()


def test_without_tolerance_a_refusal_is_waited_out():
    run = Run([*[FORBIDDEN] * 6], [])
    assert run.cache.served is Served.UNKNOWN
    assert run.stop.pauses[:6] == [FIRST_PAUSE * 2**n for n in range(6)]


def test_part_of_a_resource_is_asked_for_by_namespace_and_name():
    def trim(kept):
        return {**kept, "data": "trimmed"}

    part = Part("place", "one", trim, page=50)
    run = Run([page(obj("one", data="big"))], [[event("MODIFIED", "one", "11")]], NADS, part=part)
    root = "/apis/k8s.cni.cncf.io/v1/namespaces/place/network-attachment-definitions"
    assert run.client.paths == [root] * 3
    assert run.client.asked[0] == ("list", {"fieldSelector": "metadata.name=one", "limit": "50"})
    assert run.client.asked[1][1]["fieldSelector"] == "metadata.name=one"
    (kept,) = run.cache.objects() or ()
    assert kept["data"] == "trimmed"
