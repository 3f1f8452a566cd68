"""One large request at a time; small ones do not wait for it."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from werkzeug.test import Client

from webhook.server.large_bodies import BUSY, LARGE, OneLargeBody

pytestmark = pytest.mark.timing

SMALL_BODY, LARGE_BODY = b"x" * LARGE, b"x" * (LARGE + 1)


class Application:
    """Holds large requests until it is released, and counts those under way."""

    def __init__(self, held=True):
        self.entered, self.release = threading.Semaphore(0), threading.Event()
        self.under_way, self.most = 0, 0
        if not held:
            self.release.set()

    def __call__(self, environ, start_response):
        large = int(environ["CONTENT_LENGTH"]) > LARGE
        if large:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            self.entered.release()
            assert self.release.wait(60)
            self.under_way -= 1
        start_response("200 OK", [])
        return [b"large" if large else b"small"]


def quiet(*_: Any) -> Any:
    """Start a response that nobody reads."""


def test_large_requests_come_one_after_the_other():
    application = Application(held=False)
    client = Client(OneLargeBody(application, 60))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.post(data=LARGE_BODY, buffered=True).text, range(24)))
    assert answers == ["large"] * 24
    assert application.most == 1


def test_small_requests_do_not_wait_and_large_ones_not_for_ever():
    application = Application()
    client = Client(OneLargeBody(application, 0.01))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, data=LARGE_BODY, buffered=True)
        assert application.entered.acquire(timeout=60)
        assert client.post(data=SMALL_BODY, buffered=True).text == "small"
        late = client.post(data=LARGE_BODY, buffered=True)
        assert (late.status_code, late.mimetype) == (503, "application/json")
        assert json.loads(late.text)["message"] == BUSY
        application.release.set()
        assert first.result(60).text == "large"
    assert client.post(data=LARGE_BODY, buffered=True).text == "large"


def test_place_is_free_once_the_answer_is_written_and_not_before():
    server = OneLargeBody(Application(held=False), 0.01)
    environ = {"CONTENT_LENGTH": str(LARGE + 1)}
    answer: Any = server(environ, quiet)
    assert list(answer) == [b"large"]
    assert b"503" in next(iter(server(environ, quiet)))
    answer.close()
    assert list(server(environ, quiet)) == [b"large"]


def test_place_is_free_after_a_fault():
    def broken(environ, start_response):
        raise ZeroDivisionError

    server = OneLargeBody(broken, 0.01)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            server({"CONTENT_LENGTH": str(LARGE + 1)}, quiet)
