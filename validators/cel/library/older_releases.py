"""Functions of older releases, where their cel-go or apiserver differs.

Source: those releases, read and measured: apiserver ``pkg/cel/library/cidr.go`` (until 1.31; the last patches of 1.32
have the new one), cel-go ``ext/strings.go`` 0.20 (until 1.31) and 0.23 (until 1.33), ``ext/formatting.go`` 0.22 (until
1.32) and 0.17 (until 1.30), ``common/types/int.go`` 0.17.7 (1.29).
"""

from collections.abc import Iterator
from typing import Final

from ovnguard.validators.cel.library import format_string, strings
from ovnguard.validators.cel.library.cidr import cidr
from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import Value
from ovnguard.validators.cel.values.net_values import CIDR

_LAST_WITH_NARROW_SPACES: Final = 32
_LAST_WITH_EXACT_PREFIXES: Final = 31
_LAST_WITH_PLAIN_OPTIONALS: Final = 30
_LAST_WITHOUT_NANOSECONDS: Final = 29
_LAST_WITH_STRICT_OFFSETS: Final = 31
_LAST_WITH_STRICT_ENDS: Final = 33


def contains_cidr(prefix: CIDR, other: CIDR | str) -> bool:
    """``CIDR.containsCIDR``: true only for prefixes that begin where the network does."""
    other = cidr(other) if isinstance(other, str) else other
    return prefix.masked() == CIDR(other.address, prefix.length) and prefix.length <= other.length


def _within(text: str, part: str, at: int) -> None:
    if part and not 0 <= at < len(text):
        raise EvalError(f"index out of range: {at}")


def index_of(text: str, part: str, start: int = 0) -> int:
    """``string.indexOf``: an offset at or after the end is an error."""
    _within(text, part, start)
    return strings.index_of(text, part, start)


def last_index_in(text: str, part: str) -> int:
    """``string.lastIndexOf``: an empty text has no last index."""
    if part and not text:
        raise EvalError("index out of range: -1")
    return strings.last_index_of(text, part)


def last_index_of(text: str, part: str, start: int) -> int:
    """``string.lastIndexOf`` with an offset: an offset at or after the end is an error."""
    _within(text, part, start)
    return strings.last_index_of(text, part, start)


def format_text(text: str, arguments: Value) -> str:
    """``string.format``: ``%e`` puts narrow no-break spaces around the times sign."""
    return format_string.format_string(text, arguments, times="\u202f×\u202f")


def format_before_31(text: str, arguments: Value) -> str:
    """The same, where the type of optionals has another name."""
    try:
        return format_text(text, arguments)
    except EvalError as fault:
        raise EvalError(str(fault).replace("was given optional_type", "was given optional")) from None


def no_duration(_nanos: int) -> Value:
    """``duration`` of a number."""
    raise EvalError("type conversion error from 'int' to 'google.protobuf.Duration'")


def replacements(release: int) -> Iterator[Overload]:
    """Yield the overloads that replace those with the same ids."""
    if release <= _LAST_WITHOUT_NANOSECONDS:
        yield overload("int64_to_duration", "duration(int) -> duration", no_duration).of_release(release)
    if release <= _LAST_WITH_EXACT_PREFIXES:
        for made in (
            overload("cidr_contains_cidr_string", "CIDR.containsCIDR(string) -> bool", contains_cidr),
            overload("cidr_contains_cidr", "CIDR.containsCIDR(CIDR) -> bool", contains_cidr),
        ):
            yield made.of_release(release)
    if release <= _LAST_WITH_NARROW_SPACES:
        call = format_text if release > _LAST_WITH_PLAIN_OPTIONALS else format_before_31
        yield overload("string_format", "string.format(list(dyn)) -> string", call).of_release(release)
    if release <= _LAST_WITH_STRICT_ENDS:
        made = overload("string_last_index_of_string", "string.lastIndexOf(string) -> int", last_index_in)
        yield made.of_release(release)
    if release <= _LAST_WITH_STRICT_OFFSETS:
        for made in (
            overload("string_index_of_string", "string.indexOf(string) -> int", index_of),
            overload("string_index_of_string_int", "string.indexOf(string, int) -> int", index_of),
            overload("string_last_index_of_string_int", "string.lastIndexOf(string, int) -> int", last_index_of),
        ):
            yield made.of_release(release)
