"""Quantities without digits are zero, and exponents are kept in 32 bits, as apimachinery reads them (ParseQuantity)."""

import pytest

from ovnguard.validators.cel.library.quantity import quantity
from ovnguard.validators.cel.types.errors import EvalError
from tests.support.cel.cel_compile import compile_expression


@pytest.mark.parametrize("text", ["-", "+", "Ki", "-Ki", "m", "e5", "E", "-e5", "n", "+k", ".", "-.Ki", "e-9", ".e-9"])
def test_no_digit_is_zero(text: str) -> None:
    rule = "quantity(x) == quantity('0') && sign(quantity(x)) == 0 && quantity(x).isInteger()"
    found = compile_expression("isQuantity(x)", {"x": "dyn"}).evaluate({"x": text})
    assert found is True
    assert quantity(text).value == 0
    if not text.endswith(("m", "n", "e-9")):
        assert compile_expression(rule, {"x": "dyn"}).evaluate({"x": text}) is True


@pytest.mark.parametrize("text", ["e-12", "-e-10", ".e-12"])
def test_no_digit_and_too_small_a_scale(text: str) -> None:
    with pytest.raises(EvalError, match="unable to parse numeric part of quantity"):
        quantity(text)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("", False),
        ("e", False),
        ("--1", False),
        ("1e99999999999", True),
        ("1e9223372036854775807", True),
        ("1e9223372036854775808", False),
    ],
)
def test_is_quantity(text: str, valid: bool) -> None:
    assert compile_expression("isQuantity(x)", {"x": "dyn"}).evaluate({"x": text}) is valid
