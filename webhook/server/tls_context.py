"""The TLS context of certificate files that may change: made again when they do, kept when the new ones are not usable.

A server asks for the context with each connection, so whoever replaces the files need tell nobody.
"""

import logging
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cryptography import x509

from webhook.certificates.self_signed import CertificateFiles

RENEWAL_SECONDS: Final = 60.0
"""How often, at most, a running server looks whether its own certificate grows old."""
log = logging.getLogger("ovnguard.certs")


class BadCertificate(ValueError):
    """Given certificate files cannot be used; the message names the file and says what to do."""


def server_context(files: CertificateFiles, clients: Path | None = None) -> ssl.SSLContext:
    """Return a context that serves ``files``, TLS 1.2 at least. Raises BadCertificate when they cannot be served.

    ``clients`` are the authorities (PEM) of clients: who has a certificate must have one of theirs. Who has none may
    still ask for the health of the server; the application tells the two apart.
    """
    for file in (files.certificate, files.key):
        try:
            file.open("rb").close()
        except OSError as error:
            raise BadCertificate(f"{file}: cannot be read: {error.strerror}") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
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
    """Return when the first certificate in a file expires, in seconds since 1970; 0 when that cannot be told."""
    try:
        return x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc.timestamp()
    except (OSError, ValueError):
        return 0.0


class ContextCache:
    """The TLS context of certificate files; made again when the files change, kept when the new ones are not usable."""

    def __init__(
        self, files: CertificateFiles, renew: Callable[[], bool] | None = None, clients: Path | None = None
    ) -> None:
        """``clients`` as for `server_context`, read again when they change. ``renew`` is called now and then before the
        files are looked at. It may replace them, and says whether clients must be told to trust a new authority; an
        OSError of it is logged.

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
        """When the served certificate expires, in seconds since 1970; 0 when that cannot be told."""
        self.get()
        return self._expires

    @property
    def valid(self) -> bool:
        """Whether the served certificate has not expired."""
        return time.time() < self.expires

    def get(self) -> ssl.SSLContext:
        """Return the context for the next connection."""
        with self._lock:
            self._renew_now_and_then()
            stamp = self._stamp_now()
            if stamp != self._stamp:
                self._stamp = stamp
                try:
                    self._context = server_context(self._files, self._clients)
                    self._expires = expiry_of(self._files.certificate)
                    log.info("certificate reloaded", extra={"fields": {"certificate": str(self._files.certificate)}})
                except BadCertificate as error:
                    log.error("new certificate not usable, the former one is served on: %s", error)
            return self._context

    def _renew_now_and_then(self) -> None:
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
