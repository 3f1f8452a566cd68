"""Completion of the executables that click parses: their parser answers, and real shells take the script."""

import shutil
import subprocess

import click
import pytest

from ovnguard.reconciler.cli import reconciler
from ovnguard.validators.commandline.program import run
from ovnguard.validators.commandline.shell_completion import script
from ovnguard.webhook.cli import cli

PROGRAMS = {"ovnguard-reconciler": reconciler, "ovnguard-webhook": cli}


@pytest.mark.parametrize(
    ("program", "words", "choices"),
    [
        ("ovnguard-reconciler", "pl", ["plan"]),
        ("ovnguard-reconciler", "completion f", ["fish"]),
        ("ovnguard-webhook", "", ["ca-bundle", "completion", "manifests", "policies", "serve"]),
        ("ovnguard-webhook", "serve --self", ["--self-signed"]),
        # --help-all alone shows these, as kubectl completes the options that only `kubectl options` shows
        ("ovnguard-webhook", "serve --metrics-p", ["--metrics-port"]),
        ("ovnguard-reconciler", "run --help", ["--help-all", "--help"]),
        ("ovnguard-webhook", "policies -o ", ["yaml", "json"]),
    ],
)
def test_the_parser_answers(
    program: str, words: str, choices: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(f"_{program.replace('-', '_').upper()}_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"{program} {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(f"{program} {words}".split(" ")) - 1))
    with pytest.raises(SystemExit, match="0"):
        run(PROGRAMS[program], program, [])
    assert [line.partition(",")[2] for line in capsys.readouterr().out.splitlines()] == choices


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_accepts_the_script(program: str, shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        run(PROGRAMS[program], program, ["completion", shell])
    printed = capsys.readouterr().out
    assert f"_{program.replace('-', '_').upper()}_COMPLETE={shell}_complete" in printed
    if (found := shutil.which(shell)) is not None:
        done = subprocess.run([found, "-n"], input=printed, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_shell_without_completion_is_a_wrong_call() -> None:
    with pytest.raises(ValueError, match="there is no completion for dash"):
        script(click.Command("x"), "x", "dash")
