"""Keeps the served files at the authority that replicas agreed upon: a thread that asks from time to time.

The files lie in memory where there is a file system for that, in a private folder that is gone after a clean stop.
"""

import logging
import random
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from validators.base import atomic_file
from validators.cluster.client_protocol import ClusterError
from webhook.certificates.authority import Authority
from webhook.certificates.authority_secret import Agreement
from webhook.certificates.self_signed import CertificateFiles, locked
from webhook.server.private_tempdir import Scratch

log = logging.getLogger("ovnguard.authority")
ROUND_SECONDS: Final = 60.0
"""How often the Secret is looked at; a fault is tried again sooner."""
AGAIN_SECONDS: Final = 5.0
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder with a name of its own is made in it


class AuthorityFiles:
    """The files of one authority, in a folder of their own."""

    def __init__(self) -> None:
        self._scratch = Scratch("ovnguard-tls-", _in_memory())
        folder = self._scratch.path
        self.files = CertificateFiles(folder / "tls.crt", folder / "tls.key", folder / "ca.crt")
        self._lock = folder / ".lock"

    def take(self, held: Authority) -> None:
        """Write what is to be served, if it is another one. Safe in several processes; raises OSError."""
        with locked(self._lock):
            for file, content in (
                (self.files.authority, held.bundle),
                (self.files.key, held.leaf.key_pem),
                (self.files.certificate, held.leaf.certificate_pem),
            ):
                assert file is not None
                with suppress(FileNotFoundError):
                    if file.read_bytes() == content:
                        continue
                atomic_file.replace(file, content)

    def close(self) -> None:
        """Take the folder away."""
        self._scratch.close()


class Keeper:
    """A thread of a worker. ``agree`` makes this process' own way to the API server."""

    def __init__(self, agree: Callable[[], Agreement], place: AuthorityFiles) -> None:
        self._agree = agree
        self._place = place
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="authority", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def alive(self) -> bool:
        """Whether it is at work; one that died of a fault of ours would let the certificate expire."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End after the round that is under way."""
        self._stop.set()

    def _run(self) -> None:
        agreement: Agreement | None = None
        # Replicas that start together need not ask together.
        pause = ROUND_SECONDS * random.random()  # noqa: S311 - no secret
        while not self._stop.wait(pause):
            try:
                agreement = agreement or self._agree()
                self._place.take(agreement.settle(datetime.now(UTC)))
                pause = ROUND_SECONDS * (0.5 + random.random())  # noqa: S311 - no secret
            except (ClusterError, OSError) as error:
                log.error("authority not looked at, the served certificate stays: %s", error)
                pause = AGAIN_SECONDS


def _in_memory() -> Path | None:
    """A file system in memory, if there is one that can be written to."""
    try:
        with tempfile.TemporaryDirectory(dir=_MEMORY):
            return _MEMORY
    except OSError:
        return None
