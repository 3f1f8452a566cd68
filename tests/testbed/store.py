"""The folder in the user's cache: one folder per part and pin, complete or absent, and a lock for writers."""

import contextlib
import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.testbed.pins import Pin

STAMP = "stamp.json"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an installed part says of itself. `tools` and `files` are relative to the part's folder or absolute."""

    part: str
    version: str
    source: str
    tools: Mapping[str, str]
    files: Mapping[str, str]
    packages: Mapping[str, str]
    seconds: float


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a part could not be got, and when that was tried (seconds since the epoch)."""

    part: str
    reason: str
    tried: float


def root() -> Path:
    """The test bed's folder: $XDG_CACHE_HOME/ovnguard/testbed, or ~/.cache/ovnguard/testbed.

    A relative XDG_CACHE_HOME is ignored (XDG Base Directory Specification, "Environment variables").
    """
    folder = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(folder) if folder.startswith("/") else Path.home() / ".cache"
    return base / "ovnguard" / "testbed"


def folder(base: Path, pin: Pin) -> Path:
    """Where the part of exactly this pin lives."""
    return base / f"{pin.name}-{pin.digest}"


def read_stamp(base: Path, pin: Pin) -> Stamp | None:
    """The stamp of a whole part; None when it is absent, unreadable, or a tool of it has gone."""
    home = folder(base, pin)
    try:
        stamp = Stamp(**json.loads((home / STAMP).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    paths = [home / path for path in (*stamp.tools.values(), *stamp.files.values())]
    return stamp if all(path.exists() for path in paths) else None


def read_missing(base: Path, pin: Pin) -> Missing | None:
    """The last failure to get this part, when it was not got since."""
    try:
        return Missing(**json.loads(_missing_file(base, pin).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_missing(base: Path, pin: Pin, reason: str) -> Missing:
    """Remember a failure, so that tests can name it and the next run need not wait for it again at once."""
    missing = Missing(pin.name, reason, time.time())
    file = _missing_file(base, pin)
    fresh = file.with_name(f".tmp-{os.getpid()}-{file.name}")
    fresh.write_text(json.dumps(asdict(missing)), encoding="utf-8")
    fresh.replace(file)
    return missing


def _missing_file(base: Path, pin: Pin) -> Path:
    return base / f"{pin.name}-{pin.digest}.missing.json"


@contextlib.contextmanager
def building(base: Path, pin: Pin) -> Iterator[Path]:
    """A folder to build the part in, beside its final place; it is gone afterwards unless `finish` renamed it."""
    work = base / f".tmp-{os.getpid()}-{pin.name}"
    work.mkdir(mode=0o755)
    try:
        yield work
    finally:
        remove(work)


@contextlib.contextmanager
def scratch(base: Path, name: str) -> Iterator[Path]:
    """A folder for one run; it is removed afterwards."""
    place = base / f".tmp-{os.getpid()}-{name}-caches"
    place.mkdir(mode=0o755)
    try:
        yield place
    finally:
        remove(place)


def finish(base: Path, pin: Pin, work: Path, stamp: Stamp) -> None:
    """Stamp what was built in `work` and move it to its place in one step."""
    (work / STAMP).write_text(json.dumps(asdict(stamp), indent=2) + "\n", encoding="utf-8")
    home = folder(base, pin)
    if home.exists():
        old = base / f".tmp-{os.getpid()}-old-{pin.name}"
        home.rename(old)
        remove(old)
    work.rename(home)
    _missing_file(base, pin).unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Remove a tree, read-only folders (Go's module cache) included; nothing happens when it is absent."""
    if not path.exists():
        return
    for place, _, _ in os.walk(path):
        Path(place).chmod(0o700)
    shutil.rmtree(path)


def remove_leftovers(base: Path) -> None:
    """Remove what interrupted runs left half made. Only for the holder of the lock: nobody else builds then.

    What cannot be removed stays: it is in nobody's way, as its name holds another process id.
    """
    for path in base.glob(".tmp-*"):
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                remove(path)
            else:
                path.unlink(missing_ok=True)


@contextlib.contextmanager
def lock(base: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the test bed's folder alone; `waiting` is called once when another run holds it. The kernel frees it."""
    base.mkdir(parents=True, exist_ok=True)
    with (base / ".lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
