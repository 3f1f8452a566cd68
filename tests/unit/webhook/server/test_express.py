"""Requests that are answered without WSGI, and that they are answered as the application would."""

import contextlib
import json
import re
from email.utils import parsedate_to_datetime

import pytest

from tests.support.admission_reviews import UID, body, judge, network
from validators.network.cluster_view import EmptyView
from webhook.admission.deadline import PROVEN
from webhook.admission.handlers import FEW
from webhook.admission.review import Limits
from webhook.app import EXPRESS, Options, create_app
from webhook.observability.telemetry import NoTelemetry
from webhook.server.express import Express, target

FIELDS = ("Host: a", "User-Agent: kube-apiserver-admission", "Accept: application/json, */*", "Accept-Encoding: gzip")


class Counted(NoTelemetry):
    def __init__(self):
        self.seen = []

    @contextlib.contextmanager
    def in_flight(self):
        self.seen.append("begun")
        yield
        self.seen.append("ended")

    def decided(self, decisions):
        self.seen.append([decision.outcome.verdict for decision in decisions])


def head(line="POST /validate?timeout=5s HTTP/1.1", length=2, fields=FIELDS, kind="application/json"):
    lines = (line, *fields, f"Content-Length: {length}", f"Content-Type: {kind}")
    return "\r\n".join((*lines, "", "")).encode()


def request(data, **more):
    return head(length=len(data), **more) + data


def without_length(given):
    return re.sub(rb"Content-Length: 2\r\n", b"", given, count=1)


def asked(given):
    """What the answer is asked for; None where it is not."""
    found = []
    Express(lambda *seen: found.append(seen), found.clear)(given)
    return found[0] if found else None


def test_head_of_an_api_server():
    assert target(without_length(head())) == ("/validate", b"timeout=5s")
    short = head("POST /mutate HTTP/1.1", fields=("host:b", "connection:  Keep-Alive"))
    assert target(without_length(short)) == ("/mutate", b"")
    assert asked(short + b"{}") == ("/mutate", b"", b"{}")


@pytest.mark.parametrize(
    ("field", "length"), [("content-length", 2), ("CONTENT-LENGTH", "2 "), ("Content-length", "02")]
)
def test_length_as_it_may_be_written(field, length):
    given = head(length=length).replace(b"Content-Length", field.encode())
    assert asked(given + b"{}") == ("/validate", b"timeout=5s", b"{}")


def test_heads_are_remembered_without_their_lengths():
    target.cache_clear()
    for size in (2, 3, 40):
        assert asked(request(b"x" * size)) == ("/validate", b"timeout=5s", b"x" * size)
    assert target.cache_info().misses == 1


@pytest.mark.parametrize(
    "given",
    [
        head("GET /validate HTTP/1.1"),
        head("POST /validate HTTP/1.0"),
        head("POST /validate  HTTP/1.1"),
        head("POST /healthz HTTP/1.1"),
        head("POST /validate%20 HTTP/1.1"),
        head("POST http://a/validate HTTP/1.1"),
        head(fields=()),
        head(fields=("Host: a", "Host: a")),
        head(fields=("Host: a", "Content-Length: 2")),
        head(fields=("Host: a", "X: a\r\n Content-Length: 2")),
        head().replace(b"Content-Length: 2\r\n", b""),
        head(fields=("Host: a", "Transfer-Encoding: chunked")),
        head(fields=("Host: a", "Expect: 100-continue")),
        head(fields=("Host: a", "Connection: close")),
        head(fields=("Host: a", "Content-Encoding: gzip")),
        head(fields=("Host: a", "no field")),
        head(fields=("Host: a", " folded: x")),
        head(fields=("Host : a",)),
        head(fields=("Host: a\nX: b",)),
        head(fields=("Host: é",)),
        head(length="+2"),
        head(length=100000),
        head(kind="text/plain"),
        head(kind="application/json; charset=utf-8"),
    ],
)
def test_heads_that_the_application_reads(given):
    assert asked(given + b"{}") is None


def test_only_whole_single_short_requests():
    express = Express(lambda _path, _query, _body: (200, b"{}"), list)
    assert express(request(b"{}")) is not None
    assert express(request(b"{}") + b"POST") is None
    assert express(request(b"{}")[:-1]) is None
    assert express(request(b" " * 20_000)) is None
    assert express(b"x" * 100) is None


@pytest.fixture
def app():
    return create_app(EmptyView(), judge, Options(Limits(body_bytes=4096)))


def both(app, path, data):
    """The answer of the short way, as status and JSON, and that of the application."""
    short = app.extensions[EXPRESS](request(data, line=f"POST {path} HTTP/1.1"))
    long = app.test_client().post(path, data=data, content_type="application/json")
    return short, long


def prove(app, path):
    """Ask until the sort is proven, which a machine that is busy elsewhere may put off."""
    answers = [both(app, path, body())[0] for _ in range(PROVEN)]
    assert answers == [None] * PROVEN
    while both(app, path, body())[0] is None:
        pass


@pytest.mark.parametrize("path", ["/validate", "/mutate?timeout=1s"])
@pytest.mark.parametrize(
    "spec", [{}, {"refuse": ["x"]}, {"warn": ["w"]}, {"select": "100.90.0.0/16"}, {"crash": "x"}], ids=str
)
def test_same_answer_both_ways(app, path, spec):
    prove(app, path)
    short, long = both(app, path, body(object=network(**spec)))
    first, _, found = short.partition(b"\r\n\r\n")
    status, *fields = first.decode().split("\r\n")
    fields = dict(field.split(": ", 1) for field in fields)
    assert status.lower() == f"http/1.1 {long.status}".lower()
    assert (fields["Content-Type"], fields["Content-Length"]) == ("application/json", str(len(found)))
    assert (fields["Connection"], parsedate_to_datetime(fields["Date"]).tzname()) == ("keep-alive", "UTC")
    assert json.loads(found) == long.get_json()


def test_told_of_together_and_each_once(caplog):
    counted = Counted()
    app = create_app(EmptyView(), judge, Options(telemetry=counted))
    prove(app, "/validate")
    express = app.extensions[EXPRESS]
    express.tell()
    caplog.set_level("INFO", "ovnguard.webhook")
    caplog.clear(), counted.seen.clear()
    express.tell()
    for spec in ({}, {"refuse": ["x"]}, {"crash": "x"}):
        assert express(request(body(object=network(**spec)))) is not None
    assert counted.seen == ["begun"]
    express.tell(), express.tell()
    assert counted.seen == ["begun", ["allowed", "denied", "failed"], "ended"]
    decisions = [record for record in caplog.records if record.getMessage() == "decision"]
    assert [record.fields["verdict"] for record in decisions] == ["allowed", "denied", "failed"]


def test_what_is_no_review_is_left_to_the_application(app):
    prove(app, "/validate")
    assert both(app, "/validate", b"{")[0] is None
    assert both(app, "/validate", body(uid=None))[0] is None
    assert both(app, "/validate", body(operation="CONNECT"))[0] is None


def test_what_may_take_long_however_quick_others_were_is_left_to_the_application(app):
    """Rules that compare all with all take seconds for as many list members as fit into a small review."""
    prove(app, "/validate")
    assert both(app, "/validate", body(object=network(list=[{}] * (FEW // 4))))[0] is not None
    assert both(app, "/validate", body(object=network(list=[{}] * (FEW // 2))))[0] is None
    # nor does it prove anything, for or against
    assert both(app, "/validate", body())[0] is not None


def test_slow_sort_is_left_to_the_application_again(monkeypatch):
    seconds = iter(range(100))
    app = create_app(EmptyView(), judge)
    prove(app, "/validate")
    monkeypatch.setattr("webhook.admission.deadline.time.monotonic", lambda: next(seconds))
    short, _ = both(app, "/validate", body())
    assert short is not None
    assert UID.encode() in short
    assert both(app, "/validate", body())[0] is None


def test_no_short_way_where_clients_need_certificates():
    assert EXPRESS not in create_app(EmptyView(), judge, Options(clients=frozenset())).extensions
