"""Which repository a folder belongs to, and whose it is."""

import os
import re
import shutil
from pathlib import Path

import pytest

from ovnguard.validators.cli.git_program import BadRevision
from ovnguard.validators.cli.git_repository import repository_of
from ovnguard.validators.cli.git_revision import read_revision
from tests.support.git_folder import git

MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"
OTHER = 4711

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: files of another user")


@pytest.fixture(name="clone")
def _clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    for name in ("XDG_CONFIG_HOME", "SUDO_UID"):
        monkeypatch.delenv(name, raising=False)
    return made(tmp_path / "clone", "one")


def made(folder: Path, name: str) -> Path:
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.yaml").write_text(MANIFEST % name)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", name)
    return folder


def names(folder: Path) -> list[str]:
    return [identity.name for identity in read_revision("HEAD", [str(folder)], lambda obj: obj).objects]


def reason(folder: Path) -> str:
    with pytest.raises(BadRevision) as raised:
        names(folder)
    return str(raised.value)


def untrusted(folder: Path) -> str:
    trust = f"git config --global --add safe.directory {folder}"
    return f"git: the repository {folder} belongs to another user; to trust it: {trust}"


def test_a_linked_work_tree(clone: Path) -> None:
    linked = clone.parent / "linked"
    git(clone, "worktree", "add", "-q", str(linked), "-b", "side")
    (linked / "a.yaml").write_text(MANIFEST % "side")
    git(linked, "commit", "-q", "-a", "-m", "side")
    assert repository_of(linked) == (linked, clone / ".git" / "worktrees" / "linked")
    assert (names(linked), names(clone)) == (["side"], ["one"])


def test_a_linked_work_tree_of_a_bare_repository(clone: Path) -> None:
    bare = clone.parent / "bare"
    git(clone, "clone", "-q", "--bare", ".", str(bare))
    git(bare, "worktree", "add", "-q", str(clone.parent / "linked"), "main")
    assert names(clone.parent / "linked") == ["one"]


def test_a_submodule(clone: Path) -> None:
    inner = made(clone.parent / "inner", "inner")
    git(clone, "submodule", "--quiet", "add", str(inner), "vendor")
    assert repository_of(clone / "vendor") == (clone / "vendor", clone / ".git" / "modules" / "vendor")
    assert (names(clone / "vendor"), names(clone)) == (["inner"], ["one"])


def test_a_folder_below_and_a_link_to_it(clone: Path) -> None:
    (clone / "below").mkdir()
    (clone.parent / "link").symlink_to(clone / "below")
    assert repository_of(clone.parent / "link") == repository_of(clone / "below") == (clone, clone / ".git")


@pytest.mark.parametrize("text", [b"gitdir: nowhere\n", b"gitdir: a\0b\n", b"gitdir: loop\n", b"gitdir:x\n", b""])
def test_a_file_that_names_no_repository(text: bytes, clone: Path) -> None:
    shutil.rmtree(clone / ".git")
    (clone / ".git").write_bytes(text)
    (clone / "loop").symlink_to("loop")
    assert reason(clone) == f"git: {clone}/.git names no repository"


def test_a_file_that_names_another_folder(clone: Path) -> None:
    shutil.rmtree(clone / ".git")
    (clone / ".git").write_text("gitdir: .\n")
    assert reason(clone) == f"git: not a git repository: '{clone}'"


def test_a_folder_that_is_no_repository(clone: Path) -> None:
    shutil.rmtree(clone / ".git")
    (clone / ".git").mkdir()
    assert reason(clone) == f"git: not a git repository: '{clone}/.git'"


def test_a_pipe_is_no_repository(clone: Path) -> None:
    shutil.rmtree(clone / ".git")
    os.mkfifo(clone / ".git")
    assert reason(clone) == f"git: not a git repository (or any of the parent directories): {clone}"


@needs_root
@pytest.mark.parametrize("place", [".", ".git"])
def test_a_repository_of_another_user(place: str, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(clone / place, OTHER, OTHER)
    assert reason(clone) == untrusted(clone)
    # root under sudo works for that user, and still for itself
    monkeypatch.setenv("SUDO_UID", "4712")
    assert reason(clone) == untrusted(clone)
    monkeypatch.setenv("SUDO_UID", str(OTHER))
    assert names(clone) == ["one"]


@needs_root
def test_what_a_link_names_belongs_to_another_user(clone: Path) -> None:
    linked = clone.parent / "linked"
    git(clone, "worktree", "add", "-q", str(linked), "-b", "side")
    os.chown(clone / ".git" / "worktrees" / "linked", OTHER, OTHER)
    assert reason(linked) == untrusted(linked)
    os.chown(clone / ".git" / "worktrees" / "linked", 0, 0)
    os.chown(linked / ".git", OTHER, OTHER)
    assert reason(linked) == untrusted(linked)
    (clone.parent / "copy").mkdir()
    os.chown(clone / ".git", OTHER, OTHER)
    (clone.parent / "copy" / ".git").symlink_to(clone / ".git")
    assert reason(clone.parent / "copy") == untrusted(clone.parent / "copy")


@needs_root
@pytest.mark.parametrize(
    ("values", "is_trusted"),
    [
        ([], False),
        (["*"], True),
        (["CLONE"], True),
        (["CLONE/"], True),
        (["~/clone"], True),
        (["ABOVE/*"], True),
        (["ABOVE"], False),
        (["CLONE/.git"], False),
        (["CLON"], False),
        (["ABOVE/clo*"], False),
        (["clone"], False),
        (["."], False),
        (["%(prefix)/*"], False),
        (["*", ""], False),
        (["", "CLONE"], True),
        (["CLONE", "", "ABOVE/none"], False),
    ],
)
def test_safe_directories_of_the_user(
    values: list[str], is_trusted: bool, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.chown(clone, OTHER, OTHER)
    monkeypatch.chdir(clone)
    lines = (f'\tdirectory = "{value}"\n' for value in values)
    text = "[safe]\n" + "".join(lines).replace("CLONE", str(clone)).replace("ABOVE", str(clone.parent))
    (clone.parent / ".gitconfig").write_text(text)
    assert names(clone) == ["one"] if is_trusted else reason(clone) == untrusted(clone)


@needs_root
def test_where_safe_directories_count(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(clone, OTHER, OTHER)
    text = f"[safe]\n\tdirectory = {clone}\n"
    # that of the repository grants itself nothing
    with (clone / ".git" / "config").open("a") as config:
        config.write(text)
    assert reason(clone) == untrusted(clone)
    (clone.parent / "system").write_text(text)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(clone.parent / "system"))
    assert names(clone) == ["one"]
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    assert reason(clone) == untrusted(clone)
    (clone.parent / ".gitconfig").write_text(f"[include]\n\tpath = {clone.parent}/system\n")
    assert names(clone) == ["one"]
    (clone.parent / ".gitconfig").write_text("[safe\n")
    assert reason(clone) == untrusted(clone)


def test_nothing_else_of_the_users_configuration_counts(clone: Path) -> None:
    (clone.parent / ".gitconfig").write_text("[core]\n\trepositoryformatversion = 99\n[safe\n")
    assert names(clone) == ["one"]


def test_a_shown_command_is_one_for_a_shell(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = clone.rename(clone.parent / "a b;c")
    monkeypatch.setattr(os, "geteuid", lambda: OTHER)
    assert re.findall(r"safe\.directory (.*)", reason(odd)) == [f"'{odd}'"]
