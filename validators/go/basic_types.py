"""The Go types that JSON decodes into, except lists, maps and structs: strings, booleans, numbers, bytes, times."""

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ovnguard.validators.go.base64 import base64_error
from ovnguard.validators.go.composite_types import ListOf, pointer
from ovnguard.validators.go.json_decode import Decoder
from ovnguard.validators.go.json_syntax import Number
from ovnguard.validators.go.text import INT64_MAX, INT64_MIN, go_syntax
from ovnguard.validators.go.time import BadTime, canonical_time


class Scalar(NamedTuple):
    """A string, bool or number. ``accepts`` returns the content, or None for another type."""

    name: str
    accepts: Callable[[Any], Any]
    zero: Any = ""
    pointer: bool = False

    @property
    def unset(self) -> Any:
        """Nothing behind a pointer, else the zero value."""
        return None if self.pointer else self.zero

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `Kind`."""
        made = self.accepts(at.scalar(value))
        if made is None:
            return at.complain(value, held, self.name, digits=self.zero == 0 and self.zero is not False)
        return None if at.drops_zeros and made == self.zero and not self.pointer else made

    def same(self, left: Any, right: Any) -> bool:
        """See `Kind`."""
        return type(left) is type(right) and bool(left == right)

    def shown(self, value: Any) -> Any:
        """See `Kind`."""
        return value

    def go_syntax(self, value: Any, package: str) -> str:
        """See `Kind`."""
        if self.pointer:
            return pointer(self.name, value, package)
        return go_syntax(self.zero if value is None else value)


def _text(value: Any) -> Any:
    return value if type(value) is str else None


def _flag(value: Any) -> Any:
    return value if type(value) is bool else None


def _int64(value: Any) -> Any:
    return value if type(value) is int and INT64_MIN <= value <= INT64_MAX else None


def _int32(value: Any) -> Any:
    return value if type(value) is int and -(2**31) <= value < 2**31 else None


def _float64(value: Any) -> Any:
    return float(value) if type(value) in {int, float} else None


def text(name: str = "string", *, pointer: bool = False) -> Scalar:
    """Return a string type."""
    return Scalar(name, _text, "", pointer)


FLAG: Final = Scalar("bool", _flag, False)
FLAG_POINTER: Final = Scalar("bool", _flag, False, True)
INT64: Final = Scalar("int64", _int64, 0)
INT64_POINTER: Final = Scalar("int64", _int64, 0, True)
INT: Final = Scalar("int", _int64, 0)
INT32: Final = Scalar("int32", _int32, 0)
INT32_POINTER: Final = Scalar("int32", _int32, 0, True)
FLOAT64_POINTER: Final = Scalar("float64", _float64, 0, True)
TEXT: Final = text()
TEXT_POINTER: Final = text(pointer=True)


class Plain:
    """A type whose content is compared and printed as it is."""

    name = ""
    unset = None

    def same(self, left: Any, right: Any) -> bool:
        """See `Kind`."""
        return bool(left == right)

    def shown(self, value: Any) -> Any:
        """See `Kind`."""
        return value

    def go_syntax(self, value: Any, package: str) -> str:
        """See `Kind`."""
        return pointer(self.name, value, package)


class Anything(Plain):
    """The empty interface of a parsed text: it accepts every value except a number that exceeds float64."""

    name = "interface {}"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `Kind`."""
        # In the order of the text, and without recursion: a text may nest deeper than Python's call stack.
        left = [value]
        while left:
            part = left.pop()
            members = at.members(part)
            if members is not None:
                left += reversed([inner for _, inner in members])
            elif part.__class__ is list:
                left += reversed(part)
            elif isinstance(part, Number) and math.isinf(float(part.text)):
                at.complain(part, held, "float64", digits=True)
        return value


class Time(Plain):
    """``metav1.Time``, which decodes itself; its content is the text that it is written as."""

    name = "string"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `Kind`."""
        try:
            return canonical_time(at.inside(TEXT_POINTER, value)) or None
        except BadTime as fault:
            raise at.stop(str(fault)) from None


class Bytes(Plain):
    """A slice of bytes: base64, or a list of numbers."""

    name = "[]uint8"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `Kind`."""
        if type(value) is list:
            return _NUMBERS.read(value, held, at)
        if type(value) is not str:
            return at.complain(value, held, self.name)
        complaint = base64_error(value)
        if complaint:
            at.say(complaint)
        return value


ANYTHING: Final = Anything()
_NUMBERS: Final = ListOf(Scalar("uint8", lambda one: one if type(one) is int and 0 <= one < 256 else None, 0))
