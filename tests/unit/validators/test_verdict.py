from typing import Any

from tests.unit.validators.test_crd import compiled


def foo(spec: Any, **more: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": spec, **more}


SPEC = {
    "type": "object",
    "required": ["a"],
    "properties": {
        "a": {"type": "integer", "minimum": 3, "default": 5},
        "mode": {"type": "string", "enum": ["one", "two"]},
        "names": {"type": "array", "items": {"type": "string", "maxLength": 3}},
    },
}


def test_an_allowed_object_comes_back_as_it_would_be_stored() -> None:
    obj = foo({"mode": "one", "zz": 1})
    verdict = compiled(SPEC).verdict(obj)
    assert verdict.allowed
    assert verdict.object == {
        "apiVersion": "example.com/v1",
        "kind": "Foo",
        "metadata": {"name": "x", "namespace": "default", "generation": 1},
        "spec": {"mode": "one", "a": 5},
    }
    assert verdict.warnings == ('unknown field "spec.zz"',)
    assert verdict.status() is None
    assert obj == foo({"mode": "one", "zz": 1})


def test_all_errors_come_together_and_make_a_status() -> None:
    verdict = compiled(SPEC).verdict(foo({"a": 1, "mode": "no", "names": ["long"]}))
    assert not verdict.allowed
    assert sorted((error.text, error.rule) for error in verdict.errors) == [
        (
            "spec.a: Invalid value: 1: spec.a in body should be greater than or equal to 3",
            "spec.a.minimum",
        ),
        ('spec.mode: Unsupported value: "no": supported values: "one", "two"', "spec.mode.enum"),
        ("spec.names[0]: Too long: may not be more than 3 bytes", "spec.names[*].maxLength"),
    ]
    status = verdict.status()
    assert status is not None
    assert (status["code"], status["reason"], status["details"]["kind"]) == (422, "Invalid", "Foo")
    assert status["message"].startswith('Foo.example.com "x" is invalid: [')
    assert {
        "reason": "FieldValueTooLong",
        "message": "Too long: may not be more than 3 bytes",
        "field": "spec.names[0]",
    } in status["details"]["causes"]


def test_strict_field_validation_refuses_unknown_fields() -> None:
    verdict = compiled(SPEC).verdict(foo({"zz": 1, "b": {}}), field_validation="Strict")
    assert not verdict.allowed
    assert [(error.field, error.detail) for error in verdict.errors] == [
        ("spec.b", 'unknown field "spec.b"'),
        ("spec.zz", 'unknown field "spec.zz"'),
    ]
    status = verdict.status()
    assert status is not None
    listed = 'unknown field "spec.b", unknown field "spec.zz"'
    assert (status["code"], status["reason"]) == (400, "BadRequest")
    assert status["message"] == f'Foo in version "v1" cannot be handled as a Foo: strict decoding error: {listed}'
