"""An ovsdb-server of our own for a database file, so that OVN's programs can read it; nobody else reaches it."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ovnguard.reconciler.apply.store_errors import StoreUnavailableError

_START: Final = 30.0
_PAUSE: Final = 0.05


@contextmanager
def served(program: str, database: Path) -> Iterator[str]:
    """Serve a standalone database file, which the server may write, and yield the remote; end the server at the end.

    Its socket is next to the file. Raises StoreUnavailableError for a server that does not start.
    """
    socket, control = database.with_suffix(".sock"), database.with_suffix(".ctl")
    argv = [program, f"--remote=punix:{socket}", f"--unixctl={control}", "-vconsole:off", "-vsyslog:off", str(database)]
    with subprocess.Popen(  # noqa: S603 - a list, no shell
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            until = time.monotonic() + _START
            while not socket.exists():
                if server.poll() is not None or time.monotonic() > until:
                    raise StoreUnavailableError(f"{program} does not serve {database.name}")
                time.sleep(_PAUSE)
            yield f"unix:{socket}"
        finally:
            server.terminate()
