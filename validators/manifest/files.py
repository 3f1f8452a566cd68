"""Finds the manifest files below a folder, and reports what cannot be read."""

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path


def manifests_below(folder: str, suffixes: Sequence[str], complain: Callable[[str, str], None]) -> list[str] | None:
    """Return the files below ``folder`` whose names end in one of ``suffixes``, sorted; None if it cannot be read.

    Links to files count. As in kubectl, links to folders are not followed, so there are no loops. ``complain`` gets
    path and message of whatever cannot be read.
    """
    unreadable: list[OSError] = []
    files: list[str] = []
    for place, _, names in os.walk(folder, onerror=unreadable.append):
        paths = [Path(place, name) for name in names]
        files += [str(path) for path in paths if path.suffix in suffixes and _ends(path, complain)]
    for error in sorted(unreadable, key=lambda each: str(each.filename)):
        complain(str(error.filename), f"cannot be read: {error.strerror}")
    return sorted(files) if files or not unreadable else None


def _ends(path: Path, complain: Callable[[str, str], None]) -> bool:
    """Return whether reading ``path`` ends. A broken link counts, because reading it reports the error."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return True
    if not stat.S_ISREG(mode):
        complain(str(path), "cannot be read: not a regular file")
    return stat.S_ISREG(mode)
