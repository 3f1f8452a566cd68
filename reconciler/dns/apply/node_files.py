"""Files of a node that others read at any time: they change as a whole, and only when their text changes."""

from pathlib import Path
from typing import Final

from ovnguard.reconciler.apply.store_errors import StoreUnusableError, file_error
from ovnguard.validators.base import atomic_file

MAX_OCTETS: Final = 16 << 20
_MODE: Final = 0o644


def read_text(path: Path) -> str:
    """Return the text of a file, '' without one. Raises StoreError for a file that is too long or cannot be read."""
    try:
        if not path.exists():
            return ""
        if not path.is_file():
            # Reading a pipe would block.
            raise StoreUnusableError(f"{path}: is not a regular file")
        with path.open("rb") as stream:
            octets = stream.read(MAX_OCTETS + 1)
    except OSError as error:
        raise file_error(error, path) from error
    if len(octets) > MAX_OCTETS:
        raise StoreUnusableError(f"{path}: is longer than {MAX_OCTETS} octets")
    return octets.decode(errors="replace")


def write_text(path: Path, text: str) -> bool:
    """Replace the file whole unless it has this text already; return whether it changed. Raises StoreError."""
    if read_text(path) == text:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for leftover in path.parent.glob(f"{atomic_file.TEMPORARY}{path.name}-*"):
            leftover.unlink(missing_ok=True)
        atomic_file.replace(path, text.encode(), _MODE, durable=True)
    except OSError as error:
        raise file_error(error, path) from error
    return True


def remove(path: Path) -> bool:
    """Remove the file; return whether there was one. Raises StoreError."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise file_error(error, path) from error
    return True
