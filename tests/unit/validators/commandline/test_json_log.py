"""Log lines that a machine reads."""

import json
import logging
import sys

import pytest

from ovnguard.validators.commandline.json_log import JsonFormatter, timestamp


def record(message: str, *args: object, exc_info=None) -> logging.LogRecord:
    made = logging.LogRecord("ovnguard.x", logging.WARNING, "f", 1, message, args, exc_info)
    made.created = 1767225600.5
    return made


def test_one_object_per_line():
    line = JsonFormatter().format(record('two\nlines "%s"', "\u2028é"))
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2026-01-01T00:00:00.500Z",
        "level": "warning",
        "logger": "ovnguard.x",
        "message": 'two\nlines "\u2028é"',
    }


def test_fields_follow_the_message_and_the_traceback_ends_the_line():
    try:
        raise KeyError("a bug")
    except KeyError:
        made = record("x", exc_info=sys.exc_info())
    made.fields = {"path": "/validate", "kind": type}
    line = json.loads(JsonFormatter().format(made))
    assert list(line) == ["time", "level", "logger", "message", "path", "kind", "exception"]
    assert line["exception"].endswith("KeyError: 'a bug'")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1767225599.9999, "2025-12-31T23:59:59.999Z"),
        (1767225600.001, "2026-01-01T00:00:00.001Z"),
    ],
)
def test_time_is_utc_with_milliseconds(seconds, text):
    assert timestamp(seconds) == text
