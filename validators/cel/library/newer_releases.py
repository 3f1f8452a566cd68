"""Functions of releases after 1.35, where they differ: with Go 1.26, URLs have no colons in their host."""

from collections.abc import Iterator
from typing import Final

from validators.cel.library import k8s_url
from validators.cel.library.named_format import FORMATS, Format
from validators.cel.overload_declaration import Overload, overload
from validators.cel.values import NONE, Optional
from validators.go.url import STRICT_SINCE, is_request_uri, request_fault


def url(text: str) -> k8s_url.URL:
    """``url(text)``."""
    return k8s_url.url(text, strict=True)


def is_url(text: str) -> bool:
    """``isURL(text)``."""
    return is_request_uri(text, strict=True)


def _faults(text: str) -> list[str]:
    fault = request_fault(text, strict=True)
    return [] if fault is None else [fault]


_URI: Final = Format("URI", _faults, FORMATS["uri"].max_regex_size)
_FORMATS: Final = {**FORMATS, "uri": _URI}


def uri() -> Format:
    """``format.uri()``."""
    return _URI


def named(name: str) -> Optional:
    """``format.named(name)``."""
    found = _FORMATS.get(name)
    return NONE if found is None else Optional(present=True, value=found)


def replacements(release: int) -> Iterator[Overload]:
    """Yield the overloads that replace those with the same ids."""
    if release >= STRICT_SINCE:
        for made in (
            overload("string_to_url", "url(string) -> URL", url),
            overload("is_url_string", "isURL(string) -> bool", is_url),
            overload("format.uri", ":format.uri() -> Format", uri),
            overload("format-named", ":format.named(string) -> optional(Format)", named),
        ):
            yield made.of_release(release)
