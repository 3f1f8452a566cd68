"""Library ``url``: URLs as Go's ``net/url`` reads them.

As in Go, text is processed byte by byte: inside this module a string has one character per byte.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes URL library"; Go package ``net/url``.
"""

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from validators.cel.errors import EvalError
from validators.cel.overload_declaration import Overload, overload
from validators.cel.values import CelMap
from validators.go.netip import AddressError, Zoned, parse_addr
from validators.go.text import quote

_UNRESERVED: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
_HOST: Final = _UNRESERVED | frozenset("!$&'()*+,;=:[]<>\"")
_PATH: Final = _UNRESERVED | frozenset("$&+,/:;=@")
_USERINFO: Final = _UNRESERVED | frozenset("!$&'()*+,;=%@:")
_VALID_PATH: Final = _PATH | frozenset("!'()*[]%")
_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*")
_ESCAPE: Final = re.compile(r"%([0-9a-fA-F]{2})")
_PORT: Final = re.compile(r"(?::[0-9]*)?")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class _Refused(Exception):
    """The text is not a URL. The message is the reason."""


@dataclass(frozen=True, slots=True)
class URL:
    """A parsed URL. Two are equal if they have the same text after Go's normalisation."""

    TYPE_NAME: ClassVar[str] = "kubernetes.URL"
    scheme: str
    opaque: str
    userinfo: str | None
    host: str
    path: str
    raw_path: str
    query: str
    fragment: str
    force_query: bool = False

    def __str__(self) -> str:
        lead = f"{self.scheme}:" if self.scheme else ""
        if self.opaque:
            body = self.opaque
        else:
            user = "" if self.userinfo is None else f"{self.userinfo}@"
            authority = f"//{user}{_escape(self.host, _HOST)}" if self.host or user or self._rooted() else ""
            body = f"{authority}{self.escaped_path()}"
        tail = f"?{self.query}" if self.query or self.force_query else ""
        return _text(f"{lead}{body}{tail}{f'#{self.fragment}' if self.fragment else ''}")

    def _rooted(self) -> bool:
        return bool(self.scheme) and self.path.startswith("//")

    def hostname(self) -> str:
        """The host without port and brackets."""
        host = self.host
        colon = host.rfind(":")
        if colon >= 0 and _PORT.fullmatch(host[colon:]):
            host = host[:colon]
        return host[1:-1] if host.startswith("[") and host.endswith("]") else host

    def port(self) -> str:
        """The port's digits, "" if there are none."""
        colon = self.host.rfind(":")
        return self.host[colon + 1 :] if colon >= 0 and _PORT.fullmatch(self.host[colon:]) else ""

    def escaped_path(self) -> str:
        """The path in its escaped form, or as Go escapes it."""
        if self.raw_path and set(self.raw_path) <= _VALID_PATH:
            return self.raw_path
        return "*" if self.path == "*" else _escape(self.path, _PATH)


def _bytes(text: str) -> str:
    return text.encode(errors="surrogatepass").decode("latin-1")


def _text(held: str) -> str:
    return held.encode("latin-1").decode(errors="replace")


def _escape(held: str, allowed: frozenset[str]) -> str:
    return "".join(rune if rune in allowed else f"%{ord(rune):02X}" for rune in held)


def _unescape(held: str, *, host: bool = False, zone: bool = False, plus: bool = False) -> str:
    """Return the text with percent escapes replaced. Raises `_Refused`."""
    at = held.find("%")
    while at >= 0:
        found = _ESCAPE.match(held, at)
        code = int(found[1], 16) if found else 0
        bad = found is None or (host and code < 0x80 and found[0] != "%25")
        if zone and found is not None and found[0] != "%25":
            bad = chr(code) != " " and chr(code) not in _HOST
        if bad:
            raise _Refused(f"invalid URL escape {quote(_text(held[at : at + 3]))}")
        at = held.find("%", at + 3)
    if host or zone:
        for rune in _ESCAPE.sub("", held):
            if rune < "\x80" and rune not in _HOST:
                raise _Refused(f"invalid character {quote(rune)} in host name")
    if plus:
        held = held.replace("+", " ")
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), held)


def _scheme(held: str) -> tuple[str, str]:
    if held.startswith(":"):
        raise _Refused("missing protocol scheme")
    found = _SCHEME.match(held)
    if found and held[found.end() : found.end() + 1] == ":":
        return found[0].lower(), held[found.end() + 1 :]
    return "", held


def _parse(held: str, *, request: bool) -> URL:
    """Parse a URL. Raises `_Refused`. ``request``: it must be absolute, and ``#`` is not special."""
    if _CONTROL.search(held):
        raise _Refused("net/url: invalid control character in URL")
    if not held and request:
        raise _Refused("empty url")
    if held == "*":
        return URL("", "", None, "", "*", "", "", "")
    scheme, rest = _scheme(held)
    force = rest.endswith("?") and rest.count("?") == 1
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return URL(scheme, rest, None, "", "", "", query, "", force)
        if request:
            raise _Refused("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise _Refused("first path segment in URL cannot contain colon")
    user: str | None = None
    host = ""
    if (scheme or (not request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, rest = rest[2:].partition("/")
        rest = f"{slash}{rest}"
        user, host = _authority(authority)
    path = _unescape(rest)
    return URL(scheme, "", user, host, path, "" if rest == _escape(path, _PATH) else rest, query, "", force)


def _authority(held: str) -> tuple[str | None, str]:
    user, at, host = held.rpartition("@")
    parsed = _host(host)
    if not at:
        return None, parsed
    if not set(user) <= _USERINFO:
        raise _Refused("net/url: invalid userinfo")
    for part in user.split(":", 1):
        _unescape(part)
    return user, parsed


def _host(held: str) -> str:
    bracket = held.rfind("[")
    if bracket > 0:
        raise _Refused("invalid IP-literal")
    if bracket == 0:
        return _literal(held)
    colon = held.rfind(":")
    if colon >= 0 and _PORT.fullmatch(held[colon:]) is None:
        raise _Refused(f"invalid port {quote(_text(held[colon:]))} after host")
    return _unescape(held, host=True)


def _literal(held: str) -> str:
    """Parse a host in brackets."""
    close = held.rfind("]")
    if close < 0:
        raise _Refused("missing ']' in host")
    port = held[close + 1 :]
    if _PORT.fullmatch(port) is None:
        raise _Refused(f"invalid port {quote(_text(port))} after host")
    name = held[1:close]
    zone = name.find("%25")
    if zone >= 0:
        name = _unescape(name[:zone], host=True) + _unescape(name[zone:], zone=True)
    else:
        name = _unescape(name, host=True)
    try:
        if parse_addr(_text(name))[0] == 4:
            raise _Refused("invalid IP-literal")
    except AddressError as fault:
        raise _Refused(f"invalid host: {fault}") from None
    except Zoned:
        pass
    return f"[{name}]{port}"


def request_fault(text: str) -> str | None:
    """Return why Go's ``ParseRequestURI`` refuses the text, or None."""
    try:
        _parse(_bytes(text), request=True)
    except _Refused as fault:
        return f"parse {quote(text)}: {fault}"
    return None


def is_url(text: str) -> bool:
    """``isURL(text)``."""
    return request_fault(text) is None


def url(text: str) -> URL:
    """``url(text)``. Raises `EvalError`."""
    lead = "URL parse error during conversion from string: "
    fault = request_fault(text)
    if fault is not None:
        raise EvalError(f"{lead}{fault}")
    plain, _, fragment = text.partition("#")
    try:
        made = _parse(_bytes(plain), request=False)
    except _Refused as refused:
        raise EvalError(f"{lead}parse {quote(plain)}: {refused}") from None
    if not fragment:
        return made
    try:
        _unescape(_bytes(fragment))
    except _Refused as refused:
        raise EvalError(f"{lead}parse {quote(text)}: {refused}") from None
    return URL(
        made.scheme,
        made.opaque,
        made.userinfo,
        made.host,
        made.path,
        made.raw_path,
        made.query,
        _bytes(fragment),
        made.force_query,
    )


def query_of(held: URL) -> CelMap:
    """``url.getQuery()``: values by name. Pairs with ``;`` or bad escapes are left out."""
    found: dict[str, list[str]] = {}
    for pair in held.query.split("&"):
        if not pair or ";" in pair:
            continue
        name, _, value = pair.partition("=")
        try:
            plain, inner = _unescape(name, plus=True), _unescape(value, plus=True)
        except _Refused:
            continue
        found.setdefault(_text(plain), []).append(_text(inner))
    return CelMap(found.items())


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("string_to_url", "url(string) -> URL", url),
        overload("url_get_scheme", "URL.getScheme() -> string", lambda held: held.scheme),
        overload("url_get_host", "URL.getHost() -> string", lambda held: _text(held.host)),
        overload("url_get_hostname", "URL.getHostname() -> string", lambda held: _text(held.hostname())),
        overload("url_get_port", "URL.getPort() -> string", lambda held: held.port()),
        overload("url_get_escaped_path", "URL.getEscapedPath() -> string", lambda held: held.escaped_path()),
        overload("url_get_query", "URL.getQuery() -> map(string, list(string))", query_of),
        overload("is_url_string", "isURL(string) -> bool", is_url),
    ]
