"""One reader of times for all of Go's layouts that the API server uses."""

import pytest

from ovnguard.validators.go.time import DATE, LOCAL_TIME, MICROSECONDS, RFC3339, BadTime, Instant, parse_time

SECOND = 1_000_000_000
DAY = 86400 * SECOND


@pytest.mark.parametrize(
    ("text", "layout", "expected"),
    [
        ("1970-01-01T00:00:00Z", RFC3339, (0, 0)),
        ("1970-01-02T00:00:00.5+01:30", RFC3339, (DAY - 5400 * SECOND + SECOND // 2, 5400)),
        ("1970-01-01T1:00:00,1234567891-24:60", RFC3339, (3600 * SECOND + 90000 * SECOND + 123456789, -90000)),
        ("2000-02-29", DATE, (11016 * DAY, 0)),
        ("0000-02-29", DATE, (-719469 * DAY, 0)),
        ("1970-01-01T00:00:01.25", LOCAL_TIME, (SECOND * 5 // 4, 0)),
        ("1970-01-01T00:00:01,250000+00:01", MICROSECONDS, (SECOND * 5 // 4 - 60 * SECOND, 60)),
    ],
)
def test_instant(text: str, layout: str, expected: tuple[int, int]) -> None:
    assert parse_time(text, layout) == Instant(*expected)


@pytest.mark.parametrize(
    ("text", "layout", "message"),
    [
        ("1900-02-29", DATE, 'parsing time "1900-02-29": day out of range'),
        ("2020-13-01", DATE, 'parsing time "2020-13-01": month out of range'),
        ("2020-01-01Z", DATE, 'parsing time "2020-01-01Z": extra text: "Z"'),
        ("2020-1-01", DATE, 'parsing time "2020-1-01" as "2006-01-02": cannot parse "1-01" as "01"'),
        # an hour may have one digit, and a fraction belongs to the second although the layout has none
        (
            "2020-01-01T5:4:0",
            LOCAL_TIME,
            f'parsing time "2020-01-01T5:4:0" as "{LOCAL_TIME}": cannot parse "4:0" as "04"',
        ),
        *(
            (
                f"2020-01-01T05:04:03{rest}",
                MICROSECONDS,
                f'parsing time "2020-01-01T05:04:03{rest}" as "{MICROSECONDS}": cannot parse "{rest}" as {wanted}',
            )
            for rest, wanted in (("Z", '".000000"'), (".5Z", '".000000"'), (".12345xZ", '".000000"'))
        ),
        (
            "2020-01-01T05:04:03.1234567Z",
            MICROSECONDS,
            f'parsing time "2020-01-01T05:04:03.1234567Z" as "{MICROSECONDS}": cannot parse "7Z" as "Z07:00"',
        ),
        ("2020-01-01T05:04:03.5Z", LOCAL_TIME, 'parsing time "2020-01-01T05:04:03.5Z": extra text: "Z"'),
        (
            "2020-01-01T5:04:03",
            RFC3339,
            f'parsing time "2020-01-01T5:04:03" as "{RFC3339}": cannot parse "" as "Z07:00"',
        ),
    ],
)
def test_error(text: str, layout: str, message: str) -> None:
    with pytest.raises(BadTime) as raised:
        parse_time(text, layout)
    assert str(raised.value) == message
