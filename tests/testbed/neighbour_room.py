"""More room in the kernel's neighbour tables, which all network namespaces of a machine share.

N nodes on one segment know N * (N - 1) neighbours, and above the limit (1024 by default) sessions never come up. The
limits are those of the machine, so they are restored by a process that outlives a killed test run.
"""

import contextlib
import fcntl
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_LIMITS: Final = Path("/proc/sys/net")
_FAMILIES: Final = ("ipv4", "ipv6")
_LOCK: Final = "ovnguard-neighbour-room.lock"
# It waits for the end of the test run, reads to its end what nobody writes, and restores: VALUE FILE ...
_RESTORE: Final = 'cat > /dev/null; while [ $# -gt 1 ]; do echo "$1" > "$2"; shift 2; done'


def why_not(folder: Path = _LIMITS) -> str | None:
    """Why the limits cannot be raised here, or None when they can."""
    files = _files(folder)
    if not files:
        return "the neighbour limits belong to another namespace"
    try:
        for file in files:
            file.write_text(file.read_text())
    except OSError as error:
        return f"the neighbour limits cannot be raised: {error}"
    return None


@contextlib.contextmanager
def neighbour_room(entries: int, folder: Path = _LIMITS) -> Iterator[None]:
    """Have room for so many neighbours while the context lasts; one test run of the machine at a time.

    Limits that are high enough stay as they are. OSError where they cannot be raised.
    """
    with (Path(tempfile.gettempdir()) / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = {file: entries << (int(file.name[-1]) - 1) for file in _files(folder)}
        before = {file: int(file.read_text()) for file in wanted}
        pairs = [word for file, value in before.items() for word in (str(value), str(file))]
        argv = ["sh", "-c", _RESTORE, "restore", *pairs]
        # of a session of its own, so that Ctrl-C does not end it; it holds the lock until it has restored
        with subprocess.Popen(argv, stdin=subprocess.PIPE, pass_fds=[lock.fileno()], start_new_session=True):
            for file, value in wanted.items():
                file.write_text(f"{max(value, before[file])}\n")
            yield


def _files(folder: Path) -> list[Path]:
    return [file for family in _FAMILIES for file in sorted((folder / family / "neigh" / "default").glob("gc_thresh?"))]
