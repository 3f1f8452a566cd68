import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from validators.cli.completion_command import completion
from validators.commandline.program import finish, run

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
    program = f"'{sys.executable}' -c 'from validators.cli.main import main; main()' {INVALID}"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        ["sh", "-c", program], cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    os.close(writer)
    assert (done.returncode, re.sub(r"^judged .*\n", "", done.stderr, flags=re.MULTILINE)) == (1, "")


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
    program = f"'{sys.executable}' -c 'from validators.cli.main import main; main()' {arguments} {redirection}"
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
