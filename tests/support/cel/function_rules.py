"""Seeded rules about functions of the libraries: amounts, numbers, times, formats and values of another type."""

import random
from typing import Final

_SUFFIXES: Final = (
    *("", "", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e0", "e3", "e-3"),
    *("E5", "e19", "e-10", "e18", "e9", "e40", "e", "i", "K", "e+3", "e9223372036854775808"),
)
_BARE: Final = ("", ".", "-", "+", "-.", "00", "0.0", "-0", "000.", "1.", "9223372036854775807", "-9223372036854775808")
_NUMBERS: Final = (
    *("1_000", "1__0", "_1", "0x1p3", "0x_1.8p-1", "0x1p99999", "0x1p-99999", "1e400", "1e-400", "+1", "inf", "-nan"),
    *("infinity", "nan", "1.5e1_0", ".5", "5.", "0x.8p0", "0x1", "000000000000000000000000012", "1e5", " 1", "1u", ""),
)
_SPANS: Final = ("9223372036854775807ns", "-9223372036854775808ns", "2562047h", "1ns", "0.1234567891234567891s", "1.5h")
_TIMES: Final = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2000-02-29T12:00:00.5+01:00")
_ZONES: Final = ("-23:00", "23:59", "99999:00", "9223372036854775808:00", ":", "UTC", "Europe/Paris", "x:1", "-5:3_0")
_CLAUSES: Final = ("e", "f", "0e", "3e", "20e", "65540e", "10000019e", "0f", "2f", "300f", "40000f", "10000019f")
_DOUBLES: Final = (
    "1.5",
    "-0.0",
    "1e300",
    "5e-324",
    "1234567.125",
    "double('NaN')",
    "double('-inf')",
    "-0.001",
    "'NaN'",
)
_SCHEMES: Final = ("http://", "https://", "HTTP://", "ftp://", "mongodb://", "//", "", "http:", "urn:")
_HOSTS: Final = ("a", "a:b", "u@a", "u:p@a:1", "[::1]", "[::1", "::1", "1.2.3.4", "a,b:1,c", "é", "", "%41", "a b")
_PORTS: Final = ("", ":", ":80", ":80:80", ":a", "::1", ":1:")
_VALUES: Final = (
    *("1", "1u", "1.5", "'a'", "b'a'", "null", "true", "[1]", "[[1]]", "{'a': 1}", "int", "type(1)", "duration('1s')"),
    *("timestamp(0)", "optional.of(1)", "optional.none()", "ip('1.2.3.4')", "quantity('1')", "[self]", "{self: 1}"),
)
_NAMES: Final = (
    *("x", ".x", "self", ".self", "int", ".int", "net", "net.IP", "size", "type", "__result__", "a.b", "true", "1"),
)
_OFFSETS: Final = ("0", "-1", "2", "3", "4", "9223372036854775807")


class FunctionRules:
    """Makes rules for an integer property; most of them compile."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._makers = (
            self._amount,
            self._number,
            self._time,
            self._clause,
            self._of_any,
            self._name,
            self._key,
            self._url,
            self._search,
        )

    def rule(self) -> str:
        """Any rule."""
        return self._random.choice(self._makers)()

    def _digits(self, *counts: int) -> str:
        rng = self._random
        return "".join(rng.choice("0000123456789") for _ in range(rng.choice(counts)))

    def _quantity(self) -> str:
        rng = self._random
        text = (
            rng.choice(_BARE) if rng.random() < 0.2 else rng.choice(("", "-", "+")) + self._digits(0, 1, 3, 15, 18, 20)
        )
        if "." not in text and rng.random() < 0.4:
            text += "." + self._digits(0, 1, 3, 9, 10, 18)
        made = f"quantity('{text}{rng.choice(_SUFFIXES)}')"
        if rng.random() < 0.3:
            added = rng.choice(("0", "1", "-1", "9223372036854775807", "-9223372036854775807 - 1", self._quantity()))
            made += f".{rng.choice(('add', 'sub'))}({added})"
        return made

    def _amount(self) -> str:
        one, other = self._quantity(), self._quantity()
        return self._random.choice(
            (
                *(f"{one}.isInteger()", f"{one}.asInteger() > 0", f"string({one}.asApproximateFloat()) == '1'"),
                *(
                    f"{one}.compareTo({other}) == 1",
                    f"{one} == {other}",
                    f"sign({one}) > 0",
                    f"{one}.isLessThan({other})",
                ),
            )
        )

    def _number(self) -> str:
        text = self._random.choice((*_NUMBERS, self._digits(1, 19, 30), f"{self._digits(1, 3)}e{self._digits(1, 2)}"))
        kind = self._random.choice(("double", "int", "uint"))
        return f"string({kind}('{text}')) == '1' || {kind}('{text}') > {kind}('1')"

    def _time(self) -> str:
        rng = self._random
        spans = [f"duration('{rng.choice(_SPANS)}')" for _ in range(2)]
        times = [f"timestamp('{rng.choice(_TIMES)}')" for _ in range(2)]
        part = rng.choice(("getFullYear", "getHours", "getDayOfYear", "getMilliseconds"))
        return rng.choice(
            (
                *(f"string({spans[0]} - {spans[1]}) == '1s'", f"string({times[0]} - {spans[0]}) == '1s'"),
                *(f"string({times[0]} - {times[1]}) == '1s'", f"string({spans[0]} + {times[0]}) == '1s'"),
                *(f"{times[0]}.{part}('{rng.choice(_ZONES)}') > 1000", f"-{spans[0]} < {spans[1]}"),
            )
        )

    def _url(self) -> str:
        rng = self._random
        text = rng.choice(_SCHEMES) + rng.choice(_HOSTS) + rng.choice(_PORTS) + rng.choice(("", "/", "/a:b", "?q=1:2"))
        part = rng.choice(("getHost", "getHostname", "getPort", "getScheme", "getEscapedPath"))
        return rng.choice(
            (
                *(f"url('{text}').{part}() == 'a'", f"isURL('{text}')", f"url('{text}') == url('http://a')"),
                *(
                    f"!format.uri().validate('{text}').hasValue()",
                    f"format.named('uri').value().validate('{text}').value() == []",
                ),
            )
        )

    def _clause(self) -> str:
        clause, value = self._random.choice(_CLAUSES), self._random.choice(_DOUBLES)
        dot = "." if clause[0].isdigit() else ""
        return f"'%{dot}{clause}'.format([{value}]) == '   NaN'"

    def _search(self) -> str:
        rng = self._random
        text, part, at = rng.choice(("''", "'abc'", "'añb'")), rng.choice(("''", "'b'", "'abcd'")), rng.choice(_OFFSETS)
        value = rng.choice(_VALUES)
        return rng.choice(
            (
                *(
                    f"{text}.indexOf({part}, {at}) == 1",
                    f"{text}.lastIndexOf({part}, {at}) == 1",
                    f"duration({at}) > 1",
                ),
                *(f"{text}.startsWith({part})", f"{text}.endsWith({part}) || matches({text}, {part})"),
                *(f"lists.range({at}).size() == 3", f"dyn({value}).orValue(1) == 1", f"dyn({value}).or({value}) == 1"),
                *(f"self{{a: {value}}} == 1", f"dyn({value}).includes({at})", f"dyn([[1]]).flatten({at}) == [1]"),
                *(f"type({value}) == optional_type", f"optional_type == {value}", f"dyn({value}) + [1] == [1]"),
                *("{'a b': 1}.`a b` == 1", f"dyn({value}).`a` == [1] || '`a`' == {value}", "{'in': 1}.?`in` == 1"),
            )
        )

    def _of_any(self) -> str:
        value, other = self._random.choice(_VALUES), self._random.choice(_VALUES)
        called = ("flatten()", f"flatten(dyn({other}))", "distinct()", "sort()", "reverse()", "slice(0, 1)")
        return f"dyn({value}).{self._random.choice(called)} == [1]"

    def _name(self) -> str:
        name, used = self._random.choice(_NAMES), self._random.choice(_NAMES)
        return self._random.choice(
            (
                *(
                    f"[1].all({name}, {used} == 1)",
                    f"[int].all({name}, {used} == int)",
                    f"[1].map({name}, {used}) == [1]",
                ),
                *(f"optional.of(1).optMap({name}, {used} == 1).hasValue()", f"[1].all(i, {name}, {used} == 1)"),
                *(f"[1].sortBy({name}, {used}) == [1]", f"{used} == 1", f"google.protobuf.Any{{}} == {used}"),
            )
        )

    def _key(self) -> str:
        value, key = self._random.choice(_VALUES), self._random.choice(_VALUES)
        return f"dyn({value})[{self._random.choice(('', '?'))}dyn({key})] == optional.none()"
