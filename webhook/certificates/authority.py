"""The webhook's own certificate authority: the content of its Secret, and the content that it should have now. Pure.

Several replicas share one Secret. Each reads it, decides with this module, and writes the result with the
resourceVersion that it read; the second writer reads again. So they need no leader, and a decision depends only on the
Secret, the clock and whether both registrations have the bundle.

The life of an authority: it signs leaves; in its last third it gets a successor, and the bundle lists both; once the
registrations have it and `OVERLAP` has passed, the successor signs; the previous one stays trusted until it expires. A
leaf is renewed in the last third of its own life. A leaf is never served before clients know its authority, unless
every authority has expired.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ovnguard.webhook.certificates.self_signed import Pair, aged, fits, issue, make_authority

OVERLAP: Final = timedelta(hours=1)
"""The minimum age of a successor before it signs: API servers take seconds to see a new bundle."""
CERTIFICATE: Final = "tls.crt"
KEY: Final = "tls.key"
BUNDLE: Final = "ca.crt"
SIGNER: Final = "ca.key"
NEXT_CERTIFICATE: Final = "next.crt"
NEXT_KEY: Final = "next.key"


@dataclass(frozen=True, slots=True)
class Authority:
    """The content of the Secret: the signer, the served leaf, the successor if present, previous authorities."""

    signer: Pair
    leaf: Pair
    successor: Pair | None = None
    former: tuple[x509.Certificate, ...] = ()

    @property
    def trusted(self) -> tuple[x509.Certificate, ...]:
        """Every authority that clients must trust, the signing one first."""
        successor = () if self.successor is None else (self.successor.certificate,)
        return (self.signer.certificate, *successor, *self.former)

    @property
    def bundle(self) -> bytes:
        """`trusted` in PEM: the ``caBundle``."""
        return b"".join(map(_pem, self.trusted))

    def data(self) -> dict[str, bytes]:
        """Return the values of the Secret; `read` is the inverse."""
        held = {
            CERTIFICATE: self.leaf.certificate_pem,
            KEY: self.leaf.key_pem,
            BUNDLE: self.bundle,
            SIGNER: self.signer.key_pem,
        }
        if self.successor is not None:
            held |= {NEXT_CERTIFICATE: self.successor.certificate_pem, NEXT_KEY: self.successor.key_pem}
        return held


def read(data: Mapping[str, bytes]) -> Authority | None:
    """Return the authority in a Secret; None if it is incomplete, which leads to a new one."""
    try:
        trusted = x509.load_pem_x509_certificates(data[BUNDLE])
        signer = _pair(trusted[0], data[SIGNER])
        leaf = _pair(x509.load_pem_x509_certificate(data[CERTIFICATE]), data[KEY])
        successor = None
        if NEXT_CERTIFICATE in data:
            successor = _pair(x509.load_pem_x509_certificate(data[NEXT_CERTIFICATE]), data.get(NEXT_KEY, b""))
    except (KeyError, ValueError, TypeError):
        return None
    if signer is None or leaf is None:
        return None
    own = {signer.certificate, *(() if successor is None else (successor.certificate,))}
    return Authority(signer, leaf, successor, tuple(each for each in trusted if each not in own))


def decide(
    held: Authority | None, names: Sequence[str], now: datetime, *, published: bool, overlap: timedelta = OVERLAP
) -> Authority:
    """Return the content that the Secret should have now; ``held`` itself when that is unchanged.

    ``names`` are those of the leaf. ``published``: every existing registration has the bundle of ``held``.
    """
    if held is None or _expired(held.signer.certificate, now):
        return _renewed(held, names, now)
    former = tuple(each for each in held.former if not _expired(each, now))
    if former != held.former:
        held = replace(held, former=former)
    if held.successor is not None and _may_sign(held, now, published=published, overlap=overlap):
        signer = held.successor
        return Authority(signer, issue(signer, names, now), None, (held.signer.certificate, *held.former))
    if held.successor is None and aged(held.signer, now):
        held = replace(held, successor=make_authority(now))
    if aged(held.leaf, now) or not fits(held.leaf, held.signer, names):
        held = replace(held, leaf=issue(held.signer, names, now))
    return held


def _renewed(held: Authority | None, names: Sequence[str], now: datetime) -> Authority:
    """Start over, with the successor if present, because clients may already trust it."""
    successor = None if held is None else held.successor
    signer = successor if successor is not None and not aged(successor, now) else make_authority(now)
    return Authority(signer, issue(signer, names, now))


def _may_sign(held: Authority, now: datetime, *, published: bool, overlap: timedelta) -> bool:
    made = held.successor.certificate.not_valid_before_utc if held.successor is not None else now
    return published and now - made >= overlap


def _expired(certificate: x509.Certificate, now: datetime) -> bool:
    return now >= certificate.not_valid_after_utc


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _pair(certificate: x509.Certificate, key: bytes) -> Pair | None:
    private = serialization.load_pem_private_key(key, password=None)
    if not isinstance(private, ec.EllipticCurvePrivateKey) or certificate.public_key() != private.public_key():
        return None
    return Pair(certificate, private)
