"""What the log, the probes and the metrics say about watches that fail."""

import logging

import pytest

from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError, UnauthorizedError
from ovnguard.validators.cluster.watch_failures import NOTICED, TOGETHER, WatchFailure, WatchFailures, described

NAMES = [f"kind{number:02d}" for number in range(24)]
STARTING = ApiStatusError(429, "TooManyRequests", "storage is (re)initializing")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def failures(clock: Clock) -> WatchFailures:
    return WatchFailures(clock)


def forbidden(name: str) -> ApiStatusError:
    return ApiStatusError(403, "Forbidden", f"{name} is forbidden")


def test_what_all_watches_are_refused_at_a_start_is_one_line_and_no_warning(clock, failures, caplog):
    caplog.set_level(logging.INFO)
    for _ in range(4):
        for name in NAMES:
            failures.failed(name, forbidden(name), 0.2)
        clock.now += 2
    for name in NAMES:
        failures.recovered(name)
    assert [(each.levelname, each.getMessage()) for each in caplog.records] == [
        ("INFO", "kind00: 403 Forbidden: kind00 is forbidden; next try in 0.2 s")
    ]


def test_an_api_server_that_starts_is_no_warning(clock, failures, caplog):
    caplog.set_level(logging.INFO)
    failures.failed("nodes", STARTING, 0.2)
    clock.now += NOTICED - 1
    failures.failed("nodes", STARTING, 6.0)
    failures.recovered("nodes")
    assert [each.levelname for each in caplog.records] == ["INFO"]


def test_what_lasts_is_a_warning_about_all_watches_once_a_minute(clock, failures, caplog):
    caplog.set_level(logging.INFO)
    for name in NAMES:
        failures.failed(name, forbidden(name), 0.2)
    for _ in range(13):
        clock.now += NOTICED
        for name in NAMES:
            failures.failed(name, forbidden(name), 10.0)
    for name in NAMES:
        failures.recovered(name)
    first, *warnings, last = caplog.records
    assert first.levelname == "INFO"
    assert [each.getMessage() for each in warnings] == [
        f"24 watches failed for {seconds} s (kind00, kind01, kind02 and 21 more): 403 Forbidden: kind00 is forbidden"
        for seconds in (10, 70, 130)
    ]
    assert {each.levelname for each in warnings} == {"WARNING"}
    assert (last.levelname, last.getMessage()) == ("INFO", "no watch fails any more: Forbidden")


def test_another_reason_is_another_line(failures, caplog):
    caplog.set_level(logging.INFO)
    failures.failed("nodes", forbidden("nodes"), 0.2)
    failures.failed("pods", ClusterError("https://a: refused"), 0.4)
    failures.failed("nodes", ClusterError("https://a: refused"), 0.4)
    assert caplog.messages == [
        "nodes: 403 Forbidden: nodes is forbidden; next try in 0.2 s",
        "pods: https://a: refused; next try in 0.4 s",
    ]
    assert failures.counts() == {"nodes": 2, "pods": 1}


def test_a_watch_fails_from_its_first_failure_until_it_is_listed_or_stays_open(clock, failures):
    failures.failed("nodes", forbidden("nodes"), 0.2)
    clock.now += 61
    failures.failed("nodes", ClusterError("https://a: refused"), 30.0)
    failures.failed("pods", forbidden("pods"), 30.0)
    lasting = (WatchFailure("nodes", "Unreachable", "https://a: refused", 61.0),)
    assert failures.lasting(60) == lasting
    failures.opened("nodes")
    assert failures.lasting(60) == lasting
    clock.now += 1
    assert failures.lasting(60) == ()
    # ends again after it worked
    failures.failed("nodes", forbidden("nodes"), 0.2)
    clock.now += 59
    assert [each.resource for each in failures.lasting(60)] == ["pods"]
    failures.recovered("pods")
    assert failures.lasting(60) == ()


def test_a_watch_that_opens_and_ends_at_once_goes_on_failing(clock, failures):
    for _ in range(31):
        failures.failed("nodes", ClusterError("the server ended the watch at once"), 2.0)
        clock.now += 2
        failures.opened("nodes")
    assert [each.seconds for each in failures.lasting(60)] == [62.0]


def test_refused_credentials_are_known_until_a_watch_works(failures):
    failures.failed("nodes", UnauthorizedError("Unauthorized", "Unauthorized", 0.0), 0.2)
    assert failures.unauthorized() == 0.0
    failures.failed("nodes", UnauthorizedError("Unauthorized", "Unauthorized", 121.0), 30.0)
    assert failures.unauthorized() == 121.0
    failures.recovered("nodes")
    assert failures.unauthorized() == 0.0


def test_a_description_has_one_text_for_each_reason():
    found = [
        WatchFailure("nodes", "Forbidden", "403 Forbidden: nodes", 75.4),
        WatchFailure("pods", "Unreachable", "https://a: refused", 70.0),
        WatchFailure("services", "Forbidden", "403 Forbidden: services", 61.0),
    ]
    assert described(found) == (
        "2 watches failed for 75 s (nodes, services): 403 Forbidden: nodes",
        "1 watch failed for 70 s (pods): https://a: refused",
    )


def test_what_a_start_is_refused_for_good_is_one_line(caplog):
    waiting = []
    failures = WatchFailures(later=lambda seconds, call: waiting.append((seconds, call)))
    for name in NAMES[:3]:
        failures.refused(name, forbidden(name))
    ((seconds, say),) = waiting
    assert (seconds, caplog.messages) == (TOGETHER, [])
    say()
    assert caplog.messages == [
        "kind00, kind01, kind02: for example 403 Forbidden: kind00 is forbidden; "
        "what needs them is not checked until they are granted"
    ]
    failures.refused("kind03", forbidden("kind03"))
    waiting[1][1]()
    assert caplog.messages[1:] == [
        "kind03: 403 Forbidden: kind03 is forbidden; what needs it is not checked until it is granted"
    ]
