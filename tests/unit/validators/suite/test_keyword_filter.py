import pytest

from validators.suite.keyword_filter import MAX_LENGTH, BadExpression, selector

TEXT = "v1/tests/nodes/mtu.yaml crd.yaml onCreate Refuses a small MTU"


@pytest.mark.parametrize(
    ("expression", "selected"),
    [
        ("", True),
        ("  ", True),
        ("mtu", True),
        ("MTU", True),
        ("onupdate", False),
        ("not onUpdate", True),
        ("not not mtu", True),
        ("mtu and onUpdate", False),
        ("mtu or onUpdate", True),
        ("onUpdate and onUpdate or mtu", True),
        ("onUpdate and (onUpdate or mtu)", False),
        ("not (onUpdate or cidr)", True),
        ("not onUpdate and not mtu", False),
        ('"small mtu"', True),
        ("'mtu small'", False),
        ('"and"', False),
        ("tests/nodes", True),
        ("notable", False),
        ("(mtu)and(small)", True),
    ],
)
def test_selection(expression: str, selected: bool) -> None:
    assert selector(expression)(TEXT) is selected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("a and", "at the end: expected a text, 'not' or '('"),
        ("or a", "column 1: expected a text, 'not' or '('"),
        ("a b", "column 3: expected 'and', 'or' or the end"),
        ("(a", "a parenthesis is never closed"),
        ("a )", "column 3: expected 'and', 'or' or the end"),
        ('a and "b', "column 6: a quote is never closed"),
        ("(" * 60 + "a", "nested deeper than 50 levels"),
        ("not " * 60 + "a", "nested deeper than 50 levels"),
        ("a" * (MAX_LENGTH + 1), f"longer than {MAX_LENGTH} characters"),
    ],
)
def test_what_cannot_be_read(expression: str, message: str) -> None:
    with pytest.raises(BadExpression) as caught:
        selector(expression)
    assert str(caught.value) == message


def test_long_expressions_are_evaluated() -> None:
    assert selector(" or ".join(["b"] * 399 + ["mtu"]))(TEXT)


def test_expressions_are_no_code() -> None:
    assert not selector("__import__.os")(TEXT)
