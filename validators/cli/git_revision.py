"""The objects that a git revision has at the paths of a run: the old objects of updates."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from validators.base.json_types import JsonObject
from validators.manifest.documents import Identity
from validators.manifest.files import SUFFIXES
from validators.manifest.other_tools import other_tool
from validators.manifest.sources import read_bytes

PREFIX: Final = "git:"
_SECONDS: Final = 60
_OF_HOOKS: Final = frozenset(("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"))


class BadRevision(Exception):
    """A revision cannot be read; the message says why."""


class Revision(NamedTuple):
    """The objects of a revision by identity, and its abbreviated commit, or commits of several repositories."""

    objects: Mapping[Identity, JsonObject]
    commit: str


def read_revision(revision: str, paths: Sequence[str], stored: Callable[[JsonObject], JsonObject]) -> Revision:
    """Return the objects of the files below ``paths`` in ``revision`` of their repository, such as a submodule.

    Files that the revision lacks are new, and files that it cannot be read in have no old objects. Raises
    `BadRevision`.
    """
    named = [path for path in paths if path != "-"]
    roots = {folder: _root(folder) for folder in dict.fromkeys(map(_folder, named or ["."]))}
    objects: dict[Identity, JsonObject] = {}
    commits = []
    for root in dict.fromkeys(roots.values()):
        commit = _commit(root, revision)
        commits.append(commit[:12])
        below = [_inside(path, root) for path in named if roots[_folder(path)] == root] or ["."]
        for name, raw in _files(root, commit, below):
            for document in read_bytes(name, raw, stored).documents:
                objects[document.identity] = document.value
    return Revision(objects, ", ".join(commits))


def _root(folder: Path) -> Path:
    return Path(_git(folder, "rev-parse", "--show-toplevel").decode().rstrip("\n"))


def _commit(root: Path, revision: str) -> str:
    try:
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except BadRevision:
        raise BadRevision(f"git: {root} has no revision {revision!r}") from None
    return found.decode().strip()


def _folder(path: str) -> Path:
    """The nearest folder of a path that exists: a pattern, or a file that is gone, names none."""
    place = Path(path).absolute()
    return next(each for each in (place, *place.parents) if each.is_dir())


def _inside(path: str, root: Path) -> str:
    """The path of what ``path`` names, seen from the root of its repository."""
    file, folder = Path(path).absolute(), _folder(path)
    # git knows a link to a file by its own name
    place = folder.resolve() / file.name if file.is_file() else folder.resolve()
    return place.relative_to(root.resolve()).as_posix()


def _files(root: Path, commit: str, below: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the manifests of a commit."""
    listed = _git(root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", *below)
    names = [each.decode(errors="surrogateescape") for each in listed.split(b"\0") if each]
    for name in names:
        path = Path(name)
        if path.suffix in SUFFIXES and not other_tool(root / path):
            yield name, _git(root, "cat-file", "blob", f"{commit}:{name}")


def _git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    # hooks get the repository of the commit in these, perhaps as a relative path; the one of the folder counts here
    env = {name: value for name, value in os.environ.items() if name not in _OF_HOOKS}
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS, env=env)  # noqa: S603 - no shell
    except FileNotFoundError:
        raise BadRevision("git: the program is not installed; --old git:REV needs it") from None
    except subprocess.TimeoutExpired:
        raise BadRevision(f"git: {arguments[0]} took longer than {_SECONDS} s") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise BadRevision(f"git: {said[-1].removeprefix('fatal: ') if said else f'{arguments[0]} failed'}")
    return done.stdout
