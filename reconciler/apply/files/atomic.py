"""Files that are always whole: a reader sees the old text or the new one, whatever happens to the writer."""

import os
import tempfile
from pathlib import Path
from typing import Final

TEMPORARY: Final = ".ovnguard-"


def write(path: Path, text: str, mode: int = 0o640) -> None:
    """Replace ``path`` with ``text``, on disk when this returns; raise OSError when it cannot be written."""
    temporary = write_beside(path, text, mode)
    try:
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_beside(path: Path, text: str, mode: int = 0o640) -> Path:
    """Write ``text`` to a new file in the folder of ``path``, on disk when this returns, and return its path."""
    descriptor, name = tempfile.mkstemp(prefix=f"{TEMPORARY}{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def remove(path: Path) -> None:
    """Remove ``path`` if it is there."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames and removals in ``folder`` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_temporary(path: Path) -> bool:
    """Whether ``path`` is what a writer that was killed left behind."""
    return path.name.startswith(TEMPORARY)
