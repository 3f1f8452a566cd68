"""Private temporary folders, removed by a clean stop or by the next start.

A master that is killed cannot remove its folder. So `PrivateTempDir` first removes the folders of dead processes. A pid
does not identify them, because the next master in a restarted container has the same one. A lock does: the kernel
releases it with the last process that holds it, the master or a worker, which inherits it.
"""

import fcntl
import os
import tempfile
from pathlib import Path
from shutil import rmtree
from typing import Final

_OWNER: Final = "owner"


class PrivateTempDir:
    """A folder of this process and its children, at `path`."""

    def __init__(self, prefix: str, parent: Path | None = None) -> None:
        """Create the folder in ``parent``, by default the folder for temporary files. Raises OSError."""
        # not a TemporaryDirectory: the first ended worker would remove it
        above = parent or Path(tempfile.gettempdir())
        sweep(prefix, above)
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=above))
        fresh = self.path / f".{_OWNER}"
        self._handle = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        # the name that `sweep` searches for, now that the lock is held
        fresh.rename(self.path / _OWNER)

    def close(self) -> None:
        """Remove the folder with its content."""
        rmtree(self.path, ignore_errors=True)
        os.close(self._handle)


def sweep(prefix: str, parent: Path) -> None:
    """Remove the folders of dead processes of this user in ``parent``; skip those that cannot be removed."""
    for folder in parent.glob(f"{prefix}*"):
        if _is_left(folder):
            rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether this user owns a folder and no process holds its lock."""
    try:
        found = folder.lstat()
        if found.st_uid != os.geteuid():
            return False
        # no links: other users may write to this parent
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        owner = os.open(_OWNER, os.O_RDWR | os.O_NOFOLLOW, dir_fd=handle)
    except OSError:
        return False
    finally:
        os.close(handle)
    try:
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(owner)
    return True
