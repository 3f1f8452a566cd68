"""Times as Go's ``time.Parse`` reads them, with its errors: element by element, from the left."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final, NamedTuple

from ovnguard.validators.go.duration import SECOND
from ovnguard.validators.lazy_pattern import lazy_pattern

RFC3339: Final = "2006-01-02T15:04:05Z07:00"
MICROSECONDS: Final = "2006-01-02T15:04:05.000000Z07:00"
LOCAL_TIME: Final = "2006-01-02T15:04:05"
DATE: Final = "2006-01-02"
# The first and last second of the years that metav1.Time writes, 1 to 9999.
FIRST_SECOND: Final = -62135596800
LAST_SECOND: Final = 253402300799
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ZONE: Final = "Z07:00"
_SECOND: Final = "05"
_FRACTION: Final = ".000000"
_PIECE: Final = lazy_pattern(r"2006|01|02|15|04|05|\.000000|Z07:00|.")
# Whether one digit suffices, smallest and largest value, name in errors. Go checks the day of the month last.
_NUMBERS: Final = {
    "01": (False, 1, 12, "month"),
    "02": (False, 0, 99, "day"),
    "15": (True, 0, 23, "hour"),
    "04": (False, 0, 59, "minute"),
    "05": (False, 0, 59, "second"),
}
_DIGITS: Final = frozenset("0123456789")


class BadTime(ValueError):
    """The text is not a time. The message is Go's."""


class Instant(NamedTuple):
    """Nanoseconds since the Unix epoch, and the offset from UTC in seconds."""

    nanos: int
    offset: int


def parse_time(text: str, layout: str = RFC3339) -> Instant:
    """Return the instant; it is in UTC when the layout has no zone. Raises `BadTime`."""
    return _Reader(text, layout).instant()


def canonical_time(text: str) -> str:
    """Return the time in UTC with whole seconds, as metav1.Time writes it, or "" for Go's zero time.

    Raises `BadTime` for anything that is not RFC 3339, and for a time outside the years 1 to 9999.
    """
    seconds, fraction = divmod(parse_time(text).nanos, SECOND)
    if text.startswith("0000"):
        # Go has a year 0. metav1.Time cannot write years before 1 either, but reports that elsewhere.
        raise BadTime(f"parsing time {_quoted(text)}: day out of range")
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        raise BadTime(f"parsing time {_quoted(text)}: year is out of range")
    if seconds == FIRST_SECOND and not fraction:
        return ""
    return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


@cache
def _pieces(layout: str) -> tuple[str, ...]:
    return tuple(_PIECE.findall(layout))


class _Reader:
    def __init__(self, text: str, layout: str) -> None:
        self.text = text
        self.layout = layout
        self.rest = text

    def instant(self) -> Instant:
        """Read the whole text."""
        numbers = {"15": 0, "04": 0, _SECOND: 0}
        fraction = offset = 0
        for piece in _pieces(self.layout):
            if piece == "2006":
                numbers[piece] = self.year()
            elif piece in _NUMBERS:
                numbers[piece] = self.number(piece)
            elif piece == _ZONE:
                offset = self.zone()
            elif piece == _FRACTION:
                fraction = self.exact_fraction()
            elif self.rest.startswith(piece):
                self.rest = self.rest[1:]
            else:
                raise self._unparsable(piece)
            if piece == _SECOND and _FRACTION not in self.layout:
                fraction = self.fraction()
        if self.rest:
            raise BadTime(f"parsing time {_quoted(self.text)}: extra text: {_quoted(self.rest)}")
        year, month, day = numbers["2006"], numbers["01"], numbers["02"]
        if not 1 <= day <= _days(year, month):
            raise self._out_of_range("day")
        seconds = _days_before(year, month, day) * 86400 + numbers["15"] * 3600 + numbers["04"] * 60 + numbers[_SECOND]
        return Instant((seconds - offset) * SECOND + fraction, offset)

    def year(self) -> int:
        """Four digits."""
        if len(self.rest) < 4 or not set(self.rest[:4]) <= _DIGITS:
            raise self._unparsable("2006")
        number, self.rest = int(self.rest[:4]), self.rest[4:]
        return number

    def number(self, piece: str) -> int:
        """One or two digits."""
        short, low, high, called = _NUMBERS[piece]
        size = 2 if len(self.rest) > 1 and self.rest[1] in _DIGITS else 1
        if not self.rest or self.rest[0] not in _DIGITS or (size == 1 and not short):
            raise self._unparsable(piece)
        number, self.rest = int(self.rest[:size]), self.rest[size:]
        if not low <= number <= high:
            raise self._out_of_range(called)
        return number

    def fraction(self) -> int:
        """The nanoseconds after a dot or comma, which no layout names; more digits than nine are cut off."""
        if len(self.rest) < 2 or self.rest[0] not in ".," or self.rest[1] not in _DIGITS:
            return 0
        tail = self.rest[1:].lstrip("0123456789")
        digits = self.rest[1 : len(self.rest) - len(tail)]
        self.rest = tail
        return int(digits[:9].ljust(9, "0"))

    def exact_fraction(self) -> int:
        """The nanoseconds of a dot or comma and as many digits as the layout names."""
        size = len(_FRACTION)
        digits = self.rest[1:size]
        if len(digits) + 1 < size or self.rest[0] not in ".," or not set(digits) <= _DIGITS:
            raise self._unparsable(_FRACTION)
        self.rest = self.rest[size:]
        return int(digits) * 1000

    def zone(self) -> int:
        """The offset from UTC in seconds."""
        if self.rest.startswith("Z"):
            self.rest = self.rest[1:]
            return 0
        zone = self.rest[:6]
        well_formed = len(zone) == 6 and zone[0] in "+-" and zone[3] == ":" and set(zone[1:3] + zone[4:]) <= _DIGITS
        if not well_formed:
            raise self._unparsable(_ZONE)
        hours, minutes = int(zone[1:3]), int(zone[4:])
        self.rest = self.rest[6:]
        # Some programs write offsets of 24 hours and 60 minutes, so Go allows them.
        if hours > 24 or minutes > 60:
            raise self._out_of_range("time zone offset minute" if minutes > 60 else "time zone offset hour")
        return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)

    def _unparsable(self, piece: str) -> BadTime:
        unread = f"cannot parse {_quoted(self.rest)} as {_quoted(piece)}"
        return BadTime(f"parsing time {_quoted(self.text)} as {_quoted(self.layout)}: {unread}")

    def _out_of_range(self, what: str) -> BadTime:
        return BadTime(f"parsing time {_quoted(self.text)}: {what} out of range")


def _quoted(text: str) -> str:
    """Return the text as the errors of ``time.Parse`` print it: other characters than ASCII as bytes."""
    return '"' + "".join(map(_quoted_rune, text)) + '"'


def _quoted_rune(rune: str) -> str:
    if " " <= rune < "\x80":
        return f"\\{rune}" if rune in {'"', "\\"} else rune
    # A Go string holds no half of a surrogate pair: its JSON decoder replaces one with U+FFFD.
    known = "\ufffd" if "\ud800" <= rune <= "\udfff" else rune
    return "".join(f"\\x{byte:02x}" for byte in known.encode())


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days(year: int, month: int) -> int:
    return 28 + _leap(year) if month == 2 else 30 + (month + month // 8) % 2


def _days_before(year: int, month: int, day: int) -> int:
    """Return the days from the Unix epoch. As in Go, there is a year 0."""
    past = year - 1
    days = past * 365 + past // 4 - past // 100 + past // 400 - 719162
    return days + sum(_days(year, one) for one in range(1, month)) + day - 1
