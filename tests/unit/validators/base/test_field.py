from typing import Any

import pytest

from ovnguard.validators.base.field import (
    OMITTED,
    ErrorType,
    FieldError,
    Older,
    minor,
    not_supported,
    too_long,
    too_many,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FieldError(ErrorType.REQUIRED, "spec.a", ""), "spec.a: Required value"),
        (FieldError(ErrorType.REQUIRED, "spec.a", "", "say why"), "spec.a: Required value: say why"),
        (FieldError(ErrorType.INVALID, "spec.a", "x", "no"), 'spec.a: Invalid value: "x": no'),
        (FieldError(ErrorType.TYPE_INVALID, "spec.a", "string", "no"), 'spec.a: Invalid value: "string": no'),
        (FieldError(ErrorType.INVALID, "spec.a", OMITTED, "no"), "spec.a: Invalid value: no"),
        (FieldError(ErrorType.INVALID, "<nil>", None, "no"), "<nil>: Invalid value: null: no"),
        (FieldError(ErrorType.INVALID, "spec.a", True, "no"), "spec.a: Invalid value: true: no"),
        (FieldError(ErrorType.INVALID, "spec.a", 1000000.5, "no"), "spec.a: Invalid value: 1.0000005e+06: no"),
        (FieldError(ErrorType.INVALID, "spec.a", 1e21, "no"), "spec.a: Invalid value: 1e+21: no"),
        (FieldError(ErrorType.INVALID, "a", 9007199254740993, "no"), "a: Invalid value: 9007199254740993: no"),
        (FieldError(ErrorType.INVALID, "a", 'q"\\\n\x01\u2028é', "no"), r'a: Invalid value: "q\"\\\n\x01\u2028é": no'),
        (FieldError(ErrorType.DUPLICATE, "a[2]", {"k": "a", "p": 80}), 'a[2]: Duplicate value: {"k":"a","p":80}'),
        (FieldError(ErrorType.DUPLICATE, "a[2]", {"b": ["<", 1.5]}), r'a[2]: Duplicate value: {"b":["\u003c",1.5]}'),
        (FieldError(ErrorType.FORBIDDEN, "a", "", "no"), "a: Forbidden: no"),
        (FieldError(ErrorType.INTERNAL, "a", None, "broken"), "a: Internal error: broken"),
        (FieldError(ErrorType.NOT_FOUND, "a", "x"), 'a: Not found: "x"'),
        (not_supported("a", 3, ["1", "2"]), 'a: Unsupported value: 3: supported values: "1", "2"'),
        (not_supported("a", {"b": 1}, ['{"a":1}']), r'a: Unsupported value: {"b":1}: supported values: "{\"a\":1}"'),
        (too_long("a", 1), "a: Too long: may not be more than 1 byte"),
        (too_long("a", 2), "a: Too long: may not be more than 2 bytes"),
        (too_many("a", 3, 1), "a: Too many: 3: must have at most 1 item"),
        (too_many("a", 3, 2), "a: Too many: 3: must have at most 2 items"),
    ],
)
def test_text_is_the_api_servers(error: FieldError, text: str) -> None:
    assert error.text == text


@pytest.mark.parametrize(
    ("error", "kubernetes", "text"),
    [
        (too_long("a", 1), "1.31", "a: Too long: may not be longer than 1"),
        (too_long("a", 1), "1.33", "a: Too long: may not be more than 1 bytes"),
        (
            FieldError(ErrorType.DUPLICATE, "a", {"k": "a", "n": [1, None]}),
            "1.33",
            'a: Duplicate value: map[string]interface {}{"k":"a", "n":[]interface {}{1, interface {}(nil)}}',
        ),
        (FieldError(ErrorType.INVALID, "<nil>", None, "no"), "1.33", '<nil>: Invalid value: "null": no'),
        (
            FieldError(ErrorType.INVALID, "a", OMITTED, "no", older=(Older(35, "object"),)),
            "1.33",
            'a: Invalid value: "object": no',
        ),
        (
            FieldError(ErrorType.INVALID, "a", OMITTED, "no", older=(Older(35, "object"),)),
            "1.36",
            "a: Invalid value: no",
        ),
    ],
)
def test_error_text_of_older_releases(error: FieldError, kubernetes: str, text: str) -> None:
    assert error.text_of(kubernetes) == text


@pytest.mark.parametrize(
    ("version", "number"), [("1.35", 35), ("v1.29.4", 29), ("1.30+", None), ("2.1", None), ("", None)]
)
def test_minor(version: str, number: Any) -> None:
    if number is None:
        with pytest.raises(ValueError, match="is not a Kubernetes version"):
            minor(version)
    else:
        assert minor(version) == number
