import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from ovnguard.reconciler.cli import reconciler
from ovnguard.validators.cli import suite_command
from ovnguard.validators.cli.completion_command import completion
from ovnguard.validators.cli.cost_command import cost
from ovnguard.validators.cli.explain.explain_command import explain
from ovnguard.validators.cli.preflight import preflight
from ovnguard.validators.commandline.program import finish, run
from ovnguard.webhook.cli import cli
from tests.support.soak import limit

ROOT = Path(__file__).resolve().parents[4]
VALID = "deploy/examples/valid"
NAME = "kubectl ovn-preflight"

STREAMS = [
    # redirection, arguments, exit code, standard output, standard error
    (
        "<&-",
        "-",
        2,
        "<stdin>\n  1:1: error: cannot be read: standard input is closed\n"
        "1 file, 0 objects judged, 1 error, 0 warnings\n",
        "",
    ),
    (
        ">&-",
        VALID,
        3,
        "",
        f"{NAME}: cannot write to standard output: it is closed; redirect it to a file or to /dev/null\n",
    ),
    (">/dev/full", VALID, 3, "", f"{NAME}: cannot write to standard output: No space left on device\n"),
    (">/dev/full", "--help", 3, "", f"{NAME}: cannot write to standard output: No space left on device\n"),
]


INVALID = "deploy/examples/invalid/layer2-no-overlay.yaml"


def test_a_reader_that_leaves_does_not_change_the_verdict():
    program = f"'{sys.executable}' -c 'from ovnguard.validators.cli.main import main; main()' {INVALID}"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        ["sh", "-c", program], cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    os.close(writer)
    assert (done.returncode, re.sub(r"^judged .*\n", "", done.stderr, flags=re.MULTILINE)) == (1, "")


@contextmanager
def no_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard output is a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", encoding="utf-8") as unread, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", unread)
        yield


def commands(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    """The words of every command of an executable."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, *path, name)


@limit(120)
@pytest.mark.parametrize(
    ("command", "least"),
    [(reconciler, 20), (cli, 5), (suite_command.test, 1), (cost, 1), (explain, 1), (completion, 1)],
    ids=["reconciler", "webhook", "test", "cost", "explain", "completion"],
)
def test_every_command_ends_quietly_when_its_reader_leaves(
    command: click.Command, least: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    every = list(commands(command))
    assert len(every) >= least
    for words in every:
        with pytest.raises(SystemExit) as ended, no_reader(monkeypatch):
            run(command, NAME, [*words, "--help"])
        assert (words, ended.value.code, capfd.readouterr().err) == (words, 0, "")


@pytest.mark.parametrize(
    ("command", "words"),
    # the command that tells its version keeps the first name that it was started by
    [("ovnguard-reconciler", ["--version"]), (NAME, ["bash"]), ("ovnguard-webhook", ["completion", "fish"])],
)
def test_what_commands_print_ends_quietly_when_its_reader_leaves(
    command: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    programs = {"ovnguard-reconciler": reconciler, NAME: completion, "ovnguard-webhook": cli}
    with pytest.raises(SystemExit) as ended, no_reader(monkeypatch):
        run(programs[command], command, words)
    assert (ended.value.code, capfd.readouterr().err) == (0, "")


@pytest.mark.parametrize(
    ("work", "code"),
    [
        (lambda: preflight([f"{ROOT}/{INVALID}"]), 1),
        (lambda: preflight(["--help"]), 0),
        (lambda: print("x" * 100_000), 0),
        (lambda: sys.stdout.buffer.write(b"x" * 100_000), 0),
        (lambda: [print("a"), sys.stdout.flush(), print("b"), 4][-1], 4),
    ],
    ids=["refused", "help", "much", "bytes", "flushed"],
)
def test_the_exit_code_is_that_of_the_work(
    work: Callable[[], object], code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended, no_reader(monkeypatch):
        finish(work, NAME)
    errors = re.sub(r"^judged .*\n", "", capfd.readouterr().err, flags=re.MULTILINE)
    assert (ended.value.code, errors) == (code, "")


def test_nothing_starts_from_a_relative_folder(tmp_path, monkeypatch):
    (tmp_path / "true").touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".:/usr/bin:/bin")
    found: list[str | None] = []
    with pytest.raises(SystemExit, match="0"):
        finish(lambda: found.append(shutil.which("true")), NAME)
    assert found == ["/usr/bin/true"]


def test_an_interrupt_is_one_line(capsys):
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit, match="130"):
        finish(interrupted, NAME)
    assert capsys.readouterr() == ("", f"{NAME}: interrupted\n")


@pytest.mark.parametrize(("redirection", "arguments", "code", "stdout", "stderr"), STREAMS)
@pytest.mark.timing
def test_closed_and_full_streams_are_one_error(redirection, arguments, code, stdout, stderr):
    program = f"'{sys.executable}' -c 'from ovnguard.validators.cli.main import main; main()' {arguments} {redirection}"
    done = subprocess.run(["sh", "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    # A busy machine may take so long that progress is reported.
    errors = re.sub(r"^judged \d of 3 objects \.\.\.\n", "", done.stderr, flags=re.MULTILINE)
    assert (done.returncode, done.stdout, errors) == (code, stdout, stderr)


@pytest.mark.parametrize(
    ("shell", "hint"), [("bsh", ["Did you mean 'bash'?"]), ("powershell", [])], ids=["similar", "not similar"]
)
def test_a_misspelt_choice_gets_a_suggestion(shell: str, hint: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(completion, NAME, [shell])
    message = f"Error: Invalid value for '{{bash|zsh|fish}}': '{shell}' is not one of 'bash', 'zsh', 'fish'."
    assert (ended.value.code, capsys.readouterr().err.splitlines()[3:]) == (2, [message, *hint])
