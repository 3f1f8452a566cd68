"""A thread that keeps an idle connection alive and reports notifications."""

import threading
from collections.abc import Callable
from typing import Final

# Servers probe a connection after five seconds of silence and close it after five more.
PAUSE: Final = 1.0


class Keepalive:
    """Calls ``listen`` every second and ``notify`` when that returns True. `start` may be called repeatedly."""

    def __init__(self, listen: Callable[[], bool], notify: Callable[[], None]) -> None:
        self._listen = listen
        self._notify = notify
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it already runs."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ovsdb-keeper", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the thread. It is a daemon, so a hanging call does not keep the process alive."""
        self._over.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(0.2)

    def _run(self) -> None:
        while not self._over.wait(PAUSE):
            if self._listen():
                self._notify()
