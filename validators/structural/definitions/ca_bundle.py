"""The certificates of a conversion webhook: whether a client can load them.

Source: client-go, ``transport/transport.go`` (rootCertPool); Go, ``encoding/pem`` and ``crypto/x509``.
"""

import base64
import binascii
import re
from typing import Final

from ovnguard.validators.lazy_pattern import lazy_pattern

_CERTIFICATE: Final = "CERTIFICATE"
_LEAD: Final = "unable to load root certificates: "
_BLOCK: Final = lazy_pattern(
    rb"(?:\A|(?<=\n))-----BEGIN (?P<type>[^\n]*?)-----[ \t\r]*\n"
    rb"(?P<headers>(?:[^\n:]+:[^\n]*\n)*)(?P<body>[A-Za-z0-9+/=\s]*?)"
    rb"-----END (?P=type)-----[ \t\r]*(?:\n|\Z)"
)


def bundle_fault(bundle: bytes) -> str:
    """Return Go's complaint about a bundle without a certificate; "" for one that can be used, and for an empty one."""
    if not bundle:
        return ""
    blocks = list(_blocks(bundle))
    certificates = [body for kind, body in blocks if kind == _CERTIFICATE]
    if any(map(_is_certificate, certificates)):
        return ""
    if certificates:
        return f"{_LEAD}failed to parse certificate: x509: malformed certificate"
    rest = bundle[max((found.end() for found in _BLOCK.finditer(bundle)), default=0) :]
    return _LEAD + ("unable to parse bytes as PEM block" if rest else "no valid certificate authority data seen")


def _blocks(bundle: bytes) -> list[tuple[str, bytes]]:
    """Return the type and the content of each PEM block; one with headers has no type."""
    found = []
    for block in _BLOCK.finditer(bundle):
        try:
            body = base64.b64decode(re.sub(rb"\s", b"", block["body"]), validate=True)
        except binascii.Error:
            continue
        found.append(("" if block["headers"] else block["type"].decode(errors="replace"), body))
    return found


def _is_certificate(der: bytes) -> bool:
    from cryptography.x509 import load_der_x509_certificate  # few definitions have a bundle

    try:
        load_der_x509_certificate(der)
    except ValueError:
        return False
    return True
