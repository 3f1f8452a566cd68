"""What the worker relies on in gunicorn: a release of gunicorn that differs fails here first.

`webhook.server.worker` may override what gunicorn names without a leading underscore, and use nothing else of it.
"""

import ast
import inspect
import os
import selectors
import socket
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http import get_parser
from gunicorn.http.message import Request
from gunicorn.http.wsgi import Response
from gunicorn.util import close_graceful, write_error
from gunicorn.workers.base import Worker
from gunicorn.workers.gthread import TConn, ThreadWorker

from ovnguard.webhook.server import worker
from ovnguard.webhook.server.worker import WatchedThreadWorker

OVERRIDDEN = {
    "__init__": "(self, *args, **kwargs)",
    "check_config": "(cfg, log)",
    "load_wsgi": "(self)",
    "accept": "(self, listener)",
    "enqueue_req": "(self, conn)",
    "handle": "(self, conn)",
    "handle_request": "(self, req, conn)",
    "finish_request": "(self, conn, fs)",
    "murder_pending": "(self)",
}
USED = {
    "self": {"alive", "app", "keepalived_conns", "max_keepalived", "murder_keepalived", "nr_conns", "poller"}
    | {"worker_connections", "wsgi"},
    "conn": {"client", "close", "data_ready", "parser", "sock", "timeout"},
    "req": {"force_close", "version"},
}
"""The attributes of gunicorn's worker, connection and request that the module names."""
SOURCE = ast.parse(inspect.getsource(worker))


def own() -> set[str]:
    """What the class itself defines, attributes of its objects included."""
    assigned = {
        node.attr for node in ast.walk(SOURCE) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    return set(vars(WatchedThreadWorker)) | {name for name in assigned if name.startswith("_")}


def signature(function: Any) -> str:
    """The parameters without what they are annotated with."""
    found = inspect.signature(function)
    return str(found.replace(parameters=[each.replace(annotation=each.empty) for each in found.parameters.values()]))


def test_methods_are_those_of_gunicorn_with_its_parameters() -> None:
    public = {name for name, each in vars(WatchedThreadWorker).items() if callable(each) or name == "check_config"}
    assert {name for name in public if name == "__init__" or not name.startswith("_")} == OVERRIDDEN.keys()
    for name, parameters in OVERRIDDEN.items():
        ours, theirs = getattr(WatchedThreadWorker, name), getattr(ThreadWorker, name)
        assert signature(theirs) == parameters, name
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters), name


def test_names_of_our_own_are_not_those_of_gunicorn(gthread: ThreadWorker) -> None:
    ours = {name for name in own() if name.startswith("_") and not name.startswith("__")}
    assert ours
    assert ours.isdisjoint(dir(gthread))


def test_every_attribute_that_is_used_is_named_here() -> None:
    found: dict[str, set[str]] = {"self": set(), "conn": set(), "req": set()}
    for node in ast.walk(SOURCE):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in found:
            found[node.value.id].add(node.attr)
    found["self"] -= own() - {"wsgi", "nr_conns"}
    assert found == USED
    assert not any(name.startswith("_") for names in found.values() for name in names)


def test_functions_are_called_as_gunicorn_defines_them() -> None:
    assert signature(close_graceful) == "(sock, timeout=2.0, max_drain=65536)"
    assert signature(write_error) == "(sock, status_int, reason, mesg)"
    assert signature(ThreadWorker.murder_keepalived) == "(self, force=False)"


class Recording(ThreadWorker):
    """gthread that records the connections that it would give a thread."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.enqueued: list[TConn] = []

    def enqueue_req(self, conn: Any) -> None:
        self.enqueued.append(conn)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        made.setblocking(False)
        yield made


@pytest.fixture
def gthread(listener: socket.socket) -> Iterator[Recording]:
    """A worker as after its start, without a thread."""
    config = Config()
    config.set("keepalive", 60)
    made = Recording(1, os.getppid(), [listener], object(), 30, config, Logger(config))
    made.poller = selectors.DefaultSelector()
    made.method_queue.init()
    yield made
    made.poller.close()
    made.method_queue.close()
    made.tmp.close()


@pytest.fixture
def client(gthread: Recording, listener: socket.socket) -> Iterator[socket.socket]:
    """The client of the one connection that the worker has accepted."""
    with socket.create_connection(listener.getsockname()) as made:
        gthread.accept(listener)
        yield made
        for conn in gthread.enqueued:
            conn.sock.close()


def done(value: object) -> "Future[object]":
    future: Future[object] = Future()
    future.set_result(value)
    return future


def test_an_accepted_connection_is_counted_and_enqueued(
    gthread: Recording, client: socket.socket, listener: socket.socket
) -> None:
    [conn] = gthread.enqueued
    assert (gthread.nr_conns, conn.client, conn.timeout) == (1, client.getsockname(), None)
    assert (conn.data_ready, conn.sock.gettimeout()) == (False, 0.0)
    gthread.accept(listener)
    assert (gthread.nr_conns, len(gthread.enqueued)) == (1, 1), "nothing else has come, and nothing is raised"


def test_a_kept_connection_has_a_timeout_and_is_enqueued_when_it_has_bytes(
    gthread: Recording, client: socket.socket
) -> None:
    [conn] = gthread.enqueued
    conn.parser = get_parser(gthread.cfg, conn.sock, conn.client)
    assert conn.parser.unreader.buf.getvalue() == b""
    gthread.finish_request(conn, done(True))
    assert (list(gthread.keepalived_conns), gthread.nr_conns) == ([conn], 1)
    assert conn.timeout > time.monotonic() + 50
    client.sendall(b"G")
    gthread.wait_for_and_dispatch_events(5)
    assert (gthread.enqueued, len(gthread.keepalived_conns)) == ([conn, conn], 0)


def test_an_idle_connection_ends_at_its_timeout(gthread: Recording, client: socket.socket) -> None:
    [conn] = gthread.enqueued
    conn.parser = get_parser(gthread.cfg, conn.sock, conn.client)
    gthread.finish_request(conn, done(True))
    conn.timeout = time.monotonic()
    gthread.murder_keepalived()
    assert (len(gthread.keepalived_conns), gthread.nr_conns, conn.sock.fileno()) == (0, 0, -1)


@pytest.mark.parametrize(("is_closed", "left"), [(False, 0), (True, -1)])
def test_a_finished_connection_is_closed_and_a_closed_one_counted_twice(
    gthread: Recording, client: socket.socket, is_closed: bool, left: int
) -> None:
    [conn] = gthread.enqueued
    client.close()
    if is_closed:
        conn.close()
    gthread.finish_request(conn, done(False))
    assert (gthread.nr_conns, conn.sock.fileno()) == (left, -1)


def test_late_connections_are_looked_for_in_every_round(gthread: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[str] = []

    def wait(timeout: float) -> None:
        assert timeout <= 1
        rounds.append("events")
        gthread.alive = len(rounds) < 3

    monkeypatch.setattr(gthread, "wait_for_and_dispatch_events", wait)
    monkeypatch.setattr(gthread, "murder_pending", lambda: rounds.append("late ones"))
    gthread.tpool = ThreadPoolExecutor(1)
    gthread.run()
    assert rounds == ["events", "late ones"] * 2


def test_no_connection_is_accepted_while_there_are_too_many(
    gthread: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepting: list[bool] = []

    def wait(timeout: float) -> None:
        accepting.append(gthread.sockets[0] in [key.fileobj for key in gthread.poller.get_map().values()])
        gthread.nr_conns = gthread.worker_connections if len(accepting) == 1 else 0
        gthread.alive = len(accepting) < 3

    monkeypatch.setattr(gthread, "wait_for_and_dispatch_events", wait)
    gthread.tpool = ThreadPoolExecutor(1)
    gthread.run()
    assert accepting == [True, False, True]


def test_a_connection_with_bytes_is_parsed_and_handed_to_handle_request(
    gthread: Recording, client: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    [conn] = gthread.enqueued
    asked: list[tuple[Any, Any]] = []
    monkeypatch.setattr(gthread, "handle_request", lambda *given: asked.append(given))
    conn.data_ready = True
    client.sendall(b"GET / HTTP/1.2\r\n\r\n")
    assert gthread.handle(conn) is False
    [(request, given)] = asked
    assert (request.version, given) == ((1, 2), conn)


def test_a_request_can_be_the_last_of_its_connection(gthread: Recording, client: socket.socket) -> None:
    [conn] = gthread.enqueued
    client.sendall(b"GET / HTTP/1.1\r\n\r\n")
    conn.sock.setblocking(True)
    request = next(get_parser(gthread.cfg, conn.sock, conn.client))
    assert isinstance(request, Request)
    response = Response(request, conn.sock, gthread.cfg)
    response.start_response("200 OK", [("Content-Length", "0")])
    assert response.should_close() is False
    request.force_close()
    assert response.should_close() is True


def test_the_application_of_the_server_is_that_of_the_worker(gthread: Recording) -> None:
    class App:
        @staticmethod
        def wsgi() -> str:
            return "application"

    gthread.app = App
    gthread.load_wsgi()
    assert gthread.wsgi == "application"
    assert signature(Worker.__init__) == "(self, age, ppid, sockets, app, timeout, cfg, log)"


def test_only_this_module_extends_the_worker() -> None:
    folder = Path(worker.__file__).parents[1]
    naming = {path.name for path in folder.rglob("*.py") if "gunicorn.workers" in path.read_text(encoding="utf-8")}
    assert naming == {"worker.py"}
