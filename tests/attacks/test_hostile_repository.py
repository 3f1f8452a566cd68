"""A repository is hostile: neither its files nor its git configuration run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attacks.hostile_repository import (
    MANIFEST,
    NETWORK,
    PAYLOADS,
    STORED_MTU,
    Canary,
    canary,
    hidden_bare,
    hostile_clone,
    repository,
)
from tests.support.git_folder import git
from tests.support.paths import ROOT
from tests.support.preflight_run import report, run

MIB = 1 << 20
IGNORED = "git: and cluster are ignored: in a configuration file they count only with --trust-config"


@pytest.fixture(name="bird")
def _bird(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Canary:
    """A program that must not run. The user's configuration of git permits all that git permits by itself."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    return canary(tmp_path)


@pytest.mark.parametrize("name", PAYLOADS)
def test_each_payload_is_alive(name: str, tmp_path: Path, bird: Canary) -> None:
    clone = hostile_clone(tmp_path / "clone", name, bird.program)
    git(clone, *PAYLOADS[name].trigger, may_fail=True)
    assert bird.ran


@pytest.mark.parametrize("name", PAYLOADS)
def test_the_configuration_of_an_unpacked_archive_runs_nothing(name: str, tmp_path: Path, bird: Canary) -> None:
    clone = hostile_clone(tmp_path / "clone", name, bird.program)
    result = run(str(clone / "networks"), "--old", "git:HEAD")
    if PAYLOADS[name].lacks_blob:
        lacks = f"{clone} lacks {MANIFEST}, as a partial clone may; nothing is fetched"
        assert result == (2, "", f"Error: git: {lacks}\n")
    else:
        commit = git(clone, "rev-parse", "--short=12", "HEAD")
        assert (result.return_value, result.stderr) == (1, f"old objects: git HEAD ({commit})\n")
        assert f"mtu is immutable (spec.layer3.mtu: Invalid value: {STORED_MTU - 100})" in result.stdout
    assert not bird.ran


@pytest.mark.parametrize("name", [name for name, payload in PAYLOADS.items() if payload.lacks_blob])
def test_a_git_that_does_not_know_how_to_be_lazy_fetches_nothing(
    name: str, tmp_path: Path, bird: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = hostile_clone(tmp_path / "clone", name, bird.program)
    older = tmp_path / "bin" / "git"
    older.parent.mkdir()
    older.write_text(f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec {shutil.which("git")} "$@"\n')
    older.chmod(0o755)
    monkeypatch.setenv("PATH", f"{older.parent}:{os.environ['PATH']}")
    assert run(str(clone / "networks"), "--old", "git:HEAD").return_value == 2
    assert not bird.ran


def test_an_included_file_runs_nothing(tmp_path: Path, bird: Canary) -> None:
    clone = hostile_clone(tmp_path / "clone", "uploadpack", bird.program)
    config = clone / ".git" / "config"
    config.rename(clone / "ordinary-file")
    config.write_text("[core]\n\trepositoryformatversion = 0\n[include]\n\tpath = ../ordinary-file\n")
    git(clone, *PAYLOADS["uploadpack"].trigger, may_fail=True)
    assert bird.ran
    bird.file.unlink()
    assert run(str(clone / "networks"), "--old", "git:HEAD").return_value == 2
    assert not bird.ran


def test_a_bare_repository_among_the_manifests_is_no_repository(tmp_path: Path, bird: Canary) -> None:
    networks = hidden_bare(tmp_path / "clone", bird.program) / "networks"
    for path in (networks, networks / "a.yaml"):
        assert run(str(path), "--old", "git:HEAD") == (
            2,
            "",
            f"Error: git: not a git repository (or any of the parent directories): {networks}\n",
        )
    assert not bird.ran


def test_a_bare_repository_in_a_clone_hides_no_revision_of_the_clone(tmp_path: Path, bird: Canary) -> None:
    clone = hidden_bare(tmp_path / "clone", bird.program)
    git(clone, "init", "-q")
    git(clone, "add", ".")
    git(clone, "commit", "-q", "-m", "all")
    (clone / MANIFEST).write_text(NETWORK % STORED_MTU)
    commit = git(clone, "rev-parse", "--short=12", "HEAD")
    result = run(str(clone / MANIFEST), "--old", "git:HEAD")
    assert (result.return_value, result.stderr) == (1, f"old objects: git HEAD ({commit})\n")
    assert not bird.ran


@pytest.mark.parametrize("place", [".", "networks"])
@pytest.mark.parametrize("text", ["old: ['git:HEAD']\n", "inventory: [cluster]\nold: [cluster, 'git:HEAD']\n"])
def test_a_configuration_file_contacts_no_server(
    text: str, place: str, tmp_path: Path, bird: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = hidden_bare(tmp_path / "clone", bird.program)
    (clone / place / ".ovnguard.yaml").write_text(text)
    # a kubeconfig whose plugin would run
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.chdir(clone)
    shown = Path(place, ".ovnguard.yaml").as_posix()
    fields = "old and inventory" if "inventory" in text else "old"
    code, document = report(MANIFEST)
    found = [each for each in document["findings"] if each["severity"] != "note"]
    assert [(each["file"], each["line"], each["severity"], each["message"]) for each in found] == [
        (shown, 1, "warning", f"{fields}: {IGNORED}")
    ]
    assert (code, document["summary"]["warnings"], bird.ran) == (0, 1, False)
    assert run(MANIFEST, "--warnings-as-errors").return_value == 1
    assert run(MANIFEST, "-q") == (0, f"{shown}\n  1:1: warning: {fields}: {IGNORED}\n", "")


def test_a_configuration_file_that_the_caller_trusts_still_runs_nothing(
    tmp_path: Path, bird: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = hidden_bare(tmp_path / "clone", bird.program)
    (clone / ".ovnguard.yaml").write_text("old: ['git:HEAD']\n")
    monkeypatch.chdir(clone)
    text = f"git: not a git repository (or any of the parent directories): {clone / 'networks'}"
    assert run(MANIFEST, "--trust-config") == (2, "", f"Error: {text}\n")
    hostile_clone(tmp_path / "other", "uploadpack", bird.program)
    (tmp_path / "other" / ".ovnguard.yaml").write_text("old: ['git:HEAD']\n")
    monkeypatch.chdir(tmp_path / "other")
    assert run(MANIFEST, "--trust-config").return_value == 2
    assert not bird.ran


def test_no_configuration_file_grants_itself_trust(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).parent.mkdir()
    (tmp_path / MANIFEST).write_text(NETWORK % STORED_MTU)
    for key in ("trustConfig", "trust_config", "trust-config"):
        (tmp_path / ".ovnguard.yaml").write_text(f"{key}: true\nold: ['git:HEAD']\n")
        result = run(str(tmp_path / MANIFEST))
        assert (result.return_value, result.stdout) == (2, "")
        assert f".ovnguard.yaml:1:1: {key}: unknown key; " in result.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: files of another user")
@pytest.mark.parametrize("name", PAYLOADS)
def test_a_repository_of_another_owner_is_not_asked(name: str, tmp_path: Path, bird: Canary) -> None:
    clone = hostile_clone(tmp_path / "clone", name, bird.program)
    os.chown(clone / ".git", 4711, 4711)
    trust = f"to trust it: git config --global --add safe.directory {clone}"
    assert run(str(clone / "networks"), "--old", "git:HEAD") == (
        2,
        "",
        f"Error: git: the repository {clone} belongs to another user; {trust}\n",
    )
    assert not bird.ran


def test_what_the_caller_exports_does_not_reach_git(
    tmp_path: Path, bird: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks and wrappers export variables; a judged repository may have set some of them by its own hooks."""
    clone = repository(tmp_path / "clone")
    trace = tmp_path / "trace"
    for name, value in {
        "GIT_DIR": ".git",
        "GIT_TRACE": str(trace),
        "GIT_TRACE2": str(trace),
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_OBJECT_DIRECTORY": str(tmp_path),
        "GIT_NAMESPACE": "x",
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={bird.program}'",
        "GIT_SSH_COMMAND": str(bird.program),
        "GIT_EXTERNAL_DIFF": str(bird.program),
        "GIT_PAGER": str(bird.program),
    }.items():
        monkeypatch.setenv(name, value)
    assert run(str(clone / "networks"), "--old", "git:HEAD").return_value == 1
    assert (trace.exists(), bird.ran) == (False, False)


def test_a_replacement_does_not_count(tmp_path: Path, bird: Canary) -> None:
    clone = repository(tmp_path / "clone")
    stored = git(clone, "rev-parse", f"HEAD:{MANIFEST}")
    other = git(clone, "hash-object", "-w", MANIFEST)
    git(clone, "replace", stored, other)
    assert git(clone, "cat-file", "blob", stored) == (NETWORK % (STORED_MTU - 100)).strip()
    assert run(str(clone / "networks"), "--old", "git:HEAD").return_value == 1


def test_a_program_in_the_judged_folder_is_no_git(
    tmp_path: Path, bird: Canary, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = repository(tmp_path / "clone")
    shutil.copy(bird.program, clone / "git")
    monkeypatch.chdir(clone)
    for path in (f":{os.environ['PATH']}", f".:networks/..:{os.environ['PATH']}"):
        monkeypatch.setenv("PATH", path)
        assert run("networks", "--old", "git:HEAD").return_value == 1
        assert not bird.ran


def test_no_executable_starts_a_program_of_the_judged_folder(tmp_path: Path, bird: Canary) -> None:
    clone = repository(tmp_path / "clone")
    shutil.copy(bird.program, clone / "ovnguard-reconciler")
    (clone / "networks" / "nodes.yaml").write_text(NODE)
    start = "import sys; sys.argv[0] = '/'; from ovnguard.validators.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", start, "plan", "networks"],
        cwd=clone,
        env={**os.environ, "PATH": ".:/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "internal error" not in done.stderr
    assert not bird.ran


NODE = """\
apiVersion: v1
kind: Node
metadata: {name: worker-a}
"""
