"""Parts of timestamps and durations, with and without a time zone.

Source: CEL language definition, "Date and Time Functions"; zones are names of the IANA database or ``+hh:mm``.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import Duration, Timestamp
from ovnguard.validators.go.duration import SECOND
from ovnguard.validators.go.integers import BadNumber, atoi, wrapped
from ovnguard.validators.go.time import FIRST_SECOND, LAST_SECOND


class _Local(NamedTuple):
    """A moment in a time zone. The calendar repeats every 400 years, so ``date`` may be in a year that Python has."""

    date: datetime
    years: int


_PARTS: Final[dict[str, tuple[str, Callable[[_Local], int]]]] = {
    "getFullYear": ("year", lambda at: at.date.year + at.years),
    "getMonth": ("month", lambda at: at.date.month - 1),
    "getDayOfYear": ("day_of_year", lambda at: at.date.timetuple().tm_yday - 1),
    "getDayOfMonth": ("day_of_month", lambda at: at.date.day - 1),
    "getDate": ("day_of_month_1_based", lambda at: at.date.day),
    "getDayOfWeek": ("day_of_week", lambda at: at.date.isoweekday() % 7),
    "getHours": ("hours", lambda at: at.date.hour),
    "getMinutes": ("minutes", lambda at: at.date.minute),
    "getSeconds": ("seconds", lambda at: at.date.second),
}
_SPANS: Final = {"getHours": ("hours", 3600), "getMinutes": ("minutes", 60), "getSeconds": ("seconds", 1)}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FOUR_CENTURIES: Final = 146097 * 86400
_DAY: Final = 86400
_MINUTE: Final = 60 * SECOND


def _in_zone(moment: Timestamp, zone: str | None) -> _Local:
    seconds = moment.nanos // SECOND
    shift = 0 if zone is None else _offset(zone, seconds)
    cycles, rest = divmod(seconds + shift, _FOUR_CENTURIES)
    return _Local(_EPOCH + timedelta(seconds=rest), 400 * cycles)


def _offset(zone: str, seconds: int) -> int:
    """Return the seconds east of UTC at that moment."""
    if ":" in zone:
        hours, _, minutes = zone.partition(":")
        try:
            hour, minute = atoi(hours), atoi(minutes)
        except BadNumber as fault:
            raise EvalError(str(fault)) from None
        nanos = wrapped((hour * 60 - minute if zone.startswith("-") else hour * 60 + minute) * _MINUTE)
        return int(_toward_zero(nanos, SECOND))
    if zone in {"", "UTC", "Local"}:
        return 0
    try:
        found = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise EvalError(f"unknown time zone {zone}") from None
    if not FIRST_SECOND + _DAY < seconds < LAST_SECOND - _DAY:
        # Python has no time in the next year. The rules of a zone are the same 400 years away.
        seconds += _FOUR_CENTURIES if seconds < 0 else -_FOUR_CENTURIES
    shift = (_EPOCH + timedelta(seconds=seconds)).astimezone(found).utcoffset()
    return 0 if shift is None else int(shift.total_seconds())


def _timestamp_part(part: Callable[[_Local], int]) -> Callable[..., int]:
    def get(moment: Timestamp, zone: str | None = None) -> int:
        return part(_in_zone(moment, zone))

    return get


def _milliseconds(moment: Timestamp, zone: str | None = None) -> int:
    if zone is not None:
        _offset(zone, moment.nanos // SECOND)
    return moment.nanos % SECOND // 1_000_000


def _span(unit: int) -> Callable[[Duration], int]:
    def get(span: Duration) -> int:
        return _toward_zero(span.nanos, unit * SECOND)

    return get


def _toward_zero(amount: int, unit: int) -> int:
    return amount // unit if amount >= 0 else -(-amount // unit)


def declarations() -> list[Overload]:
    """All overloads of this library."""
    made = []
    for function, (name, part) in _PARTS.items():
        get = _timestamp_part(part)
        made.append(overload(f"timestamp_to_{name}", f"timestamp.{function}() -> int", get))
        made.append(overload(f"timestamp_to_{name}_with_tz", f"timestamp.{function}(string) -> int", get))
    for function, (name, unit) in _SPANS.items():
        made.append(overload(f"duration_to_{name}", f"duration.{function}() -> int", _span(unit)))
    return [
        *made,
        overload("timestamp_to_milliseconds", "timestamp.getMilliseconds() -> int", _milliseconds),
        overload("timestamp_to_milliseconds_with_tz", "timestamp.getMilliseconds(string) -> int", _milliseconds),
        overload(
            "duration_to_milliseconds",
            "duration.getMilliseconds() -> int",
            lambda span: _toward_zero(span.nanos, 1_000_000),
        ),
    ]
