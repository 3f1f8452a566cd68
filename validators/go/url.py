"""URLs as Go's ``net/url`` (1.25 and 1.26) parses them, with its error texts.

Go 1.26 refuses colons in the host of http and https. API servers do so if their modules ask for Go 1.26, as those of
Kubernetes 1.36 do. A function with ``strict`` parses as those.

As in Go, text is processed byte by byte: apart from `request_fault` and `is_request_uri`, functions take and return
strings with one character per byte (`as_bytes`, `as_text`).
"""

from typing import Final, NamedTuple

from ovnguard.validators.go.netip import AddressError, Zoned, parse_addr
from ovnguard.validators.go.text import quote
from ovnguard.validators.lazy_pattern import lazy_pattern

# What each part may contain without an escape.
_UNRESERVED: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
HOST: Final = _UNRESERVED | frozenset("!$&'()*+,;=:[]<>\"")
PATH: Final = _UNRESERVED | frozenset("$&+,/:;=@")
_IN_USERINFO: Final = _UNRESERVED | frozenset("$&+,;=")
_USERINFO: Final = _UNRESERVED | frozenset("!$&'()*+,;=%@:")
VALID_PATH: Final = PATH | frozenset("!'()*[]%")
_SCHEME: Final = lazy_pattern(r"[a-zA-Z][a-zA-Z0-9+.-]*")
_ESCAPE: Final = lazy_pattern(r"%([0-9a-fA-F]{2})")
PORT: Final = lazy_pattern(r"(?::[0-9]*)?")
STRICT_SINCE: Final = 36
"""The minor number of the first Kubernetes release that is strict."""
_STRICT_SCHEMES: Final = frozenset({"http", "https"})
_CONTROL: Final = lazy_pattern(r"[\x00-\x1f\x7f]")


class BadURL(Exception):
    """The text is not a URL. The message is the reason."""


class Parts(NamedTuple):
    """The parts of a URL without its fragment. ``force_query``: a ``?`` with an empty query."""

    scheme: str = ""
    opaque: str = ""
    userinfo: str | None = None
    host: str = ""
    path: str = ""
    raw_path: str = ""
    query: str = ""
    force_query: bool = False


def as_bytes(text: str) -> str:
    """Return one character per byte of the text in UTF-8."""
    return text.encode(errors="surrogatepass").decode("latin-1")


def as_text(held: str) -> str:
    """Return the text of such bytes."""
    return held.encode("latin-1").decode(errors="replace")


def escape(held: str, allowed: frozenset[str]) -> str:
    """Return the text with percent escapes for all bytes that are not ``allowed``."""
    return "".join(rune if rune in allowed else f"%{ord(rune):02X}" for rune in held)


def unescape(held: str, *, host: bool = False, zone: bool = False, plus: bool = False) -> str:
    """Return the text with percent escapes replaced. Raises `BadURL`."""
    at = held.find("%")
    while at >= 0:
        found = _ESCAPE.match(held, at)
        code = int(found[1], 16) if found else 0
        bad = found is None or (host and code < 0x80 and found[0] != "%25")
        if zone and found is not None and found[0] != "%25":
            bad = chr(code) != " " and chr(code) not in HOST
        if bad:
            raise BadURL(f"invalid URL escape {quote(as_text(held[at : at + 3]))}")
        at = held.find("%", at + 3)
    if host or zone:
        for rune in _ESCAPE.sub("", held):
            if rune < "\x80" and rune not in HOST:
                raise BadURL(f"invalid character {quote(rune)} in host name")
    if plus:
        held = held.replace("+", " ")
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), held)


def _scheme(held: str) -> tuple[str, str]:
    if held.startswith(":"):
        raise BadURL("missing protocol scheme")
    found = _SCHEME.match(held)
    if found and held[found.end() : found.end() + 1] == ":":
        return found[0].lower(), held[found.end() + 1 :]
    return "", held


def parse(held: str, *, request: bool, strict: bool = False) -> Parts:
    """Parse a URL. Raises `BadURL`. ``request``: it must be absolute, and ``#`` is not special."""
    if _CONTROL.search(held):
        raise BadURL("net/url: invalid control character in URL")
    if not held and request:
        raise BadURL("empty url")
    if held == "*":
        return Parts(path="*")
    scheme, rest = _scheme(held)
    force = rest.endswith("?") and rest.count("?") == 1
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return Parts(scheme, rest, query=query, force_query=force)
        if request:
            raise BadURL("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise BadURL("first path segment in URL cannot contain colon")
    user: str | None = None
    host = ""
    if (scheme or (not request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, rest = rest[2:].partition("/")
        rest = f"{slash}{rest}"
        user, host = _authority(authority, strict=strict and scheme in _STRICT_SCHEMES)
    path = unescape(rest)
    return Parts(scheme, "", user, host, path, "" if rest == escape(path, PATH) else rest, query, force)


def _authority(held: str, *, strict: bool) -> tuple[str | None, str]:
    user, at, host = held.rpartition("@")
    parsed = _host(host, strict=strict)
    if not at:
        return None, parsed
    if not set(user) <= _USERINFO:
        raise BadURL("net/url: invalid userinfo")
    for part in user.split(":", 1):
        unescape(part)
    return user, parsed


def _host(held: str, *, strict: bool) -> str:
    bracket = held.rfind("[")
    if bracket > 0:
        raise BadURL("invalid IP-literal")
    if bracket == 0:
        return _literal(held)
    colon = held.find(":") if strict else held.rfind(":")
    if colon >= 0 and PORT.fullmatch(held[colon:]) is None:
        raise BadURL(f"invalid port {quote(as_text(held[colon:]))} after host")
    return unescape(held, host=True)


def _literal(held: str) -> str:
    """Parse a host in brackets."""
    close = held.rfind("]")
    if close < 0:
        raise BadURL("missing ']' in host")
    port = held[close + 1 :]
    if PORT.fullmatch(port) is None:
        raise BadURL(f"invalid port {quote(as_text(port))} after host")
    name = held[1:close]
    zone = name.find("%25")
    if zone >= 0:
        name = unescape(name[:zone], host=True) + unescape(name[zone:], zone=True)
    else:
        name = unescape(name, host=True)
    try:
        if parse_addr(as_text(name))[0] == 4:
            raise BadURL("invalid IP-literal")
    except AddressError as fault:
        raise BadURL(f"invalid host: {fault}") from None
    except Zoned:
        pass
    return f"[{name}]{port}"


def parse_reference(text: str, *, strict: bool = False) -> tuple[Parts, str]:
    """Return the parts of a URL and its fragment as written, as Go's ``url.Parse`` finds them. Raises `BadURL`."""
    plain, _, fragment = text.partition("#")
    try:
        made = parse(as_bytes(plain), request=False, strict=strict)
    except BadURL as refused:
        raise BadURL(f"parse {quote(plain)}: {refused}") from None
    try:
        unescape(as_bytes(fragment))
    except BadURL as refused:
        raise BadURL(f"parse {quote(text)}: {refused}") from None
    return made, as_bytes(fragment)


def userinfo_text(held: str) -> str:
    """Return user and password of a URL with Go's choice of escapes."""
    return ":".join(escape(unescape(part), _IN_USERINFO) for part in held.split(":", 1))


def request_fault(text: str, *, strict: bool = False) -> str | None:
    """Return why Go's ``ParseRequestURI`` refuses the text, or None."""
    try:
        parse(as_bytes(text), request=True, strict=strict)
    except BadURL as fault:
        return f"parse {quote(text)}: {fault}"
    return None


def is_request_uri(text: str, *, strict: bool = False) -> bool:
    """Return whether the text is an absolute URI or an absolute path."""
    return request_fault(text, strict=strict) is None
