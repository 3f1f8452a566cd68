"""Numbers of any length are read or refused, in time that grows with the length alone.

Python refuses to read an integer of more than 4,300 digits, and a pattern that looks at a digit twice needs hours.
"""

from typing import Any

import pytest

from ovnguard.validators.cel.types.errors import InvalidRule
from ovnguard.validators.crd.compiled_crd import InvalidCRD, compile_crd
from ovnguard.validators.structural.formats.release_formats import formats_of
from tests.support.cel.cel_compile import compile_rule
from tests.support.differential.compare import definition

NINES, ZEROS = "9" * 5000, "0" * 5000 + "1"
FORMS = (
    *(
        "{}",
        "-{}",
        "{}s",
        "0.{}s",
        "{} days",
        "1.2.3.4/{}",
        "1.2.3.{}",
        "::{}",
        "1e{}",
        "{}e5",
        "0x1p{}",
        "{}Gi",
        "1.{}",
    ),
    *("http://a:{}/", "2020-01-01T00:00:00.{}Z", "{}-01-01T00:00:00Z", "+{}:00", "%.{}f", "a{{{}}}", "1.0.{}", "{} "),
)
TEXTS = [form.format(digits) for form in FORMS for digits in (NINES, ZEROS)]
FORMATS = ("cidr", "date", "date-time", "duration", "email", "ipv4", "ipv6", "isbn", "creditcard", "mac", "uri", "byte")
# Those forms of 5,000 nines that the server's code accepts.
ACCEPTED = {
    "byte": ["{}", "0x1p{}"],
    "date-time": ["2020-01-01T00:00:00.{}Z"],
    "duration": ["0.{}s"],
    "uri": ["http://a:{}/"],
}
RULES = (
    *(
        "int(self) == 1",
        "uint(self) == 1u",
        "double(self) == 1.0",
        "duration(self) > duration('1s')",
        "isQuantity(self)",
    ),
    *("timestamp(self) == timestamp(0)", "quantity(self).add(1).isInteger()", "semver(self, true).major() == 1"),
    *("ip(self).family() == 4", "cidr(self).prefixLength() == 1", "isURL(self)", "self.format([1.5]) == ''"),
    *("'a'.matches(self)", "timestamp(0).getHours(self) == 1", "format.byte().validate(self).hasValue()"),
)
LITERALS = (
    *("{} == 1", "-{} == 1", "{}u == 1u", "0x{} == 1", "{}.5 == 1.0", "1e{} == 1.0", "[1][{}] == 1", "a{} == 1"),
    *(
        "lists.range({}).size() == 1",
        "[[1]].flatten({}) == [1]",
        "'%.{}f'.format([1.5]) == ''",
        "duration('{}s') == self",
    ),
)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format(name: str) -> None:
    check = formats_of(35).checker(name)
    assert check is not None
    accepted = [form for form, text in zip(FORMS, TEXTS[::2], strict=True) if check(text)]
    assert accepted == ACCEPTED.get(name, [])


@pytest.mark.parametrize("rule", RULES)
def test_a_function(rule: str) -> None:
    compiled = compile_rule(rule, {"type": "string"}, message="wrong")
    assert {compiled.evaluate(text).ok for text in TEXTS} <= {True, False}


@pytest.mark.parametrize("literal", LITERALS)
def test_a_literal(literal: str) -> None:
    with pytest.raises(InvalidRule):
        compile_rule(literal.format(NINES), {"type": "integer"})


def with_keyword(keyword: str, text: str) -> dict[str, Any]:
    """A definition with a text under one keyword."""
    return definition({"type": "object", "properties": {"a": {"type": "string", keyword: text}}}, status=False)


@pytest.mark.parametrize("keyword", ["format", "title"])
def test_a_keyword(keyword: str) -> None:
    for text in TEXTS:
        assert compile_crd(with_keyword(keyword, text)).kind == "Foo"


@pytest.mark.parametrize("text", ["a{{{}}}", "a{{1,{}}}", "(?:a{{{},}})?"])
def test_a_pattern(text: str) -> None:
    with pytest.raises(InvalidCRD, match="must be a valid regular expression"):
        compile_crd(with_keyword("pattern", text.format(NINES)))
