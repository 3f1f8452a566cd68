"""Log lines for people and machines."""

import logging
import sys

import pytest

from ovnguard.reconciler.loop.process import logging_setup


@pytest.fixture(autouse=True)
def restored():
    """Leave logging as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for package in ("ovnguard.reconciler", "ovnguard.validators"):
        logging.getLogger(package).setLevel(logging.NOTSET)


def record(message: str, *args: object, exc_info=None) -> logging.LogRecord:
    made = logging.LogRecord("reconciler.x", logging.WARNING, "f", 1, message, args, exc_info)
    made.created = 1767225600.5
    return made


def test_text_is_one_line():
    assert logging_setup.TextFormatter().format(record("a\r\nb")) == "2026-01-01T00:00:00.500Z WARNING a\\r\\nb"


def test_tracebacks_are_kept():
    try:
        raise KeyError("a bug")
    except KeyError:
        line = logging_setup.TextFormatter().format(record("x", exc_info=sys.exc_info()))
    assert "KeyError" in line


@pytest.mark.parametrize(("level", "heard"), [("info", True), ("warning", False)])
def test_our_lines_go_to_standard_error_and_libraries_stay_quiet(capsys, level, heard):
    logging_setup.set_up(as_json=False, level=level)
    logging.getLogger("ovnguard.reconciler.loop").info("ours")
    logging.getLogger("urllib3").info("theirs")
    err = capsys.readouterr().err
    assert ("ours" in err) is heard
    assert "theirs" not in err
