"""Certificates of the webhook: a self-signed authority and its leaf in a folder.

The authority outlives its leaves, so the registered ``caBundle`` stays valid while leaves are renewed (the
scheme of cert-manager's dynamic authority: 365 days and 7 days). Keys are P-256; only their owner can read the files.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
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

from ovnguard.validators.base import atomic_file

AUTHORITY_LIFETIME: Final = timedelta(days=365)
LEAF_LIFETIME: Final = timedelta(days=7)
LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_BACKDATED: Final = timedelta(minutes=5)
"""The clock of an API server may be behind this machine's."""


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """The files of the served chain and its key; ``authority`` is the one that a client must trust, if known."""

    certificate: Path
    key: Path
    authority: Path | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its private key; two are equal if their certificates are."""

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
    """Create a self-signed certificate authority that may sign only leaves."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ovnguard-webhook-ca")])
    usage = _key_usage(digital_signature=False, key_cert_sign=True)
    builder = _builder(name, name, key, now, now + lifetime)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(usage, critical=True)
    return Pair(builder.sign(key, hashes.SHA256()), key)


def issue(authority: Pair, names: Sequence[str], now: datetime, lifetime: timedelta = LEAF_LIFETIME) -> Pair:
    """Create a serving certificate for ``names`` (DNS names and addresses), expiring no later than its authority."""
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
    """Certificates in one folder (``ca.crt``, ``ca.key``, ``tls.crt``, ``tls.key``), made and renewed by `ensure`."""

    def __init__(self, folder: Path, names: Sequence[str] = ()) -> None:
        self._folder = folder
        self._names = tuple(dict.fromkeys((*LOCAL_NAMES, *names)))
        self.files = CertificateFiles(folder / "tls.crt", folder / "tls.key", folder / "ca.crt")

    def ensure(self, now: datetime | None = None) -> bool:
        """Replace certificates that are missing, unusable or in the last third of their life. Safe in several
        processes.

        Returns whether the authority is new, which requires clients to trust it. Raises OSError when the folder cannot
        be written to.
        """
        now = now or datetime.now(UTC)
        renewed = False
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._folder / ".lock"):
            authority = _load(self._folder / "ca.crt", self._folder / "ca.key")
            if authority is None or aged(authority, now):
                authority, renewed = make_authority(now), True
                atomic_file.replace(self._folder / "ca.key", authority.key_pem)
                atomic_file.replace(self._folder / "ca.crt", authority.certificate_pem)
            leaf = _load(self.files.certificate, self.files.key)
            if leaf is None or aged(leaf, now) or not fits(leaf, authority, self._names):
                leaf = issue(authority, self._names, now)
                atomic_file.replace(self.files.key, leaf.key_pem)
                atomic_file.replace(self.files.certificate, leaf.certificate_pem)
        return renewed


def fits(leaf: Pair, authority: Pair, names: Sequence[str]) -> bool:
    """Return whether ``authority`` signed ``leaf`` for exactly these names."""
    extensions = leaf.certificate.extensions
    try:
        held = extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        signer = extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    except x509.ExtensionNotFound:
        return False
    if set(held) != {_general_name(name) for name in names}:
        return False
    return signer == x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())


def aged(pair: Pair, now: datetime) -> bool:
    """Return whether a certificate has less than a third of its life left, or is not valid yet."""
    begin, end = pair.certificate.not_valid_before_utc, pair.certificate.not_valid_after_utc
    return not begin <= now < end - (end - begin) / 3


def _load(certificate: Path, key: Path) -> Pair | None:
    """The pair in two files, or None when they do not belong together."""
    try:
        loaded = x509.load_pem_x509_certificate(certificate.read_bytes())
        private = serialization.load_pem_private_key(key.read_bytes(), password=None)
    except (FileNotFoundError, ValueError, TypeError):
        return None
    if not isinstance(private, ec.EllipticCurvePrivateKey) or loaded.public_key() != private.public_key():
        return None
    return Pair(loaded, private)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold ``file`` as a lock between processes."""
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
