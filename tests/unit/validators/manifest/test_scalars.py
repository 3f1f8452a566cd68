import pytest

from ovnguard.validators.manifest.scalars import resolve

# What kubectl's YAML library (go-yaml v2) makes of a plain scalar.
CASES = [
    ("", None),
    ("~", None),
    ("Null", None),
    ("yes", True),
    ("On", True),
    ("n", False),
    ("off", False),
    ("oN", "oN"),
    ("0", 0),
    ("-0", 0),
    ("12", 12),
    ("+12", 12),
    ("1_000", 1000),
    ("0777", 511),
    ("0o17", 15),
    ("0x1F", 31),
    ("-0b11", -3),
    ("089", 89),
    ("18446744073709551615", 18446744073709551615.0),
    ("1.5", 1.5),
    ("1.0", 1),
    ("1e3", 1000),
    ("1e400", "1e400"),
    (".5", 0.5),
    ("1.", 1),
    ("64512:59", "64512:59"),
    ("10:20:30:40:50:10", "10:20:30:40:50:10"),
    ("2001-01-01", "2001-01-01"),
    ("2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z"),
    ("10.0.0.0/8", "10.0.0.0/8"),
    ("fd00::1", "fd00::1"),
    ("-", "-"),
    ("=", "="),
    ("0a:58:0a:80:00:01", "0a:58:0a:80:00:01"),
]


@pytest.mark.parametrize(("text", "value"), CASES)
def test_plain_scalar(text, value):
    resolved = resolve(text)
    assert resolved == value
    assert type(resolved) is type(value)


@pytest.mark.parametrize("text", [".inf", "-.Inf", ".NaN"])
def test_numbers_that_json_cannot_carry(text):
    with pytest.raises(ValueError, match="is not a JSON number"):
        resolve(text)
