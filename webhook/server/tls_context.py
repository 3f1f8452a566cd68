"""The TLS context of replaceable certificate files: loaded again when they change, kept when the new ones are unusable.

The server requests the context for each connection, so replaced files need no signal.
"""

import logging
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cryptography import x509

from ovnguard.webhook.certificates.self_signed import CertificateFiles

CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""The suites of TLS 1.2: forward secrecy and authenticated encryption, no CBC. Those of TLS 1.3 are all like this."""
RENEWAL_SECONDS: Final = 60.0
"""The minimum number of seconds between renewals of a running server's own certificate."""
log = logging.getLogger("ovnguard.certs")


class BadCertificate(ValueError):
    """Certificate files are unusable; the message names the file and the reason."""


def server_context(files: CertificateFiles, clients: Path | None = None) -> ssl.SSLContext:
    """Return a context that serves ``files``, TLS 1.2 at least. Raises BadCertificate when they cannot be served.

    ``clients`` are the authorities (PEM) of client certificates. A client without a certificate may still connect, for
    the probes; the application refuses it on the admission routes.
    """
    for file in (files.certificate, files.key):
        try:
            file.open("rb").close()
        except OSError as error:
            raise BadCertificate(f"{file}: cannot be read: {error.strerror}") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(CIPHERS)
    try:
        # an encrypted key must fail, not ask a terminal for its password
        context.load_cert_chain(files.certificate, files.key, password=lambda: b"")
    except (ssl.SSLError, ValueError) as error:
        reason = getattr(error, "reason", None) or "no certificate with its unencrypted key in PEM"
        raise BadCertificate(f"{files.certificate}, {files.key}: cannot be served together: {reason}") from None
    if clients is not None:
        try:
            context.load_verify_locations(clients)
        except OSError as error:
            # ssl.SSLError is an OSError too
            reason = getattr(error, "reason", None) or error.strerror or "no certificate in PEM"
            raise BadCertificate(f"{clients}: cannot be used to verify clients: {reason}") from None
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def expiry_of(file: Path) -> float:
    """Return when the first certificate in a file expires, in seconds since 1970; 0 if it cannot be read."""
    try:
        return x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc.timestamp()
    except (OSError, ValueError):
        return 0.0


class ContextCache:
    """The TLS context of certificate files; loaded again when the files change, kept when the new ones are unusable."""

    def __init__(
        self, files: CertificateFiles, renew: Callable[[], bool] | None = None, clients: Path | None = None
    ) -> None:
        """``clients`` as for `server_context`, read again when they change. ``renew``, called at most every
        `RENEWAL_SECONDS`, may replace the files and returns whether clients must trust a new authority; its OSError is
        logged.

        Raises BadCertificate when the files cannot be served.
        """
        self._files = files
        self._clients = clients
        self._renew = renew
        self._renewed = time.monotonic()
        self._lock = threading.Lock()
        self._stamp = self._stamp_now()
        self._context = server_context(files, clients)
        self._expires = expiry_of(files.certificate)

    @property
    def expires(self) -> float:
        """When the served certificate expires, in seconds since 1970; 0 if that is unknown."""
        self.get()
        return self._expires

    @property
    def valid(self) -> bool:
        """Whether the served certificate has not expired."""
        return time.time() < self.expires

    def get(self) -> ssl.SSLContext:
        """Return the context for the next connection."""
        with self._lock:
            self._renew_periodically()
            stamp = self._stamp_now()
            if stamp != self._stamp:
                self._stamp = stamp
                try:
                    self._context = server_context(self._files, self._clients)
                    self._expires = expiry_of(self._files.certificate)
                    log.info("certificate reloaded", extra={"fields": {"certificate": str(self._files.certificate)}})
                except BadCertificate as error:
                    log.error("the new certificate is unusable, the former one stays in use: %s", error)
            return self._context

    def _renew_periodically(self) -> None:
        if self._renew is None or time.monotonic() - self._renewed < RENEWAL_SECONDS:
            return
        self._renewed = time.monotonic()
        try:
            if self._renew():
                log.warning("the certificate authority was renewed: register its certificate again as caBundle")
        except OSError as error:
            log.error("certificate not renewed: %s", error)

    def _stamp_now(self) -> tuple[object, ...]:
        watched = (self._files.certificate, self._files.key, self._clients)
        return tuple(_stamp(file) for file in watched if file is not None)


def _stamp(file: Path) -> object:
    try:
        found = file.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_ino, found.st_size)
