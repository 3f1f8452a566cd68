"""Functions of the Kubernetes environment that cel-python lacks, as plain callables by name.

cel-python knows no receivers: a member call is a call with the receiver first.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from validators.cel.errors import EvalError
from validators.cel.library.cidr import CIDR, cidr, contains_cidr, contains_ip, is_cidr
from validators.cel.library.ip import IP, ip, is_ip


def _ip(value: Any) -> Any:
    return value.address if isinstance(value, CIDR) else ip(str(value))


def _index_of(value: Any, wanted: Any, start: int = 0) -> int:
    if isinstance(value, str):
        return value.find(wanted, start)
    return next((at for at, item in enumerate(value) if item == wanted), -1)


def _char_at(value: str, at: int) -> str:
    if not 0 <= at <= len(value):
        raise EvalError(f"index out of range: {at}")
    return value[at : at + 1]


def _substring(value: str, start: int, end: int | None = None) -> str:
    stop = len(value) if end is None else int(end)
    if not 0 <= start <= len(value):
        raise EvalError(f"index out of range: {start}")
    if not 0 <= stop <= len(value):
        raise EvalError(f"index out of range: {stop}")
    if start > stop:
        raise EvalError(f"invalid substring range. start: {start}, end: {stop}")
    return value[start:stop]


def _split(value: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if not separator:
        return list(value) if limit < 0 else [*value[: limit - 1], value[limit - 1 :]]
    return value.split(separator, -1 if limit < 0 else limit - 1)


def python_functions() -> Mapping[str, Callable[..., Any]]:
    """Name to callable over plain values; the caller wraps the results for the engine."""
    return {
        "ip": _ip,
        "isIP": lambda value: is_ip(str(value)),
        "cidr": lambda value: cidr(str(value)),
        "isCIDR": lambda value: is_cidr(str(value)),
        "family": lambda value: value.family,
        "prefixLength": lambda value: value.length,
        "masked": lambda value: value.masked(),
        "containsIP": lambda value, other: contains_ip(value, other if isinstance(other, IP) else str(other)),
        "containsCIDR": lambda value, other: contains_cidr(value, other if isinstance(other, CIDR) else str(other)),
        "isUnspecified": lambda value: value.is_unspecified,
        "isLoopback": lambda value: value.is_loopback,
        "isLinkLocalMulticast": lambda value: value.is_link_local_multicast,
        "isLinkLocalUnicast": lambda value: value.is_link_local_unicast,
        "isGlobalUnicast": lambda value: value.is_global_unicast,
        "charAt": _char_at,
        "indexOf": _index_of,
        "lowerAscii": lambda value: "".join(c.lower() if c.isascii() else c for c in value),
        "upperAscii": lambda value: "".join(c.upper() if c.isascii() else c for c in value),
        "replace": lambda value, old, new, limit=-1: value.replace(old, new, limit),
        "split": _split,
        "substring": _substring,
        "trim": lambda value: value.strip(),
        "join": lambda value, separator="": separator.join(value),
        "sum": lambda value: sum(value[1:], value[0]) if value else 0,
        "isSorted": lambda value: all(one <= other for one, other in pairwise(value)),
    }
