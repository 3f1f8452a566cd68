"""`kubectl ovn-preflight plan` becomes the reconciler, or says in one line why it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ovnguard.validators.cli.plan_command import plan, words_of
from tests.support.paths import ROOT
from tests.support.soak import limit


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nets nodes -o html", "-f nets -f nodes --nodes nets --nodes nodes -o html"),
        ("nets --inventory nodes -v", "-f nets --nodes nodes -v"),
        ("nets --inventory=nodes", "-f nets --nodes=nodes"),
        ("- --nodes nodes", "-f - --nodes nodes"),
        ("-f nets --nodes nodes --node worker-a", "-f nets --nodes nodes --node worker-a"),
        ("--help", "--help"),
    ],
)
def test_paths_and_the_inventory_are_the_reconcilers_inputs(given: str, words: str) -> None:
    assert words_of(given.split()) == words.split()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation of the preflight alone."""
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "kubectl-ovn_preflight")])
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def test_the_executable_of_the_same_installation_comes_first(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(os, "execv", lambda *call: started.append(call))
    for folder in (elsewhere / "bin", elsewhere):
        folder.mkdir(exist_ok=True)
        program = folder / "ovnguard-reconciler"
        program.touch(0o755)
        plan(["nets", "--nodes", "n"])
        assert started[-1] == (str(program), [str(program), "plan", "-f", "nets", "--nodes", "n"])


def test_without_the_executable(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(["nets"]) == 3
    text = "the program ovnguard-reconciler is neither next to kubectl-ovn_preflight nor on PATH"
    assert capsys.readouterr().err == f"kubectl ovn-preflight plan: {text}; pip install ovnguard brings it\n"


@pytest.mark.parametrize("words", [["--inventory", "cluster"], ["--inventory=cluster"]])
def test_a_cluster_is_no_file(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert plan(["nets", *words]) == 2
    assert capsys.readouterr().err == (
        "kubectl ovn-preflight plan: --inventory cluster: a plan reads files: kubectl get nodes,... -A -o yaml > "
        "all.yaml (kinds: kubectl ovn-preflight --help)\n"
    )


def test_an_executable_that_cannot_start(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = elsewhere / "ovnguard-reconciler"
    program.write_text("#!/nonexistent\n")
    program.chmod(0o755)
    assert plan(["nets"]) == 3
    errors = capsys.readouterr().err
    assert errors.startswith(f"kubectl ovn-preflight plan: {program}: ")
    assert errors.count("\n") == 1


@limit(180)
def test_the_installed_programs() -> None:
    program = Path(sys.executable).with_name("kubectl-ovn_preflight")
    inputs = ["deploy/examples/valid", "--inventory", "deploy/examples/nodes"]
    done = subprocess.run([program, "plan", *inputs], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1].partition(" on ")[0]) == (
        0,
        "Plan: 489 to add, 0 to change, 0 to destroy",
    )
