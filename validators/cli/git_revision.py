"""The objects that a git revision has at the paths of a run: the old objects of updates."""

import io
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.git_program import BadRevision, GitFailed, for_repository, running
from ovnguard.validators.cli.git_repository import Repository, repository_of
from ovnguard.validators.manifest.documents import Identity
from ovnguard.validators.manifest.files import MAX_FILES, SUFFIXES
from ovnguard.validators.manifest.other_tools import other_tool
from ovnguard.validators.manifest.sources import MAX_FILE_BYTES, read_bytes
from ovnguard.validators.report.visible_text import visible

_MOST_ENTRIES: Final = 2_000_000
_LONGEST_PATH: Final = 4096
"""A longer name in a tree is that of no file (Linux, ``PATH_MAX``)."""
_FILE: Final = b"100"
"""How the modes of files begin, unlike those of links and of submodules."""


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
    repositories = {folder: repository_of(folder) for folder in dict.fromkeys(map(_folder, named or ["."]))}
    objects: dict[Identity, JsonObject] = {}
    commits = []
    for repository in dict.fromkeys(repositories.values()):
        commit = _commit(repository, revision)
        commits.append(commit[:12])
        below = [_inside(path, repository.root) for path in named if repositories[_folder(path)] == repository]
        for name, raw in _contents(repository, _blobs(repository, commit, below or ["."])):
            for document in read_bytes(name, raw, stored).documents:
                objects[document.identity] = document.value
    return Revision(objects, ", ".join(commits))


def _commit(repository: Repository, revision: str) -> str:
    words = ("--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        with running(for_repository(*repository), "rev-parse", *words) as output:
            return output.read().decode().strip()
    except GitFailed as error:
        if error.code == 1:
            raise BadRevision(f"git: {repository.root} has no revision {revision!r}") from None
        raise


def _folder(path: str) -> Path:
    """The nearest folder of a path that exists: a pattern, or a file that is gone, names none."""
    place = Path(path).absolute()
    return next(each for each in (place, *place.parents) if each.is_dir())


def _inside(path: str, root: Path) -> str:
    """The path of what ``path`` names, seen from the root of its repository."""
    file, folder = Path(path).absolute(), _folder(path)
    # git knows a link to a file by its own name
    place = folder.resolve() / file.name if file.is_file() else folder.resolve()
    return place.relative_to(root).as_posix()


def _blobs(repository: Repository, commit: str, below: Sequence[str]) -> dict[tuple[bytes, bool], str]:
    """The manifests of a commit: by the id of the content, and whether it has to be JSON, the last name."""
    found: dict[tuple[bytes, bool], str] = {}
    manifests = 0
    with running(for_repository(*repository), "ls-tree", "-r", "-z", "--full-tree", commit, "--", *below) as output:
        for number, entry in enumerate(_entries(output)):
            about, _, raw = entry.partition(b"\t")
            name = os.fsdecode(raw) if about.startswith(_FILE) and len(raw) <= _LONGEST_PATH else ""
            if name.endswith(SUFFIXES) and not other_tool(repository.root / name):
                manifests += 1
                key = about.split()[-1], name.endswith(".json")
                found.pop(key, None)
                found[key] = name
            # a few trees that contain each other make any number of files
            if manifests > MAX_FILES or number > _MOST_ENTRIES:
                raise BadRevision(f"git: {commit[:12]} has too many files; judge {repository.root} in parts")
    return found


def _entries(output: io.BufferedReader) -> Iterator[bytes]:
    """The entries of a listing, each of which ends in NUL; of one that is too long a part that is."""
    rest = b""
    while chunk := output.read1(1 << 16):
        *entries, rest = (rest[: 2 * _LONGEST_PATH] + chunk).split(b"\0")
        yield from entries


def _contents(repository: Repository, blobs: Mapping[tuple[bytes, bool], str]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of manifests. Raises BadRevision for one that is absent or too large."""
    with tempfile.TemporaryFile() as wanted:
        wanted.writelines(identity + b"\n" for identity, _ in blobs)
        wanted.seek(0)
        with running(for_repository(*repository), "cat-file", "--batch", stdin=wanted) as output:
            for name in blobs.values():
                size = output.readline().split()[-1:]
                if not size:
                    return
                if size == [b"missing"]:
                    lacks = f"{repository.root} lacks {visible(name)}, as a partial clone may"
                    raise BadRevision(f"git: {lacks}; nothing is fetched")
                if int(size[0]) > MAX_FILE_BYTES:
                    raise BadRevision(f"git: {visible(name)} is larger than {MAX_FILE_BYTES >> 20} MiB")
                yield name, output.read(int(size[0]) + 1)[:-1]
