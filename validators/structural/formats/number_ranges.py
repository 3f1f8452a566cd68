"""The ranges of numbers that a schema's type and format allow, as API servers from 1.36 on check them.

Source: kube-openapi, package ``pkg/validation/validate`` (values.go, IsValueValidAgainstRange). The server writes a
number in decimal digits and reads them as the type. The digits of a float are the fewest that name it, so that 2**63
is written as 9223372036854776000.
"""

from decimal import Decimal
from typing import Final, NamedTuple

from ovnguard.validators.go.text import INT64_MAX, INT64_MIN
from ovnguard.validators.structural.schema.schema import Schema

SINCE: Final = 36
"""The minor number of the first release with these checks."""
_EXACT: Final = 2.0**53
"""Below it, the fewest digits of a whole float are all of them."""
_INT32: Final = (-(2**31), 2**31 - 1)
_FLOAT32: Final = 2**128 - 2**103
"""The largest float whose digits round to one of 32 bits."""


class Range(NamedTuple):
    """The numbers of a type and format. ``name`` is that of messages; ``keyword`` decides the range."""

    name: str
    keyword: str
    low: int
    high: int
    whole: bool = True

    def has(self, value: float) -> bool:
        """Return whether a number can be read as this type."""
        if self.whole and type(value) is float:
            if not value.is_integer():
                return False
            value = int(value) if abs(value) < _EXACT else int(Decimal(repr(value)))
        return self.low <= value <= self.high

    def complaint(self, what: str, path: str) -> str:
        """Return the text of a number that cannot be read."""
        return f"{what} value must be of type {self.name} in {path}"


_INTEGER: Final = Range("integer (default format)", "type", INT64_MIN, INT64_MAX)
_INTEGERS: Final = {
    "int32": Range("integer with format int32", "format", *_INT32),
    "int64": Range("integer with format int64", "format", INT64_MIN, INT64_MAX),
}
_FLOAT: Final = Range("number with format float", "format", -_FLOAT32, _FLOAT32, whole=False)


def range_of(schema: Schema) -> Range | None:
    """Return the range of a node, None if any number will do: for a double, for two types, and for none."""
    if schema.types == ("integer",):
        return _INTEGERS.get(schema.format, _INTEGER)
    return _FLOAT if schema.types == ("number",) and schema.format == "float" else None
