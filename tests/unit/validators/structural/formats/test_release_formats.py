"""What is in a format and what is not; confirmed by the API server's own code, release 1.35."""

import pytest

from ovnguard.validators.structural.formats.release_formats import Formats, formats_of

ACCEPTED = {
    "ipv4": ["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"],
    "ipv6": ["::1", "::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4"],
    "cidr": ["1.2.3.4/24", "::/0", "::ffff:1.2.3.4/96", "1.2.3.4/08"],
    "mac": ["00:00:5e:00:53:01", "00-00-5e-00-53-01", "0000.5e00.5301", "02:00:5e:10:00:00:00:01"],
    "uri": [
        "/a",
        "http://a/b?c",
        "mailto:x",
        "http://[::1]:80/x",
        "*",
        "http://a:99999",
        "http://ä/",
        "http://[::1%25a%20b]/",
    ],
    "email": ["a@b", "A <a@b.c>", '"a b"@c', "a@[1.2.3.4]", "g: a@b;", "a@b (c)", "=?utf-8?q?a?= <a@b>"],
    "hostname": ["A", "a.example", "é.com"],
    "uuid": ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B8109DAD11D180B400C04FD430C8"],
    "uuid3": ["6ba7b810-9dad-31d1-80b4-00c04fd430c8"],
    "uuid4": ["6ba7b810-9dad-41d1-80b4-00c04fd430c8"],
    "uuid5": ["6ba7b810-9dad-51d1-80b4-00c04fd430c8"],
    "byte": ["YQ==", "YWI=", "YWJj"],
    "date": ["2020-02-29", "0000-02-29"],
    "date-time": ["2020-01-01T00:00:00Z", "2020-01-01t00:00:00.123456789012z", "2020-01-01T23:59:59+99:99"],
    "duration": ["1h", "1h30m", "-1.5h", "0", "1 day", "2 weeks", "1d2h", "5secs", ".5s"],
    "password": ["", "anything"],
    "creditcard": ["4220 8554 2622 2389"],
    "ssn": ["123-45-6789"],
    "hexcolor": ["#fff", "FFFFFF"],
    "rgbcolor": ["rgb(0, 31, 255)"],
    "isbn": ["0321751043", "978-0321751041"],
    "isbn10": ["3 401 01319 X"],
    "isbn13": ["978-0321751041"],
    "bsonobjectid": ["507f1f77bcf86cd799439011"],
    "k8s-short-name": ["a-b"],
    "k8s-long-name": ["a.b-c"],
}
# An address must not have these escapes, and neither must a zone.
ZONES = ["http://[fe80::1%b5eth0]/", "http://[fe80::1%25%12]/", "http://[fe80::1%25%b2]/"]
REFUSED = {
    "ipv4": ["::1", "1.2.3", "1.2.3.256", "", "1.2.3.4.5"],
    "ipv6": ["1.2.3.4", "fe80::1%eth0", ":::", "1::2::3", "1:", ":1", "12345::"],
    "cidr": ["10.0.0.0/33", "::/129", "1.2.3.4", "1.2.3.4/-1", "1.2.3.4/"],
    "mac": ["00:00", "00:00:5e:00:53", "0000.5e00.530", "00:00:5e-00-53-01"],
    "uri": [
        "",
        "a",
        "../a",
        "http://a b",
        "http://a:b",
        "http://%zz",
        ":a",
        "http://[1.2.3.4]/",
        "/a%zz",
        "a\x7f",
        *ZONES,
    ],
    "email": ["a", "a@", "@b", "a b@c", "a.@b", "a..b@c", "a@[x]", "g: ;", "a@b (c", "=?x?q?a?= <a@b>"],
    "hostname": ["a.b", "a_b", "-a", "a.", "1.2.3.4", "x" * 64],
    "uuid": ["x", "6ba7b810-9dad-11d1-80b4-00c04fd430c"],
    "uuid4": ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
    "byte": ["", "YQ", "_-8=", "YQ==\n"],
    "date": ["2020-1-1", "2020-13-01", "2021-02-29"],
    "date-time": ["2020-01-01", "2020-01-01T00:00:00", "2020-01-01T24:00:00Z", "2020-01-01T00:00:60Z"],
    "duration": ["", "3", "99999999999999999999 days"],
    "creditcard": ["4220855426213389", ""],
    "ssn": ["123456789"],
    "hexcolor": ["#ffff"],
    "rgbcolor": ["rgb(0, 31, 256)", "rgb(01,1,1)"],
    "isbn": ["foo"],
    "isbn13": ["978-0321751042"],
    "bsonobjectid": ["507f"],
    "k8s-short-name": ["A", "a" * 64, "a.b"],
    "k8s-long-name": ["a..b", "A.b"],
}


def cases(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, text) for name, texts in table.items() for text in texts]


@pytest.mark.parametrize(("name", "text"), cases(ACCEPTED))
def test_accepted(name: str, text: str) -> None:
    check = formats_of(35).checker(name)
    assert check is not None
    assert check(text)


@pytest.mark.parametrize(("name", "text"), cases(REFUSED))
def test_refused(name: str, text: str) -> None:
    check = formats_of(35).checker(name)
    assert check is not None
    assert not check(text)


def test_dashes_in_names_do_not_count_and_unknown_names_are_dropped() -> None:
    formats = formats_of(35)
    assert formats.checker("datetime") is formats.checker("date-time")
    assert (formats.kept("date-time"), formats.kept("int32"), formats.kept("")) == ("date-time", "", "")
    assert formats.checker("int32") is None
    assert formats_of(33).checker("k8s-long-name") is None
    assert formats_of(35).kept("date", ("integer",)) == "date"
    assert Formats.all(35).kept("int32") == "int32"


@pytest.mark.parametrize(
    ("types", "kept"),
    [
        ((), ["date"]),
        (("string",), ["date"]),
        (("integer", "string"), ["date"]),
        (("integer",), ["int32", "int64"]),
        (("number",), ["float", "double"]),
        (("object",), []),
        (("boolean",), []),
    ],
)
def test_formats_of_each_type_since_1_36(types: tuple[str, ...], kept: list[str]) -> None:
    names = ("date", "int32", "int64", "float", "double", "uint32")
    assert [name for name in names if formats_of(36).kept(name, types)] == kept
    assert (formats_of(36).checker("date", types) is not None) == ("date" in kept)
    assert [name for name in names if Formats.all(36).kept(name, types)] == list(names)
