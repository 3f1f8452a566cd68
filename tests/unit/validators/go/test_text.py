from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.go.text import (
    Struct,
    float_plain,
    float_text,
    go_kind,
    go_strings,
    go_syntax,
    json_text,
    quote,
    scalar,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (0.1, "0.1"),
        (123456.0, "123456"),
        (1000000.0, "1e+06"),
        (1234567.5, "1.2345675e+06"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-2.5e-10, "-2.5e-10"),
        (1e21, "1e+21"),
        (1e100, "1e+100"),
        (float("inf"), "+Inf"),
        (float("-inf"), "-Inf"),
        (float("nan"), "NaN"),
    ],
)
def test_floats_as_go_prints_them(value: float, text: str) -> None:
    assert float_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (5400.0, "5400"), (1e21, "1" + "0" * 21), (-1.5e-7, "-0.00000015"), (1e6, "1000000")],
)
def test_floats_without_exponents(value: float, text: str) -> None:
    assert float_plain(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_float_reads_back(value: float) -> None:
    assert float(float_text(value)) == value
    assert float(json_text(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (1.5e-10, "1.5e-10"),
        (0.000001, "0.000001"),
        ('<a&b>\u2028\x00\x7f"\\\n\t\b', '"\\u003ca\\u0026b\\u003e\\u2028\\u0000\x7f\\"\\\\\\n\\t\\b"'),
        ({"b": 1, "a": [1.0, "x", {}]}, '{"a":[1,"x",{}],"b":1}'),
        (Struct(b=1, a=2), '{"b":1,"a":2}'),
    ],
)
def test_json_as_go_writes_it(value: Any, text: str) -> None:
    assert json_text(value) == text


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("a b", '"a b"'),
        ('"\\', r'"\"\\"'),
        ("\a\b\f\n\r\t\v\x01\x7f", r'"\a\b\f\n\r\t\v\x01\x7f"'),
        ("é☃\u00a0\u200b\U0001f600\U000e0001", '"é☃\\u00a0\\u200b😀\\U000e0001"'),
        ("\ud800", '"\ufffd"'),
    ],
)
def test_quote(text: str, quoted: str) -> None:
    assert quote(text) == quoted


def test_go_syntax() -> None:
    assert go_syntax({"b": [1, 1.5, True], "a": None}) == (
        'map[string]interface {}{"a":interface {}(nil), "b":[]interface {}{1, 1.5, true}}'
    )
    assert go_strings(["a", "b"]) == '[]string{"a", "b"}'


def test_scalars_and_kinds() -> None:
    assert [scalar(one) for one in (True, False, 3, 0.5, "x", None)] == ["true", "false", "3", "0.5", None, None]
    values: tuple[Any, ...] = (True, 3, 0.5, "x", None, [], {})
    assert [go_kind(one) for one in values] == [
        "bool",
        "number",
        "number",
        "string",
        "null",
        "array",
        "object",
    ]
