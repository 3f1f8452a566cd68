"""Library ``url``: URLs as Go's ``net/url`` reads them.

As in `validators.go.url`, a string inside this module has one character per byte.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes URL library"; Go package ``net/url``.
"""

from dataclasses import dataclass
from typing import ClassVar

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import CelMap
from ovnguard.validators.go.url import (
    HOST,
    PATH,
    PORT,
    VALID_PATH,
    BadURL,
    as_text,
    escape,
    is_request_uri,
    parse_reference,
    request_fault,
    unescape,
)


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
    force_query: bool = False
    fragment: str = ""

    def __str__(self) -> str:
        lead = f"{self.scheme}:" if self.scheme else ""
        if self.opaque:
            body = self.opaque
        else:
            user = "" if self.userinfo is None else f"{self.userinfo}@"
            authority = f"//{user}{escape(self.host, HOST)}" if self.host or user or self._rooted() else ""
            body = f"{authority}{self.escaped_path()}"
        tail = f"?{self.query}" if self.query or self.force_query else ""
        return as_text(f"{lead}{body}{tail}{f'#{self.fragment}' if self.fragment else ''}")

    def _rooted(self) -> bool:
        return bool(self.scheme) and self.path.startswith("//")

    def hostname(self) -> str:
        """The host without port and brackets."""
        host = self.host
        colon = host.rfind(":")
        if colon >= 0 and PORT.fullmatch(host[colon:]):
            host = host[:colon]
        return host[1:-1] if host.startswith("[") and host.endswith("]") else host

    def port(self) -> str:
        """The port's digits, "" if there are none."""
        colon = self.host.rfind(":")
        return self.host[colon + 1 :] if colon >= 0 and PORT.fullmatch(self.host[colon:]) else ""

    def escaped_path(self) -> str:
        """The path in its escaped form, or as Go escapes it."""
        if self.raw_path and set(self.raw_path) <= VALID_PATH:
            return self.raw_path
        return "*" if self.path == "*" else escape(self.path, PATH)


def url(text: str, *, strict: bool = False) -> URL:
    """``url(text)``. Raises `EvalError`. ``strict`` as in `validators.go.url`."""
    lead = "URL parse error during conversion from string: "
    fault = request_fault(text, strict=strict)
    if fault is not None:
        raise EvalError(f"{lead}{fault}")
    try:
        made, fragment = parse_reference(text, strict=strict)
    except BadURL as refused:
        raise EvalError(f"{lead}{refused}") from None
    return URL(*made, fragment)


def query_of(held: URL) -> CelMap:
    """``url.getQuery()``: values by name. Pairs with ``;`` or bad escapes are left out."""
    found: dict[str, list[str]] = {}
    for pair in held.query.split("&"):
        if not pair or ";" in pair:
            continue
        name, _, value = pair.partition("=")
        try:
            plain, inner = unescape(name, plus=True), unescape(value, plus=True)
        except BadURL:
            continue
        found.setdefault(as_text(plain), []).append(as_text(inner))
    return CelMap(found.items())


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("string_to_url", "url(string) -> URL", url),
        overload("url_get_scheme", "URL.getScheme() -> string", lambda held: held.scheme),
        overload("url_get_host", "URL.getHost() -> string", lambda held: as_text(held.host)),
        overload("url_get_hostname", "URL.getHostname() -> string", lambda held: as_text(held.hostname())),
        overload("url_get_port", "URL.getPort() -> string", lambda held: held.port()),
        overload("url_get_escaped_path", "URL.getEscapedPath() -> string", lambda held: held.escaped_path()),
        overload("url_get_query", "URL.getQuery() -> map(string, list(string))", query_of),
        overload("is_url_string", "isURL(string) -> bool", is_request_uri),
    ]
