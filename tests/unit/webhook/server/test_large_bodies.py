"""One large request at a time and few medium ones; small ones do not wait for them."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

import pytest
from werkzeug.test import Client

from ovnguard.webhook.app import REQUEST_READ
from ovnguard.webhook.server.large_bodies import BUSY, LARGE, MEDIUM, MEDIUM_SLOTS, BodySlots

SMALL_BODY, MEDIUM_BODY, LARGE_BODY = b"x" * MEDIUM, b"x" * LARGE, b"x" * (LARGE + 1)


class Application:
    """Holds requests that are not small until it is released, and counts those under way."""

    def __init__(self, held=True):
        self.entered, self.release = threading.Semaphore(0), threading.Event()
        self.lock, self.under_way, self.most = threading.Lock(), 0, 0
        if not held:
            self.release.set()

    def __call__(self, environ, start_response):
        octets = len(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        if octets > MEDIUM:
            with self.lock:
                self.under_way += 1
                self.most = max(self.most, self.under_way)
            self.entered.release()
            assert self.release.wait(60)
            with self.lock:
                self.under_way -= 1
        start_response("200 OK", [])
        return [str(octets).encode()]


def quiet(*_: Any) -> Any:
    """Start a response that nobody reads."""


@pytest.mark.parametrize(("body", "slots"), [(MEDIUM_BODY, MEDIUM_SLOTS), (LARGE_BODY, 1)], ids=["medium", "large"])
def test_no_more_than_the_slots_at_a_time(body, slots):
    application = Application(held=False)
    client = Client(BodySlots(application, 60))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.post(data=body, buffered=True).text, range(24)))
    assert answers == [str(len(body))] * 24
    assert application.most <= slots


@pytest.mark.parametrize(("body", "slots"), [(MEDIUM_BODY, MEDIUM_SLOTS), (LARGE_BODY, 1)], ids=["medium", "large"])
def test_small_requests_do_not_wait_and_others_not_for_ever(body, slots):
    application = Application()
    client = Client(BodySlots(application, 0.01))
    with ThreadPoolExecutor(slots) as pool:
        first = [pool.submit(client.post, data=body, buffered=True) for _ in range(slots)]
        for _ in range(slots):
            assert application.entered.acquire(timeout=60)
        assert client.post(data=SMALL_BODY, buffered=True).text == str(MEDIUM)
        late = client.post(data=body, buffered=True)
        assert (late.status_code, late.mimetype) == (503, "application/json")
        assert json.loads(late.text)["message"] == BUSY
        application.release.set()
        assert [each.result(60).text for each in first] == [str(len(body))] * slots
    assert client.post(data=body, buffered=True).text == str(len(body))


class Arriving(BytesIO):
    """A body that a slow client still sends."""

    def __init__(self, body):
        super().__init__(body)
        self.asked, self.complete = threading.Event(), threading.Event()

    def read(self, size=-1):
        self.asked.set()
        assert self.complete.wait(60)
        return super().read(size)


def test_medium_request_takes_no_slot_before_it_is_read():
    server, calls = BodySlots(Application(held=False), 0.01), []
    slow = [Arriving(MEDIUM_BODY) for _ in range(MEDIUM_SLOTS)]

    def ask(body):
        environ = {"CONTENT_LENGTH": str(LARGE), "wsgi.input": body, REQUEST_READ: lambda: calls.append(True)}
        return list(server(environ, quiet))

    with ThreadPoolExecutor(MEDIUM_SLOTS) as pool:
        first = [pool.submit(ask, body) for body in slow]
        assert all(body.asked.wait(60) for body in slow)
        assert calls == []
        assert ask(BytesIO(MEDIUM_BODY)) == [str(LARGE).encode()]
        assert calls == [True]
        for body in slow:
            body.complete.set()
        assert [each.result(60) for each in first] == [[str(LARGE).encode()]] * MEDIUM_SLOTS


def test_slot_is_free_after_a_fault():
    def broken(environ, start_response):
        raise ZeroDivisionError

    server = BodySlots(broken, 0.01)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            server({"CONTENT_LENGTH": str(LARGE + 1)}, quiet)
