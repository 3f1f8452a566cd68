"""Times as Go's ``time.Parse`` takes them: RFC 3339 and plain dates."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from validators.gotext import quote

_RFC3339: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)([.,]\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"


class BadTime(ValueError):
    """A text that is no time; the message is Go's."""


def canonical_time(text: str) -> str:
    """The time in UTC with whole seconds, as metav1.Time writes it; "" for Go's zero time.

    Raises `BadTime` for anything that is not RFC 3339.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise BadTime(_complaint(text))
    numbers = [int(part) for part in match.group(1, 2, 3, 4, 5, 6)]
    try:
        when = datetime(*numbers, tzinfo=UTC)  # type: ignore[arg-type,misc,unused-ignore] # six numbers fit
    except ValueError:
        raise BadTime(_range_complaint(text, numbers)) from None
    zone = match.group(8)
    if zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[4:6])
        if hours > 24 or minutes > 59:
            raise BadTime(
                f"parsing time {quote(text)}: time zone offset {'hour' if hours > 24 else 'minute'} out of range"
            )
        offset = timedelta(hours=hours, minutes=minutes)
        try:
            when = when - offset if zone[0] == "+" else when + offset
        except OverflowError:
            raise BadTime(f"parsing time {quote(text)}: year is out of range") from None
    if when == datetime(1, 1, 1, tzinfo=UTC) and not (match.group(7) or "").strip(".,0"):
        return ""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def _range_complaint(text: str, numbers: list[int]) -> str:
    month, day, hour, minute, second = numbers[1:]
    part = "day"
    if not 1 <= month <= 12:
        part = "month"
    elif day <= 31 and (hour > 23 or minute > 59 or second > 59):
        part = "hour" if hour > 23 else "minute" if minute > 59 else "second"
    return f"parsing time {quote(text)}: {part} out of range"


def _complaint(text: str) -> str:
    """Where the text leaves the layout, in Go's words."""
    layout_parts: tuple[tuple[str, str], ...] = (
        ("2006", r"\d{4}"),
        ("-", "-"),
        ("01", r"\d\d"),
        ("-", "-"),
        ("02", r"\d\d"),
        ("T", "T"),
    )
    layout_parts += (("15", r"\d\d?"), (":", ":"), ("04", r"\d\d"), (":", ":"), ("05", r"\d\d"))
    rest = text
    for name, pattern in layout_parts:
        match = re.match(pattern, rest, re.ASCII)
        if match is None:
            return f"parsing time {quote(text)} as {quote(_LAYOUT)}: cannot parse {quote(rest)} as {quote(name)}"
        rest = rest[match.end() :]
    rest = re.sub(r"^[.,]\d+", "", rest)
    zone = re.match(r"Z|[+-]\d\d:\d\d", rest)
    if zone is None:
        return f"parsing time {quote(text)} as {quote(_LAYOUT)}: cannot parse {quote(rest)} as {quote('Z07:00')}"
    return f"parsing time {quote(text)}: extra text: {quote(rest[zone.end() :])}"
