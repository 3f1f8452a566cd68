"""URIs as Go's ``url.ParseRequestURI`` accepts them (net/url of Go 1.25 and 1.26)."""

import ipaddress
import re
from typing import Final

_CONTROL: Final = re.compile("[\x00-\x1f\x7f]")
_SCHEME: Final = re.compile("([a-zA-Z][a-zA-Z0-9+.-]*):")
_BAD_ESCAPE: Final = re.compile("%(?![0-9a-fA-F]{2})")
_ASCII_ESCAPE: Final = re.compile("%(?!25)[0-7]")
_PORT: Final = re.compile("(:[0-9]*)?")
_USERINFO: Final = re.compile(r"[A-Za-z0-9._:~!$&'()*+,;=%@-]*")
# What a host may contain unescaped, besides everything that is not ASCII.
_HOST: Final = re.compile("(?:[A-Za-z0-9_.~!$&'()*+,;=:\\[\\]<>\"%-]|[^\x00-\x7f])*")
_ZONE: Final = re.compile("(?:[A-Za-z0-9_.~!$&'()*+,;=:\\[\\]<>\"%-]|[^\x00-\x7f])*")


def is_request_uri(text: str) -> bool:
    """Return whether the text is an absolute URI or an absolute path."""
    if not text or _CONTROL.search(text):
        return False
    if text == "*":
        return True
    if text.startswith(":"):
        return False
    match = _SCHEME.match(text)
    scheme = match[1].lower() if match else ""
    rest = text[match.end() :] if match else text
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        return bool(scheme)
    if scheme and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        if not _is_authority(authority):
            return False
        rest = slash + path
    return not _BAD_ESCAPE.search(rest)


def _is_authority(text: str) -> bool:
    user, at, host = text.rpartition("@")
    if not _is_host(host):
        return False
    return not at or (_USERINFO.fullmatch(user) is not None and not _BAD_ESCAPE.search(user))


def _is_host(host: str) -> bool:
    bracket = host.rfind("[")
    if bracket > 0:
        return False
    if bracket == 0:
        return _is_literal(host)
    # Servers are built with the setting that allows colons in a host before its port.
    colon = host.rfind(":")
    return (colon < 0 or _PORT.fullmatch(host[colon:]) is not None) and _is_host_text(host)


def _is_host_text(text: str) -> bool:
    return bool(_HOST.fullmatch(text)) and not _BAD_ESCAPE.search(text) and not _ASCII_ESCAPE.search(text)


def _is_literal(host: str) -> bool:
    end = host.rfind("]")
    if end < 0 or not _PORT.fullmatch(host[end + 1 :]):
        return False
    address, percent, zone = host[1:end].partition("%25")
    if not _is_host_text(address) or (percent and (not zone or _BAD_ESCAPE.search(zone) or not _ZONE.fullmatch(zone))):
        return False
    try:
        return ipaddress.ip_address(address).version == 6
    except ValueError:
        return False
