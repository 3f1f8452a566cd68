"""Whether a certificate names the host of an ssl: remote. OVSDB's library verifies the authority, but no name.

Source: RFC 9525, section 6: only subjectAltName counts, and a wildcard is the whole leftmost label. The certificate has
the form of `ssl.SSLSocket.getpeercert`.
"""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any


def foreign_certificate(remote: str, certificate: Mapping[str, Any]) -> str:
    """Return why the certificate does not belong to the host of ``ssl:HOST:PORT``; "" if it does."""
    host = remote.removeprefix("ssl:").rpartition(":")[0].removeprefix("[").removesuffix("]")
    names = [(kind, name) for kind, name in certificate.get("subjectAltName", ()) if kind in {"DNS", "IP Address"}]
    if any(_is_name(host, kind, name) for kind, name in names):
        return ""
    listed = ", ".join(name for _, name in names) or "no host"
    return f"the server's certificate is for {listed}, not for {host}"


def _is_name(host: str, kind: str, name: str) -> bool:
    if kind == "IP Address":
        try:
            return ip_address(host) == ip_address(name.strip())
        except ValueError:
            return False
    wanted, certified = (text.lower().removesuffix(".") for text in (host, name))
    first, _, rest = wanted.partition(".")
    return wanted == certified or (certified == f"*.{rest}" and bool(first) and "." in rest)
