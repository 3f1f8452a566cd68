"""Keeps the served files equal to the replicas' shared authority, with a thread that reads its Secret periodically.

The files are in a private folder that a clean stop removes, on an in-memory file system if one exists.
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

from ovnguard.validators.base import atomic_file
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.webhook.certificates.authority import Authority
from ovnguard.webhook.certificates.authority_secret import Agreement
from ovnguard.webhook.certificates.self_signed import CertificateFiles, locked
from ovnguard.webhook.private_tempdir import PrivateTempDir

log = logging.getLogger("ovnguard.authority")
ROUND_SECONDS: Final = 60.0
"""Seconds between reads of the Secret; fewer after a fault."""
AGAIN_SECONDS: Final = 5.0
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder with a name of its own is made in it


class AuthorityFiles:
    """The files of one authority, in a separate folder."""

    def __init__(self) -> None:
        self._folder = PrivateTempDir("ovnguard-tls-", _in_memory())
        folder = self._folder.path
        self.files = CertificateFiles(folder / "tls.crt", folder / "tls.key", folder / "ca.crt")
        self._lock = folder / ".lock"

    def take(self, held: Authority) -> None:
        """Write the files that differ from ``held``. Safe in several processes; raises OSError."""
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
        """Remove the folder."""
        self._folder.close()


class CertificateRenewer:
    """A thread of a worker. ``agree`` opens this process' own connection to the API server."""

    def __init__(self, agree: Callable[[], Agreement], files: AuthorityFiles) -> None:
        self._agree = agree
        self._files = files
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="authority", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def alive(self) -> bool:
        """Whether the thread runs; if it crashed, the certificate would expire."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End after the current round."""
        self._stop.set()

    def _run(self) -> None:
        agreement: Agreement | None = None
        # Jitter, so that replicas that start together do not read together.
        pause = ROUND_SECONDS * random.random()  # noqa: S311 - no secret
        while not self._stop.wait(pause):
            try:
                agreement = agreement or self._agree()
                self._files.take(agreement.settle(datetime.now(UTC)))
                pause = ROUND_SECONDS * (0.5 + random.random())  # noqa: S311 - no secret
            except (ClusterError, OSError) as error:
                log.error("the authority cannot be read, the served certificate stays: %s", error)
                pause = AGAIN_SECONDS


def _in_memory() -> Path | None:
    """The folder of a writable in-memory file system, if any."""
    try:
        with tempfile.TemporaryDirectory(dir=_MEMORY):
            return _MEMORY
    except OSError:
        return None
