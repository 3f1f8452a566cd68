"""Compiled definitions on disk, kept between processes: one file each, in a folder that only the user can write to.

The files may be deleted at any time. A file is written next to its final path and moved there, so that no reader sees a
partial file. The files contain code, so the store uses only a folder that is private on its whole lexical path
(`distrust`). A folder that a repository carries is not: version control creates folders with another mode.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

MAX_BYTES: Final = 64 * 1024 * 1024
"""The maximum size of a file to read or write, in bytes."""
MAX_FILES: Final = 256
"""The maximum number of files; the oldest are removed first."""
_SUFFIX: Final = ".compiled"


def user_store() -> tuple["DiskStore | None", str]:
    """Return the store in the user's cache, or None and the reason not to use it."""
    folder = default_folder()
    if folder is None:
        return None, "the user has no home with an absolute path"
    reason = distrust(folder)
    return (None, reason) if reason else (DiskStore(folder), "")


def default_folder() -> Path | None:
    """``$XDG_CACHE_HOME/ovnguard/compiled``, or below ``~/.cache``; None for a user without a home.

    A relative path is none: it would name a folder of the repository that somebody works in.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        try:
            base = str(Path.home() / ".cache")
        except RuntimeError:
            return None
    return Path(base) / "ovnguard" / "compiled" if base.startswith("/") else None


def distrust(folder: Path) -> str:
    """Return why another user may have written to a cache folder; "" if none could.

    The folder, if it exists, belongs only to the user (mode 0700). Each lexical parent is a folder of the user or of
    root to which no other user can write, except for sticky ones. None of them is a symbolic link.
    """
    if not folder.is_absolute() or ".." in folder.parts:
        return f"{folder} is not an absolute path without '..'"
    for place in (folder, *folder.parents):
        try:
            found = place.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            return f"{place}: {error.strerror}"
        if reason := _distrust_one(found, is_own=place == folder):
            return f"{place} {reason}"
    return ""


def _distrust_one(found: os.stat_result, *, is_own: bool) -> str:
    if stat.S_ISLNK(found.st_mode):
        return "is a symbolic link"
    if not stat.S_ISDIR(found.st_mode):
        return "is not a folder"
    if found.st_uid != os.geteuid() and (is_own or found.st_uid != 0):
        return "belongs to another user"
    if is_own:
        return "is open to other users: its mode must be 0700" if found.st_mode & 0o077 else ""
    is_shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not found.st_mode & stat.S_ISVTX
    return "is writable for other users" if is_shared else ""


class DiskStore:
    """Files by key. No method raises: an unusable store behaves like an empty one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, key: str) -> bytes | None:
        """The content under a key, if it is trustworthy."""
        try:
            if distrust(self._folder):
                return None
            handle = os.open(self._folder / (key + _SUFFIX), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            with open(handle, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
                found = os.fstat(handle)
                if not stat.S_ISREG(found.st_mode) or not _is_mine(found) or found.st_size > MAX_BYTES:
                    return None
                return file.read(MAX_BYTES + 1)
        except OSError:
            return None

    def save(self, key: str, data: bytes) -> None:
        """Store content under a key. Failures are silent: the next process compiles again."""
        if len(data) > MAX_BYTES:
            return
        from ovnguard.validators.base import atomic_file  # a warm start writes nothing

        with suppress(OSError):
            if distrust(self._folder):
                return
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.mkdir(mode=0o700, exist_ok=True)
            if distrust(self._folder):
                return
            atomic_file.replace(self._folder / (key + _SUFFIX), data)
            self._prune()

    def _prune(self) -> None:
        files = [file for file in self._folder.iterdir() if file.suffix == _SUFFIX]
        if len(files) > MAX_FILES:
            files.sort(key=lambda file: file.stat().st_mtime)
            for file in files[: len(files) - MAX_FILES]:
                file.unlink(missing_ok=True)


def _is_mine(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
