"""Certificates of the webhook: an authority and a leaf made on the spot, or what given files hold.

The authority outlives its leaves, so that what was registered as ``caBundle`` stays true while leaves are renewed (the
scheme of cert-manager's dynamic authority: 365 days and 7 days). Keys are P-256; only their owner can read the files.
"""

import fcntl
import logging
import os
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_LIFETIME: Final = timedelta(days=365)
LEAF_LIFETIME: Final = timedelta(days=7)
LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_BACKDATED: Final = timedelta(minutes=5)
"""Clocks of API servers may be a little behind ours."""


RENEWAL_SECONDS: Final = 60.0
"""How often, at most, a running server looks whether its own certificate grows old."""
log = logging.getLogger("ovnguard.certs")


class BadCertificate(ValueError):
    """Given certificate files cannot be used; the message names the file and says what to do."""


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Where the served chain and its key are; ``authority`` is what a client must trust, where we know it."""

    certificate: Path
    key: Path
    authority: Path | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its private key, which the certificate tells already whether two are the same."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey = field(compare=False)

    @property
    def certificate_pem(self) -> bytes:
        """The certificate in PEM."""
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        """The unencrypted key in PEM, PKCS #8."""
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def make_authority(now: datetime, lifetime: timedelta = AUTHORITY_LIFETIME) -> Pair:
    """Make a self-signed certificate authority that may sign leaves only."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ovnguard-webhook-ca")])
    usage = _key_usage(digital_signature=False, key_cert_sign=True)
    builder = _builder(name, name, key, now, now + lifetime)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(usage, critical=True)
    return Pair(builder.sign(key, hashes.SHA256()), key)


def issue(authority: Pair, names: Sequence[str], now: datetime, lifetime: timedelta = LEAF_LIFETIME) -> Pair:
    """Make a serving certificate for ``names`` (DNS names and addresses), never outliving its authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ovnguard-webhook")])
    until = min(now + lifetime, authority.certificate.not_valid_after_utc)
    builder = _builder(subject, authority.certificate.subject, key, now, until)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_key_usage(digital_signature=True, key_cert_sign=False), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    builder = builder.add_extension(
        x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False
    )
    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    builder = builder.add_extension(signer, critical=False)
    return Pair(builder.sign(authority.key, hashes.SHA256()), key)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime, until: datetime
) -> x509.CertificateBuilder:
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(now - _BACKDATED)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return builder.not_valid_after(until).add_extension(identifier, critical=False)


def _key_usage(*, digital_signature: bool, key_cert_sign: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        key_cert_sign=key_cert_sign,
        crl_sign=key_cert_sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


class SelfSigned:
    """Certificates in one folder (``ca.crt``, ``ca.key``, ``tls.crt``, ``tls.key``), made and renewed when asked."""

    def __init__(self, folder: Path, names: Sequence[str] = ()) -> None:
        self._folder = folder
        self._names = tuple(dict.fromkeys((*LOCAL_NAMES, *names)))
        self.files = CertificateFiles(folder / "tls.crt", folder / "tls.key", folder / "ca.crt")

    def ensure(self, now: datetime | None = None) -> bool:
        """Make what is missing, unusable or in the last third of its life; leave the rest. Safe in several processes.

        Returns whether the authority is a new one, so that clients must be told to trust it. Raises OSError when the
        folder cannot be written to.
        """
        now = now or datetime.now(UTC)
        renewed = False
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._folder / ".lock"):
            authority = _load(self._folder / "ca.crt", self._folder / "ca.key")
            if authority is None or aged(authority, now):
                authority, renewed = make_authority(now), True
                write(self._folder / "ca.key", authority.key_pem)
                write(self._folder / "ca.crt", authority.certificate_pem)
            leaf = _load(self.files.certificate, self.files.key)
            if leaf is None or aged(leaf, now) or not fits(leaf, authority, self._names):
                leaf = issue(authority, self._names, now)
                write(self.files.key, leaf.key_pem)
                write(self.files.certificate, leaf.certificate_pem)
        return renewed


def fits(leaf: Pair, authority: Pair, names: Sequence[str]) -> bool:
    """Return whether ``authority`` signed ``leaf``, and for these names and no others."""
    extensions = leaf.certificate.extensions
    try:
        held = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        signer = extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    except x509.ExtensionNotFound:
        return False
    if set(held) != {_general_name(name) for name in names}:
        return False
    return signer == x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())


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


def aged(pair: Pair, now: datetime) -> bool:
    """Return whether less than a third of a certificate's life is left, or it has not begun."""
    begin, end = pair.certificate.not_valid_before_utc, pair.certificate.not_valid_after_utc
    return not begin <= now < end - (end - begin) / 3


def _load(certificate: Path, key: Path) -> Pair | None:
    """The pair in two files, or None when there is none that belongs together."""
    try:
        loaded = x509.load_pem_x509_certificate(certificate.read_bytes())
        private = serialization.load_pem_private_key(key.read_bytes(), password=None)
    except (FileNotFoundError, ValueError, TypeError):
        return None
    if not isinstance(private, ec.EllipticCurvePrivateKey) or loaded.public_key() != private.public_key():
        return None
    return Pair(loaded, private)


def write(file: Path, content: bytes) -> None:
    """Replace ``file`` in one step; it is never readable by others and never half-written."""
    fresh = file.with_name(f".{file.name}.new")
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
    fresh.replace(file)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold ``file`` as a lock between processes."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
