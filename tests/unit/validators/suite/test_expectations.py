from dataclasses import dataclass
from typing import Any

import pytest

from ovnguard.validators.base.field import ErrorType, FieldError, Older, too_long
from ovnguard.validators.suite.expectations import differences, find_text, message_of, same
from ovnguard.validators.suite.suite import TextForm


@dataclass(frozen=True)
class Answer:
    errors: tuple[FieldError, ...] = ()
    message: str = ""
    allowed: bool = False
    object: Any = None

    def status(self) -> dict[str, Any]:
        texts = [error.text for error in self.errors]
        text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        return {"message": self.message or f'Foo.example.com "test-00000" is invalid: {text}'}


@pytest.mark.parametrize(
    ("expected", "stored", "lines"),
    [
        ({"a": 1}, {"a": 1, "metadata": {"name": "x", "uid": "u", "generation": 1}}, []),
        ({"metadata": {"name": "y", "generateName": "z"}}, {"metadata": {"resourceVersion": "1"}}, []),
        ({"a": 1.0}, {"a": 1}, []),
        ({"a": True}, {"a": 1}, ["a: expected True, stored is 1"]),
        ({"a": None}, {}, ["a: expected None, nothing is stored"]),
        ({}, {"a": {}}, ["a: nothing is expected, stored is {}"]),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 3}]}}, ["a.b[1].c: expected 2, stored is 3"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a: expected [1], stored is [1, 2]"]),
        (
            {"metadata": {"labels": {"a": "b"}}},
            {"metadata": {"labels": {"a": "c"}}},
            ["metadata.labels.a: expected 'b', stored is 'c'"],
        ),
        ({"a": "x" * 200}, {}, [f"a: expected '{'x' * 115} ..., nothing is stored"]),
        (
            {str(key): key for key in range(8)},
            {},
            [*(f"{key}: expected {key}, nothing is stored" for key in range(5)), "and 3 more differences"],
        ),
    ],
)
def test_differences(expected: dict[str, Any], stored: dict[str, Any], lines: list[str]) -> None:
    assert differences(expected, stored) == lines


RULE = FieldError(ErrorType.INVALID, "spec", detail="no", older=(Older(35, bad_value="object"),))
LENGTH = too_long("spec.a", 3)
NULL = FieldError(ErrorType.INVALID, "<nil>", None, "blocked")
PAIR = FieldError(ErrorType.DUPLICATE, "spec.l[1]", {"name": "x"})


@pytest.mark.parametrize(
    ("errors", "expected", "form"),
    [
        ([RULE], "spec: Invalid value: no", TextForm.EXACT),
        ([RULE], 'Foo.example.com "test-00000" is invalid: spec: Invalid value: no', TextForm.EXACT),
        ([RULE], 'spec: Invalid value: "object": no', TextForm.LEGACY),
        ([RULE], 'spec: Invalid value: "string": no', TextForm.NONE),
        ([RULE], "spec: Invalid value: never", TextForm.NONE),
        ([LENGTH], "spec.a: Too long: may not be more than 3 bytes", TextForm.EXACT),
        ([LENGTH], "spec.a: Too long: may not be longer than 3", TextForm.LEGACY),
        ([NULL], "<nil>: Invalid value: null: blocked", TextForm.EXACT),
        ([NULL], '<nil>: Invalid value: "null": blocked', TextForm.LEGACY),
        ([PAIR], 'Duplicate value: {"name":"x"}', TextForm.EXACT),
        ([PAIR], 'Duplicate value: map[string]interface {}{"name":"x"}', TextForm.LEGACY),
        ([RULE, LENGTH], "[spec: Invalid value: no, spec.a: Too long", TextForm.EXACT),
        ([RULE, LENGTH], '[spec: Invalid value: "object": no, spec.a: Too long: may not be more', TextForm.LEGACY),
        # no server ever mixed the two
        ([RULE, LENGTH], "spec: Invalid value: no, spec.a: Too long: may not be longer than 3", TextForm.NONE),
        ([RULE, RULE], 'is invalid: spec: Invalid value: "object": no', TextForm.LEGACY),
    ],
)
def test_forms_of_a_text(errors: list[FieldError], expected: str, form: TextForm) -> None:
    assert find_text(expected, Answer(tuple(errors))) is form


def test_an_older_server_has_only_older_forms() -> None:
    errors = tuple(error.as_of("1.34") for error in (RULE, NULL))
    assert find_text('spec: Invalid value: "object": no', Answer(errors)) is TextForm.EXACT
    assert find_text("spec: Invalid value: no", Answer(errors)) is TextForm.NONE


def test_answers_that_are_not_about_fields() -> None:
    answer = Answer(message='foos.example.com "x" not found')
    assert message_of(answer) == 'foos.example.com "x" not found'
    assert find_text("not found", answer) is TextForm.EXACT
    assert find_text("is invalid", answer) is TextForm.NONE


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (0, False), ("1", 1), (None, False), ([], {}), ({"a": 1}, {"a": True}), ([1], [1, 1])],
)
def test_values_that_are_not_the_same(left: object, right: object) -> None:
    assert not same(left, right)
