"""Atomic writes of files: a reader sees the old content or the new one, even if the writer crashes."""

import os
import tempfile
from pathlib import Path
from typing import Final

TEMPORARY: Final = ".ovnguard-"
"""The prefix of the names of incomplete files."""


def replace(path: Path, content: bytes, mode: int = 0o600, *, durable: bool = False) -> None:
    """Replace ``path`` in one step; raise OSError if it cannot be written.

    With ``durable``, content and name survive a power cut once this returns.
    """
    temporary = write_temporary(path, content, mode, durable=durable)
    try:
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def write_temporary(path: Path, content: bytes, mode: int = 0o600, *, durable: bool = False) -> Path:
    """Write ``content`` to a new file in the folder of ``path`` and return its path; raise OSError like `replace`."""
    descriptor, name = tempfile.mkstemp(prefix=f"{TEMPORARY}{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            if durable:
                os.fsync(stream.fileno())
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def sync_folder(folder: Path) -> None:
    """Make renames and removals in ``folder`` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_temporary(path: Path) -> bool:
    """Whether ``path`` is a leftover of a killed writer."""
    return path.name.startswith(TEMPORARY)
