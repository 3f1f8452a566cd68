import io
import sys

import pytest

from ovnguard.validators.commandline import terminal


def test_progress_is_reported_every_two_seconds_and_not_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    moments = iter([0.0, 1.9, 2.0, 3.9, 4.1, 9.0])
    monkeypatch.setattr("ovnguard.validators.commandline.terminal.time.monotonic", lambda: next(moments))
    report = terminal.progress("cases")
    for done in (1, 2, 3, 4, 5):
        report(done, 5)
    assert capsys.readouterr().err == "judged 2 of 5 cases ...\njudged 4 of 5 cases ...\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("choice", "environment", "is_terminal", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {}, False, False),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": ""}, False, False),
        ("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ("never", {"FORCE_COLOR": "1"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {}, True, False),
    ],
)
def test_colour_follows_the_choice_then_the_terminal(
    monkeypatch: pytest.MonkeyPatch, choice: str, environment: dict[str, str], is_terminal: bool, expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Terminal() if is_terminal else io.StringIO())
    assert terminal.use_colour(choice) is expected
