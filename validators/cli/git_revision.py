"""The objects that a git revision has at the paths of a run: the old objects of updates."""

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from validators.base.json_types import JsonObject
from validators.manifest.files import SUFFIXES
from validators.manifest.other_tools import other_tool
from validators.manifest.sources import Identity, read_bytes

PREFIX: Final = "git:"
_SECONDS: Final = 60


class BadRevision(Exception):
    """A revision cannot be read; the message says why."""


class Revision(NamedTuple):
    """The objects of a revision by identity, and its abbreviated commit."""

    objects: Mapping[Identity, JsonObject]
    commit: str


def read_revision(revision: str, paths: Sequence[str], stored: Callable[[JsonObject], JsonObject]) -> Revision:
    """Return the objects of the files below ``paths`` in ``revision`` of their repository.

    Files that the revision lacks are new, and files that it cannot be read in have no old objects. Raises
    `BadRevision`.
    """
    first = next((path for path in paths if path != "-"), ".")
    root = Path(_git(_folder(first), "rev-parse", "--show-toplevel").decode().rstrip("\n"))
    try:
        commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except BadRevision:
        raise BadRevision(f"git: {root} has no revision {revision!r}") from None
    known = commit.decode().strip()
    below = [_inside(path, root) for path in paths if path != "-"] or ["."]
    objects: dict[Identity, JsonObject] = {}
    for name, raw in _files(root, known, below):
        for document in read_bytes(name, raw, stored).documents:
            objects[document.identity] = document.value
    return Revision(objects, known[:12])


def _folder(path: str) -> Path:
    """The nearest folder of a path that exists: a pattern, or a file that is gone, names none."""
    place = Path(path).absolute()
    return next(each for each in (place, *place.parents) if each.is_dir())


def _inside(path: str, root: Path) -> str:
    place = Path(path).resolve() if Path(path).exists() else _folder(path).resolve()
    try:
        return place.relative_to(root.resolve()).as_posix()
    except ValueError:
        raise BadRevision(f"git: {path} is not in the repository {root}") from None


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
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603 - no shell
    except FileNotFoundError:
        raise BadRevision("git: the program is not installed; --old git:REV needs it") from None
    except subprocess.TimeoutExpired:
        raise BadRevision(f"git: {arguments[0]} took longer than {_SECONDS} s") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise BadRevision(f"git: {said[-1].removeprefix('fatal: ') if said else f'{arguments[0]} failed'}")
    return done.stdout
