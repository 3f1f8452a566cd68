"""What git is started with, and how its failures are told."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from ovnguard.validators.cli import git_program
from ovnguard.validators.cli.git_program import BadRevision, GitFailed, for_configuration, for_repository, running


@pytest.fixture(name="fake")
def _fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in place of git, which gets its text by each test."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path / "git"


def answer(fake: Path, text: str) -> bytes:
    fake.write_text(f"#!/bin/sh\n{text}\n")
    fake.chmod(0o755)
    with running(for_repository(Path("/root"), Path("/root/.git")), "ls-tree", "HEAD") as output:
        return output.read()


def test_the_settings_that_git_gets(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "x")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.pager=x'")
    printed = answer(fake, "pwd; echo $*; env | grep ^GIT_ | sort").decode().splitlines()
    assert printed[:2] == ["/", "ls-tree HEAD"]
    variables = dict(line.split("=", 1) for line in printed[2:])
    count = int(variables.pop("GIT_CONFIG_COUNT"))
    settings = {
        variables.pop(f"GIT_CONFIG_KEY_{number}"): variables.pop(f"GIT_CONFIG_VALUE_{number}")
        for number in range(count)
    }
    assert settings == {
        "safe.bareRepository": "explicit",
        "protocol.allow": "never",
        "fetch.bundleURI": "",
        "core.fsmonitor": "false",
        "core.hooksPath": "/dev/null",
        "core.pager": "cat",
        "core.attributesFile": "/dev/null",
        "core.useReplaceRefs": "false",
        "core.deltaBaseCacheLimit": "67108864",
        "diff.external": "",
    }
    assert variables == {
        "GIT_DIR": "/root/.git",
        "GIT_WORK_TREE": "/root",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "GIT_ALLOC_LIMIT": "134217728",
    }


def test_the_callers_configuration_is_read_without_a_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_DIR", "/elsewhere/.git")
    monkeypatch.setenv("GIT_CONFIG", "/elsewhere/.git/config")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/home/user/gitconfig")
    given = {name: value for name, value in for_configuration().items() if name.startswith("GIT_")}
    assert given == {"GIT_DIR": "/dev/null", "GIT_CONFIG_GLOBAL": "/home/user/gitconfig"}


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("echo 'warning: x' >&2; echo 'fatal: bad' >&2; exit 128", 128, "git: bad"),
        ("exit 1", 1, "git: ls-tree failed"),
        ("kill -9 $$", -9, "git: ls-tree failed"),
    ],
)
def test_git_fails(fake: Path, text: str, code: int, message: str) -> None:
    with pytest.raises(GitFailed) as raised:
        answer(fake, text)
    assert (raised.value.code, str(raised.value)) == (code, message)


@pytest.mark.timing
def test_git_takes_too_long(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_program, "SECONDS", 0.1)
    with pytest.raises(BadRevision, match=r"^git: ls-tree took longer than 0\.1 s$"):
        answer(fake, "echo some; exec sleep 60")


@pytest.mark.timing
def test_a_reader_that_stops_ends_git(fake: Path) -> None:
    fake.write_text("#!/bin/sh\necho some\nexec sleep 600\n")
    fake.chmod(0o755)
    with suppress(BadRevision), running(for_repository(Path("/"), Path("/.git")), "ls-tree") as output:
        assert output.readline() == b"some\n"
        raise BadRevision


def test_there_is_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(BadRevision, match=r"^git: the program is not installed; --old git:REV needs it$"),
        running(for_repository(Path("/"), Path("/.git")), "ls-tree"),
    ):
        pass


def test_git_cannot_be_run(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.write_text("no program")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent))
    with (
        pytest.raises(BadRevision, match=r"^git: Exec format error$"),
        running(for_repository(Path("/"), Path("/.git")), "ls-tree"),
    ):
        pass
