"""Finds the git repository of a folder by its ``.git``, and checks that it is the user's own, as git does.

git itself makes no such check where it gets the repository's place, as it does here: what lies in a folder without a
``.git``, such as a bare repository, is never asked. Source: git's ``setup.c``, ``ensure_valid_ownership``.
"""

import os
import shlex
from pathlib import Path
from typing import Final, NamedTuple

from ovnguard.validators.cli.git_program import BadRevision, for_configuration, running
from ovnguard.validators.manifest.files import is_file

_LINK: Final = b"gitdir: "
_LONGEST: Final = 1 << 16


class Repository(NamedTuple):
    """The work tree of a repository, and the folder in which git keeps it."""

    root: Path
    directory: Path


def repository_of(folder: Path) -> Repository:
    """Return the repository of an existing folder. Raises BadRevision if there is none, or only somebody else's."""
    try:
        place = folder.resolve()
        entry = next((entry for each in (place, *place.parents) if _is_there(entry := each / ".git")), None)
        if entry is None:
            raise BadRevision(f"git: not a git repository (or any of the parent directories): {place}")
        found = Repository(entry.parent, _linked(entry) if is_file(entry) else entry.resolve())
        is_own = all(map(_is_own, (entry, *found)))
    except OSError as error:
        raise BadRevision(f"git: {folder}: {error.strerror}") from None
    if not is_own and not _is_safe(found.root):
        trust = f"git config --global --add safe.directory {shlex.quote(str(found.root))}"
        raise BadRevision(f"git: the repository {found.root} belongs to another user; to trust it: {trust}")
    return found


def _is_there(entry: Path) -> bool:
    return entry.is_dir() or is_file(entry)


def _linked(entry: Path) -> Path:
    """The folder that the ``.git`` of a linked work tree or of a submodule names."""
    with entry.open("rb") as stream:
        raw = stream.read(_LONGEST)
    try:
        if raw.startswith(_LINK):
            return (entry.parent / os.fsdecode(raw.removeprefix(_LINK).rstrip(b"\r\n"))).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        # what pathlib raises for a place that is absent, a loop of links and a NUL
        pass
    raise BadRevision(f"git: {entry} names no repository")


def _is_own(place: Path) -> bool:
    """Return whether the user owns a place, or root that ``sudo`` works for."""
    owner, user = place.lstat().st_uid, os.geteuid()
    return owner == user or (user == 0 and str(owner) == os.environ.get("SUDO_UID"))


def _is_safe(root: Path) -> bool:
    """Return whether ``safe.directory`` of the user's or the system's configuration names a work tree."""
    try:
        with running(for_configuration(), "config", "--type=path", "-z", "--get-all", "safe.directory") as output:
            values = os.fsdecode(output.read()).split("\0")[:-1]
    except BadRevision:
        # git ends with 1 where nothing is set
        return False
    is_safe = False
    for value in values:
        # the empty one takes back those before
        is_safe = bool(value) and (is_safe or _names(value, root))
    return is_safe


def _names(value: str, root: Path) -> bool:
    """Return whether a value of ``safe.directory`` means a folder: ``*`` all, ``PATH/*`` all below."""
    if value == "*":
        return True
    place = os.path.realpath(value)
    is_below = place.endswith("/*") and str(root).startswith(place[:-1])
    return Path(value).is_absolute() and (is_below or place == str(root))
