"""Compiled definitions on disk, kept between processes: one file each, in a folder that only the user can write to.

The files may be deleted at any time. A file is written next to its final path and moved there, so that no reader sees a
partial file. The files contain code, so the store reads none that another user could have written: none from a folder
that is not the user's own or that others can write to, and none below a folder that others could replace.
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


def default_folder() -> Path | None:
    """``$XDG_CACHE_HOME/ovnguard/compiled``, or below ``~/.cache``; None for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        try:
            base = str(Path.home() / ".cache")
        except RuntimeError:
            return None
    return Path(base) / "ovnguard" / "compiled"


class DiskStore:
    """Files by key. No method raises: an unusable store behaves like an empty one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, key: str) -> bytes | None:
        """The content under a key, if it is trustworthy."""
        try:
            if not _is_private(self._folder):
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
        from validators.base import atomic_file  # noqa: PLC0415 - a warm start writes nothing

        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_private(self._folder):
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


def _is_private(folder: Path) -> bool:
    """Whether a folder is the user's own, and only the user and root can replace it."""
    if folder.is_symlink() or not _is_mine(folder.stat()):
        return False
    for above in folder.resolve().parents:
        found = above.stat()
        shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not found.st_mode & stat.S_ISVTX
        if shared or found.st_uid not in {0, os.geteuid()}:
            return False
    return True
