"""Shell completion: choices for partial command lines, and scripts that real shells accept."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from ovnguard.validators.cli.completion import SHELLS, Choices, answer, choices_for, script


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], Choices(("completion", "cost", "evolve", "explain", "plan", "test"))),
        (["plan", "-"], Choices(())),
        (["te"], Choices(("test",))),
        (["x.yaml", ""], Choices(())),
        (["--schema-set", ""], Choices(("auto", "enhancement", "released"), files=False)),
        (["x.yaml", "-o", "s"], Choices(("sarif",), files=False)),
        (["--show"], Choices(("--show-mutations",), files=False)),
        (["test", "--mu"], Choices(("--mutate",), files=False)),
        (["test", "-o", "j"], Choices(("json", "junit"), files=False)),
        (["cost", "--k"], Choices(("--kubernetes-version",), files=False)),
        (["explain", "OVNG-L2-00"], Choices(tuple(f"OVNG-L2-00{n}" for n in range(1, 10)), files=False)),
        (["explain", "Egress"], Choices(("EgressFirewall", "EgressIP", "EgressQoS", "EgressService"), files=False)),
        (["x.yaml", "--ignore", "OVNG-NET-07"], Choices(("OVNG-NET-070", "OVNG-NET-071", "OVNG-NET-072"), files=False)),
        (["--skip", "VT"], Choices(("VTEP",), files=False)),
        (["--skip", "VTEP,Upl"], Choices(("VTEP,Uplink", "VTEP,UplinkState"), files=False)),
        (["--kubernetes-version", "1.3"], Choices(tuple(f"1.{n}" for n in range(30, 38)), files=False)),
        (["test", "--kubernetes-version", "1.2"], Choices(("1.29",), files=False)),
        (["--feature-set", "De"], Choices(("Default", "DevPreviewNoUpgrade"), files=False)),
        (["--feature-gates", "RouteR"], Choices(("RouteReflector=true", "RouteReflector=false"), files=False)),
        (["completion", ""], Choices(("bash", "zsh", "fish"), files=False)),
    ],
)
def test_choices(words: list[str], expected: Choices) -> None:
    found = choices_for(words)
    assert found.files is expected.files
    assert set(expected.words) == set(found.words)


def test_every_option_of_the_preflight_is_offered() -> None:
    assert {"--old", "--policies", "-n", "--kubeconfig", "--help-all"} <= set(choices_for(["-"]).words)


def test_kubectl_reads_the_choices_and_a_directive(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-ovn_preflight", "--color", ""])
    answer()
    assert capsys.readouterr().out == "auto\nalways\nnever\n:4\n"
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-ovn_preflight", "co"])
    answer()
    assert capsys.readouterr().out == "completion\ncost\n:0\n"


def test_the_version_is_no_choice_of_any_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["kubectl_complete-ovn_preflight", "--version"])
    answer()
    assert capsys.readouterr().out == f"kubectl_complete-ovn_preflight, version {version('ovnguard')}\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_accepts_its_script(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        assert script(shell).count("kubectl_complete-ovn_preflight") == 1
        return
    file = tmp_path / "completion"
    file.write_text(script(shell))
    done = subprocess.run([program, "-n", str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "choices"), [("--schema-set re", "released\n"), ("--vers", "--version\n"), ("--version", "\n")]
)
def test_bash_completes(tmp_path: Path, words: str, choices: str) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    lines = f"{script('bash')}\nCOMP_WORDS=(kubectl-ovn_preflight {words}) COMP_CWORD={len(words.split())}\n"
    lines += "_ovn_preflight\n"
    lines += 'printf "%s\\n" "${COMPREPLY[@]}"\n'
    fake = tmp_path / "kubectl_complete-ovn_preflight"
    fake.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from ovnguard.validators.cli.completion import main; main()" "$@"\n'
    )
    fake.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([bash, "-c", lines], capture_output=True, text=True, check=True, env=env)
    assert done.stdout == choices
