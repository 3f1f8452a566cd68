"""Reads values of unvalidated FRRConfigurations: a value of the wrong type counts as absent."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from ovnguard.validators.go.text import quote
from ovnguard.validators.network.declared.node_values import BadValueError, parse_interface, parse_ip
from ovnguard.validators.network.model import IPAddress

FAMILIES: Final = {4: "ipv4", 6: "ipv6"}
DUAL: Final = "dual"
_WORD: Final = re.compile(r"[!-~]{1,253}")
# Enough for the addresses of the nodes of a large cluster, and the subnets of their pods.
_KEPT: Final = 8192


class FrrError(ValueError):
    """A fault at a field of the parsed object, in frr-k8s' words."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field
        self.text = text


def number(value: object) -> int | None:
    """Return the value if it is an integer, else None."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def texts(value: object) -> list[str]:
    """Return the strings of a list."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def mappings(value: object) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Iterate over the mappings of a list, with their paths."""
    if isinstance(value, list):
        for index, each in enumerate(value):
            # most mappings are dictionaries, for which this check is much faster
            if each.__class__ is dict or isinstance(each, Mapping):
                yield index, each


def check_word(field: str, kind: str, value: str) -> None:
    """Raise FrrError for a text that is not one word of frr.conf, which frr-k8s would write there nevertheless."""
    if value and not _WORD.fullmatch(value):
        text = f"{kind} {quote(value)} cannot be a word of frr.conf: it needs 1 to 253 ASCII characters without spaces"
        raise FrrError(field, text)


@lru_cache(_KEPT)
def address_of(text: str) -> IPAddress | None:
    """Return the address in a text, None when it is not one or has a zone; one that is mapped to IPv6 is IPv4."""
    try:
        return _unmapped(parse_ip(text))
    except BadValueError:
        return None


@lru_cache(_KEPT)
def family_of_address(text: str) -> str:
    """Return ``ipv4`` or ``ipv6`` of an address without zone, or empty when the text is not one."""
    found = address_of(text)
    return "" if found is None else FAMILIES[found.version]


@lru_cache(_KEPT)
def family_of_prefix(prefix: str) -> str:
    """Return ``ipv4`` or ``ipv6`` of a prefix, which may have host bits set; or empty when the text is not a prefix."""
    try:
        found = parse_interface(prefix)
    except BadValueError:
        return ""
    return FAMILIES[_unmapped(found.ip).version]


def _unmapped(address: IPAddress) -> IPAddress:
    return address if address.version == 4 else address.ipv4_mapped or address
