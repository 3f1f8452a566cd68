"""The log line of a decision."""

import io
import json
import logging

import pytest

from ovnguard.validators.commandline.json_log import JsonFormatter
from ovnguard.webhook.admission.handlers import Answer, Decision
from ovnguard.webhook.admission.review import AdmissionRequest, Limits, decode
from ovnguard.webhook.observability import decision_log
from ovnguard.webhook.observability.decision_log import MAX_LOGGED, log_decision
from tests.support.admission_reviews import UID, body

ODD = 'a"b\\c\n\N{SNOWMAN}\x00' + "x" * 400


@pytest.fixture
def stream(monkeypatch):
    """What a handler with our formatter writes."""
    own = logging.Logger("ovnguard.webhook", logging.INFO)
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(JsonFormatter())
    own.addHandler(handler)
    monkeypatch.setattr(decision_log, "log", own)
    return handler.stream


def asked(**changes) -> AdmissionRequest:
    review = decode(body(**changes), Limits())
    assert isinstance(review, AdmissionRequest)
    return review


def written(stream, answer, seconds=0.001, path="/validate", **changes):
    log_decision(Decision(path, asked(**changes), answer, seconds))
    text = stream.getvalue()
    assert text.isascii()
    assert text.count("\n") == 1
    line = json.loads(text)
    line.pop("time")
    return line


def test_denial(stream):
    assert written(stream, Answer(200, {}, "denied", "rules", ("OVNG-A", "OVNG-B"), 12), 0.001_234_5) == {
        "level": "info",
        "logger": "ovnguard.webhook",
        "message": "decision",
        "path": "/validate",
        "uid": UID,
        "gvk": "k8s.ovn.org/v1/ClusterUserDefinedNetwork",
        "namespace": "",
        "name": "blue",
        "operation": "CREATE",
        "subresource": "",
        "user": "alice",
        "dryRun": False,
        "verdict": "denied",
        "allowed": False,
        "patched": False,
        "reason": "rules",
        "rules": ["OVNG-A", "OVNG-B"],
        "ms": 1.234,
    }


@pytest.mark.parametrize(
    ("verdict", "allowed", "patched"),
    [("allowed", True, False), ("patched", True, True), ("denied", False, False), ("failed", False, False)],
)
def test_verdicts(stream, verdict, allowed, patched):
    line = written(stream, Answer(200, {}, verdict))
    assert (line["verdict"], line["allowed"], line["patched"]) == (verdict, allowed, patched)


def test_texts_from_outside_are_cut_and_escaped(stream):
    line = written(stream, Answer(200, {}, "allowed"), uid=ODD, name=ODD, namespace=ODD, userInfo={"username": 7})
    assert line["uid"] == line["name"] == line["namespace"] == ODD[:MAX_LOGGED]
    assert line["user"] == "7"


def test_level_of_the_logger_applies(stream):
    decision_log.log.setLevel(logging.WARNING)
    log_decision(Decision("/validate", asked(), Answer(200, {}, "allowed"), 0.1))
    assert stream.getvalue() == ""
