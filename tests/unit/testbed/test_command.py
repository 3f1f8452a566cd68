"""Other programs are run quietly, and their failures told in one line."""

import time
from pathlib import Path

import pytest

from tests.testbed import command
from tests.testbed.command import CommandError, run, telling_line
from tests.testbed.process import wait_until


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("reading\nE: Failed to fetch\nW: something\n", "E: Failed to fetch"),
        ("one\n  two\n\n", "two"),
        ("error:   many    spaces", "error: many spaces"),
        ("E: cannot get https://me:secret@mirror.invalid/debian", "E: cannot get https://mirror.invalid/debian"),
        ("x" * 1000, "x" * 300),
        ("", ""),
    ],
)
def test_telling_line_is_the_one_that_names_the_error(text: str, line: str) -> None:
    assert telling_line(text) == line


def test_output_or_errors() -> None:
    assert run(["sh", "-c", "echo out; echo err >&2"]) == "out\n"
    assert run(["sh", "-c", "echo err >&2"]) == "err\n"


def test_failure() -> None:
    with pytest.raises(CommandError, match=r"^sh failed: it is broken$"):
        run(["sh", "-c", "echo it is broken >&2; exit 3"])
    with pytest.raises(CommandError, match=r"^the tool failed: 3$"):
        run(["sh", "-c", "exit 3"], name="the tool")


@pytest.mark.timing
def test_time_limit_ends_the_children_too(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"^sh took longer than 1 s$"):
        run(["sh", "-c", f"sleep 1000 & echo $! >{tmp_path}/child; wait"], seconds=1)
    child = int((tmp_path / "child").read_text())
    wait_until(lambda: not Path(f"/proc/{child}/root").exists(), "the end of the child", 60)


def test_program_that_is_not_there() -> None:
    with pytest.raises(CommandError, match=r"^ovn-nothing (failed|does not start): .*[Nn]o such file"):
        run(["ovn-nothing"])


@pytest.mark.timing
def test_long_step_says_that_it_is_at_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(command, "BEAT_SECONDS", 0.01)
    reported = tmp_path / "reported"
    beats: list[int] = []

    def waiting(seconds: int) -> None:
        beats.append(seconds)
        reported.touch()

    # the program ends only after the first report
    script = f"echo early; while [ ! -e {reported} ]; do sleep 0.01; done; echo late"
    started = time.monotonic()
    assert run(["sh", "-c", script], waiting=waiting) == "early\nlate\n"
    assert beats
    assert 0 <= beats[0] <= beats[-1] <= round(time.monotonic() - started)
