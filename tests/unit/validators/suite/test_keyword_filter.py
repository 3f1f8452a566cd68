import pytest

from ovnguard.validators.suite.keyword_filter import MAX_LENGTH, BadExpression, selector

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
    "expression",
    [
        "a and",
        "or a",
        "a b",
        "(a",
        "a )",
        'a and "b',
        "()",
        "a (b)",
        "(" * 900 + "a",
        "not " * 400,
        "a = b",
        "a, b",
        "\0 \0",
    ],
)
def test_what_cannot_be_read(expression: str) -> None:
    with pytest.raises(BadExpression, match=r"^write texts joined by and, or, not and parentheses$"):
        selector(expression)


def test_an_expression_has_a_limit() -> None:
    with pytest.raises(BadExpression, match=f"^longer than {MAX_LENGTH} characters$"):
        selector("a" * (MAX_LENGTH + 1))


@pytest.mark.parametrize("expression", ["a,b", "a=b", "lambda", "None", "[x]", "*", "a:=b", "_0", "#", "\0"])
def test_texts_that_mean_something_to_python_are_texts(expression: str) -> None:
    assert selector(expression)(f"x{expression}x")
    assert not selector(expression)("zz")


def test_long_expressions_are_evaluated() -> None:
    assert selector(" or ".join(["b"] * 399 + ["mtu"]))(TEXT)


def test_expressions_are_no_code() -> None:
    assert not selector("__import__.os")(TEXT)
