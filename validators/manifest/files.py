"""Finds the manifest files that a path means: a file, a folder, a pattern; reports what cannot be read."""

import glob
import os
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

SUFFIXES: Final = (".yaml", ".yml", ".json")
STDIN: Final = "-"
CONFIGURATION: Final = ".ovnguard.yaml"
"""The file of the preflight's own options, which is not a manifest."""
MAX_FILES: Final = 100_000
_PATTERN: Final = re.compile(r"[*?\[]")

Complain = Callable[[str, str], None]
"""Gets path and message of whatever cannot be read."""


def expand(path: str, complain: Complain) -> list[str]:
    """Return the files that ``path`` means, sorted. A path that exists is not a pattern, and `STDIN` stays."""
    if path == STDIN:
        return [STDIN]
    try:
        if Path(path).is_dir():
            return _below(path, complain, must_have=True)
        if _PATTERN.search(path) is None or os.path.lexists(path):
            return [path]
    except OSError as error:
        complain(path, f"cannot be read: {error.strerror}")
        return []
    matches = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute patterns
    folders = {match for match in matches if Path(match).is_dir()}
    files = [file for match in matches for file in (_below(match, complain) if match in folders else [match])]
    if not files:
        complain(
            path,
            "the folders that match this pattern contain no manifest" if folders else "no file matches this pattern",
        )
    return files


def once(files: Iterable[str]) -> list[str]:
    """Return the files in their order, each under the first of its names."""
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    for file in files:
        seen.setdefault(file if file == STDIN else _real(file, folders), file)
    return list(seen.values())


def _real(file: str, folders: dict[str, str]) -> str:
    """Return the real path of a file; ``folders`` keeps those of folders, which many files share."""
    folder, slash, name = file.rpartition("/")
    folder += slash
    try:
        own = name not in {"", ".", ".."} and not Path(file).is_symlink()
    except OSError:
        own = False
    if not own:
        return os.path.realpath(file)
    if folder not in folders:
        folders[folder] = os.path.realpath(folder).rstrip("/")
    return f"{folders[folder]}/{name}"


def is_hidden(file: str, path: str) -> bool:
    """Return whether a file that ``path`` means is hidden below it, and so configures some tool."""
    return any(part.startswith(".") and part != ".." for part in Path(file).parts[len(Path(path).parts) :])


def is_file(path: Path) -> bool:
    """Return whether there is a regular file; a name that the file system refuses, as too long, names none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _below(folder: str, complain: Complain, *, must_have: bool = False) -> list[str]:
    files = manifests_below(folder, SUFFIXES, complain)
    if files is None:
        return []
    if not files and must_have:
        complain(folder, f"the folder contains no manifest ({', '.join(SUFFIXES)}); name a folder that does")
    if len(files) > MAX_FILES:
        complain(folder, f"the folder contains {len(files)} manifests, more than {MAX_FILES}; judge it in parts")
        return []
    return files


def manifests_below(folder: str, suffixes: Sequence[str], complain: Complain) -> list[str] | None:
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


def _ends(path: Path, complain: Complain) -> bool:
    """Return whether reading ``path`` ends. A broken link counts, because reading it reports the error."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return True
    if not stat.S_ISREG(mode):
        complain(str(path), "cannot be read: not a regular file")
    return stat.S_ISREG(mode)
