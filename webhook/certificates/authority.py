"""An authority of the webhook's own: what a Secret holds of it, and what is to be done about that now. Pure.

Several replicas share one Secret. Each reads it, decides here, and writes the outcome on the version that it read; who
comes second reads again. So they need no leader, and what they decide must depend on nothing but the Secret, the clock
and whether clients have been told.

The life of an authority: it signs leaves; in its last third a successor is made, and clients are told to trust both;
when they have been told and `OVERLAP` has passed, the successor signs; the former one stays trusted until it expires.
A leaf is renewed in the last third of its own life. At no time is a leaf served whose authority clients do not know
yet, unless every authority has expired already.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from webhook.certificates.self_signed import Pair, aged, fits, issue, make_authority

OVERLAP: Final = timedelta(hours=1)
"""How old a successor must be before it signs, because clients have to be told before; that takes seconds."""
CERTIFICATE: Final = "tls.crt"
KEY: Final = "tls.key"
BUNDLE: Final = "ca.crt"
SIGNER: Final = "ca.key"
NEXT_CERTIFICATE: Final = "next.crt"
NEXT_KEY: Final = "next.key"


@dataclass(frozen=True, slots=True)
class Authority:
    """What the Secret holds: who signs, the leaf that is served, the successor if there is one, former authorities."""

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
        """What is written into the Secret; `read` is the way back."""
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
    """Return what a Secret holds, None when it holds nothing whole: then everything is made anew."""
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
    held: Authority | None, names: Sequence[str], now: datetime, *, told: bool, overlap: timedelta = OVERLAP
) -> Authority:
    """Return what the Secret should hold now; ``held`` itself when nothing is to be done.

    ``names`` are what the leaf is for. ``told``: every client that is known has the bundle that ``held`` has.
    """
    if held is None or _expired(held.signer.certificate, now):
        return _renewed(held, names, now)
    former = tuple(each for each in held.former if not _expired(each, now))
    if former != held.former:
        held = replace(held, former=former)
    if held.successor is not None and _may_sign(held, now, told=told, overlap=overlap):
        signer = held.successor
        return Authority(signer, issue(signer, names, now), None, (held.signer.certificate, *held.former))
    if held.successor is None and aged(held.signer, now):
        held = replace(held, successor=make_authority(now))
    if aged(held.leaf, now) or not fits(held.leaf, held.signer, names):
        held = replace(held, leaf=issue(held.signer, names, now))
    return held


def _renewed(held: Authority | None, names: Sequence[str], now: datetime) -> Authority:
    """Begin again. A successor that clients may know already is better than a stranger."""
    successor = None if held is None else held.successor
    signer = successor if successor is not None and not aged(successor, now) else make_authority(now)
    return Authority(signer, issue(signer, names, now))


def _may_sign(held: Authority, now: datetime, *, told: bool, overlap: timedelta) -> bool:
    made = held.successor.certificate.not_valid_before_utc if held.successor is not None else now
    return told and now - made >= overlap


def _expired(certificate: x509.Certificate, now: datetime) -> bool:
    return now >= certificate.not_valid_after_utc


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _pair(certificate: x509.Certificate, key: bytes) -> Pair | None:
    private = serialization.load_pem_private_key(key, password=None)
    if not isinstance(private, ec.EllipticCurvePrivateKey) or certificate.public_key() != private.public_key():
        return None
    return Pair(certificate, private)
