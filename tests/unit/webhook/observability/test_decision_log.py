"""The line of a decision, put together as text or by the log's own means."""

import io
import json
import logging
from select import PIPE_BUF

import pytest

from tests.support.admission_reviews import UID, body
from webhook.admission.handlers import Decision, Outcome
from webhook.admission.review import Limits, decode
from webhook.observability import decision_log
from webhook.observability.decision_log import log_decisions
from webhook.observability.json_logging import JsonFormatter, LineHandler, lonely_handler, timestamp

ODD = 'a"b\\c\n\N{SNOWMAN}\x00' + "x" * 400


@pytest.fixture
def logger(monkeypatch):
    """A logger like the one of the application, with a handler of ours alone."""
    own = logging.Logger("ovnguard.webhook", logging.INFO)
    handler = LineHandler(io.StringIO())
    handler.setFormatter(JsonFormatter())
    own.addHandler(handler)
    monkeypatch.setattr(decision_log, "log", own)
    return own


def log_decision(*parts):
    log_decisions([Decision(*parts)])


def both(logger, review, outcome, seconds):
    """The line as text, and as a record makes it."""
    stream = logger.handlers[0].stream
    log_decision("/validate", review, outcome, seconds)
    quick = stream.getvalue()
    stream.truncate(0), stream.seek(0)
    logger.addFilter(lambda _record: True)
    assert lonely_handler(logger) is None
    log_decision("/validate", review, outcome, seconds)
    return quick, stream.getvalue()


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, Outcome(200, {}, "allowed")),
        ({"dryRun": True, "name": None}, Outcome(200, {}, "patched", "", ("OVNG-A", "OVNG-B"), 12)),
        ({"uid": ODD, "name": ODD, "namespace": ODD, "subResource": "status"}, Outcome(200, {}, "denied", "rules")),
        (
            {"userInfo": {"username": 7}, "operation": "UPDATE", "oldObject": None},
            Outcome(504, {}, "failed", "timeout"),
        ),
    ],
    ids=["plain", "patched", "odd", "no name"],
)
@pytest.mark.parametrize("seconds", [0.0, 0.000_123_456, 4.0, 1e-9, 1234.5678])
def test_text_is_what_a_record_says(logger, changes, outcome, seconds):
    old = json.loads(body())["request"]["object"]
    review = decode(body(**changes | ({"oldObject": old} if changes.get("operation") == "UPDATE" else {})), Limits())
    quick, long = both(logger, review, outcome, seconds)
    assert quick.endswith("}\n")
    assert quick.partition('"level"')[2] == long.partition('"level"')[2]
    assert json.loads(quick).keys() == json.loads(long).keys()
    assert quick.isascii()


def test_uid_and_verdict(logger):
    quick, _ = both(logger, decode(body(), Limits()), Outcome(200, {}, "denied", "rules", ("OVNG-T0",)), 0.001)
    line = json.loads(quick)
    assert (line["uid"], line["allowed"], line["rules"], line["ms"]) == (UID, False, ["OVNG-T0"], 1.0)
    assert line["message"] == "decision"


def test_one_line_each(logger):
    each = Decision("/validate", decode(body(), Limits()), Outcome(200, {}, "allowed"), 0.001)
    log_decisions([each, each._replace(path="/mutate")])
    log_decisions([])
    lines = logger.handlers[0].stream.getvalue().splitlines()
    assert [json.loads(line)["path"] for line in lines] == ["/validate", "/mutate"]


class Pipe(io.StringIO):
    """Notes each write."""

    def __init__(self):
        super().__init__()
        self.writes = []

    def write(self, text):
        self.writes.append(text)
        return super().write(text)


def test_no_write_is_longer_than_a_pipe_takes_at_once(logger):
    logger.handlers[0].stream = pipe = Pipe()
    each = Decision("/validate", decode(body(), Limits()), Outcome(200, {}, "allowed"), 0.001)
    log_decisions([each] * 40)
    assert all(len(text) <= PIPE_BUF and text.endswith("}\n") for text in pipe.writes)
    assert len(pipe.writes) < 10
    assert pipe.getvalue().count('"decision"') == len(pipe.getvalue().splitlines()) == 40


def test_levels_are_minded(logger):
    stream = logger.handlers[0].stream
    logger.handlers[0].setLevel(logging.WARNING)
    log_decision("/validate", decode(body(), Limits()), Outcome(200, {}, "allowed"), 0.1)
    logger.setLevel(logging.WARNING)
    log_decision("/validate", decode(body(), Limits()), Outcome(200, {}, "allowed"), 0.1)
    assert stream.getvalue() == ""


def test_everybody_who_listens_gets_the_record(logger):
    heard = []
    other = logging.Handler()
    other.emit = heard.append
    logger.addHandler(other)
    log_decision("/mutate", decode(body(), Limits()), Outcome(200, {}, "allowed"), 0.1)
    assert [record.fields["path"] for record in heard] == ["/mutate"]
    assert len(logger.handlers[0].stream.getvalue().splitlines()) == 1


def test_stream_that_takes_nothing_stops_nobody(logger, monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    logger.handlers[0].stream.close()
    log_decision("/validate", decode(body(), Limits()), Outcome(200, {}, "allowed"), 0.1)


def test_time():
    assert timestamp(0.0) == "1970-01-01T00:00:00.000+00:00"
    assert timestamp(1_700_000_000.9999) == "2023-11-14T22:13:20.999+00:00"
