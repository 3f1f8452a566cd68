"""Private folders that are gone after a clean stop, and after the next start where there was none.

A master that is killed cannot take its folder away. So whoever makes one looks for those of the dead first. A pid would
not tell them: in a container that is started again the next master has the same one. What tells them is a lock, which
the kernel releases with the last process that holds it: the master, and its workers, who have it by their birth.
"""

import fcntl
import os
import tempfile
from pathlib import Path
from shutil import rmtree
from typing import Final

_OWNER: Final = "owner"


class Scratch:
    """A folder of this process and its children; `path` is where."""

    def __init__(self, prefix: str, parent: Path | None = None) -> None:
        """Make it in ``parent``, or where temporary files belong. Raises OSError."""
        # no TemporaryDirectory: the first worker that ends would take it away
        above = parent or Path(tempfile.gettempdir())
        sweep(prefix, above)
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=above))
        fresh = self.path / f".{_OWNER}"
        self._handle = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._handle, fcntl.LOCK_EX)
        # only now it has the name that others look for
        fresh.rename(self.path / _OWNER)

    def close(self) -> None:
        """Take it away, with all that is in it."""
        rmtree(self.path, ignore_errors=True)
        os.close(self._handle)


def sweep(prefix: str, parent: Path) -> None:
    """Take away what dead processes of this user have left in ``parent``. What cannot be taken away stays."""
    for folder in parent.glob(f"{prefix}*"):
        if _is_left(folder):
            rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether a folder was made here, by this user, and nobody has it any more."""
    try:
        found = folder.lstat()
        if found.st_uid != os.geteuid():
            return False
        # no links: others may write where temporary files belong
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
