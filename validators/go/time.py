"""RFC 3339 times as Go's ``time.Parse`` reads them, with its errors: element by element, from the left."""

from datetime import UTC, datetime, timedelta
from typing import Final

from validators.go.text import quote

_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"
_ZONE: Final = "Z07:00"
# Literal before it, name in the layout, whether one digit suffices, smallest and largest value, its name in errors.
_ELEMENTS: Final = (
    ("-", "01", False, 1, 12, "month"),
    ("-", "02", False, 0, 99, "day"),
    ("T", "15", True, 0, 23, "hour"),
    (":", "04", False, 0, 59, "minute"),
    (":", "05", False, 0, 59, "second"),
)
_DIGITS: Final = frozenset("0123456789")


class BadTime(ValueError):
    """The text is not a time. The message is Go's."""


def canonical_time(text: str) -> str:
    """Return the time in UTC with whole seconds, as metav1.Time writes it, or "" for Go's zero time.

    Raises `BadTime` for anything that is not RFC 3339, and for a time outside the years 1 to 9999.
    """
    reader = _Reader(text)
    year, *numbers = reader.date_and_time()
    fraction = reader.fraction()
    offset = reader.zone()
    if reader.rest:
        raise BadTime(f"parsing time {quote(text)}: extra text: {quote(reader.rest)}")
    month, day, hour, minute, second = numbers
    try:
        when = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - offset
    except ValueError:
        # Go has a year 0. metav1.Time cannot write years before 1 either, but reports that elsewhere.
        raise BadTime(f"parsing time {quote(text)}: day out of range") from None
    except OverflowError:
        raise BadTime(f"parsing time {quote(text)}: year is out of range") from None
    if when == datetime(1, 1, 1, tzinfo=UTC) and not fraction.strip("0"):
        return ""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.rest = text

    def date_and_time(self) -> list[int]:
        """Year, month, day, hour, minute, second."""
        if len(self.rest) < 4 or not set(self.rest[:4]) <= _DIGITS:
            raise self._unparsable("2006", self.rest)
        numbers = [int(self.rest[:4])]
        self.rest = self.rest[4:]
        for literal, name, short, low, high, called in _ELEMENTS:
            if not self.rest.startswith(literal):
                raise self._unparsable(literal, self.rest)
            self.rest = self.rest[1:]
            number = self._number(name, short=short)
            if not low <= number <= high:
                raise self._out_of_range(called)
            numbers.append(number)
        return numbers

    def _number(self, name: str, *, short: bool) -> int:
        size = 2 if len(self.rest) > 1 and self.rest[1] in _DIGITS else 1
        if not self.rest or self.rest[0] not in _DIGITS or (size == 1 and not short):
            raise self._unparsable(name, self.rest)
        number, self.rest = int(self.rest[:size]), self.rest[size:]
        return number

    def fraction(self) -> str:
        """The digits after a dot or comma; "" if there are none."""
        if len(self.rest) < 2 or self.rest[0] not in ".," or self.rest[1] not in _DIGITS:
            return ""
        tail = self.rest[1:].lstrip("0123456789")
        digits = self.rest[1 : len(self.rest) - len(tail)]
        self.rest = tail
        return digits

    def zone(self) -> timedelta:
        """Return the offset from UTC."""
        if self.rest.startswith("Z"):
            self.rest = self.rest[1:]
            return timedelta()
        zone = self.rest[:6]
        if len(zone) < 6 or zone[3] != ":" or not set(zone[1:3] + zone[4:]) <= _DIGITS:
            raise self._unparsable(_ZONE, self.rest)
        hours, minutes = int(zone[1:3]), int(zone[4:])
        if zone[0] not in "+-":
            raise self._unparsable(_ZONE, self.rest)
        self.rest = self.rest[6:]
        # Some programs write offsets of 24 hours and 60 minutes, so Go allows them.
        if hours > 24 or minutes > 60:
            raise self._out_of_range("time zone offset minute" if minutes > 60 else "time zone offset hour")
        return timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)

    def _unparsable(self, name: str, rest: str) -> BadTime:
        return BadTime(
            f"parsing time {quote(self.text)} as {quote(_LAYOUT)}: cannot parse {quote(rest)} as {quote(name)}"
        )

    def _out_of_range(self, what: str) -> BadTime:
        return BadTime(f"parsing time {quote(self.text)}: {what} out of range")
