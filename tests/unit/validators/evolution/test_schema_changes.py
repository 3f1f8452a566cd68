from typing import Any

import pytest

from ovnguard.validators.evolution.changes import Change
from ovnguard.validators.evolution.evolution import evolve
from tests.support.small_definitions import definition

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
RULE = {"rule": "self.size() < 9"}
LONG, EMPTY, WITH_A = {"minLength": 1}, {"enum": [""]}, {"pattern": "a"}
ABSENT = {"required": ["f"]}


def of(field: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return definition(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": {"f": field}, **spec}}}
    )


def changes(old: dict[str, Any], new: dict[str, Any], kubernetes: str = "1.35") -> list[str]:
    return list(map(_line, evolve(old, new, kubernetes=kubernetes).changes))


def _line(change: Change) -> str:
    return f"{change.field.removeprefix('spec.')} {change.keyword}: {change.effect}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (TEXT | {"maxLength": 5}, TEXT | {"maxLength": 6}, ["f maxLength: widens"]),
        (TEXT | {"maxLength": 5}, TEXT | {"maxLength": 4}, ["f maxLength: narrows"]),
        (TEXT, TEXT | {"maxLength": 4}, ["f maxLength: narrows"]),
        (TEXT | {"maxLength": 5}, TEXT, ["f maxLength: widens"]),
        (TEXT, TEXT | {"minLength": 0}, ["f minLength: neutral"]),
        (TEXT | {"minLength": 2}, TEXT | {"minLength": 1}, ["f minLength: widens"]),
        (TEXT | {"minLength": 1}, TEXT | {"minLength": 2}, ["f minLength: narrows"]),
        (NUMBER | {"minimum": 1}, NUMBER | {"minimum": 1.5}, ["f minimum: narrows"]),
        (NUMBER | {"minimum": 1}, NUMBER | {"minimum": 1, "exclusiveMinimum": True}, ["f exclusiveMinimum: narrows"]),
        (NUMBER | {"minimum": 2}, NUMBER | {"minimum": 1, "exclusiveMinimum": True}, None),
        (NUMBER | {"maximum": 9}, NUMBER | {"maximum": 10}, ["f maximum: widens"]),
        # int64(1e19) is the smallest number in Go: every integer is above
        (NUMBER | {"minimum": 5}, NUMBER | {"minimum": 1e19}, ["f minimum: undecided"]),
        (NUMBER, NUMBER | {"exclusiveMinimum": True}, ["f exclusiveMinimum: neutral"]),
        (NUMBER, {"type": "number"}, ["f type: widens"]),
        ({"type": "number"}, NUMBER, ["f type: narrows"]),
        (TEXT, {"x-kubernetes-int-or-string": True}, ["f type: widens", "f x-kubernetes-int-or-string: widens"]),
        (TEXT, NUMBER, ["f type: narrows"]),
        (NUMBER | {"format": "int64"}, NUMBER, ["f format: neutral"]),
        (TEXT, TEXT | {"format": "unheard-of"}, ["f format: neutral"]),
        (TEXT, TEXT | {"format": "date"}, ["f format: undecided"]),
        # the server lets lists pass where a text has a format
        (TEXT | {"format": "date"}, TEXT, ["f format: narrows"]),
        (TEXT | {"nullable": True}, TEXT, ["f nullable: narrows"]),
        (TEXT, TEXT | {"nullable": True}, ["f nullable: widens"]),
        (TEXT | {"enum": ["a", "b"]}, TEXT | {"enum": ["b", "a"]}, ["f enum: neutral"]),
        (TEXT | {"enum": ["a", "b"]}, TEXT | {"enum": ["b", "a", "c"]}, ["f enum: widens"]),
        (TEXT | {"enum": ["a", "b"]}, TEXT | {"enum": ["b"]}, ["f enum: narrows"]),
        (TEXT, TEXT | {"enum": ["b"]}, ["f enum: narrows"]),
        (TEXT | {"enum": ["b"]}, TEXT, ["f enum: widens"]),
        (TEXT | {"pattern": "a"}, TEXT | {"pattern": "b"}, ["f pattern: undecided"]),
        (TEXT | {"pattern": "a"}, TEXT, ["f pattern: widens"]),
        (NUMBER, NUMBER | {"multipleOf": 2}, ["f multipleOf: undecided"]),
        (TEXT, TEXT | {"description": "a text", "title": "t"}, ["f description: neutral", "f title: neutral"]),
        (TEXT, TEXT | {"x-kubernetes-validations": [RULE]}, ["f x-kubernetes-validations[0]: undecided"]),
        (TEXT | {"x-kubernetes-validations": [RULE]}, TEXT, ["f x-kubernetes-validations[0]: widens"]),
        (TEXT, TEXT | {"anyOf": [LONG]}, ["f anyOf: undecided"]),
        (
            TEXT | {"anyOf": [LONG]},
            TEXT | {"anyOf": [LONG, EMPTY]},
            ["f anyOf: widens"],
        ),
        (
            TEXT | {"allOf": [{"minLength": 1}, {"pattern": "a"}]},
            TEXT | {"allOf": [{"pattern": "a"}]},
            ["f allOf: widens"],
        ),
        (TEXT | {"not": {"enum": ["a"]}}, TEXT, ["f not: widens"]),
        (TEXT, TEXT | {"default": "x"}, ["f default: neutral"]),
        (TEXT | {"default": "x"}, TEXT, ["f default: neutral"]),
    ],
)
def test_a_keyword_of_a_field(old: dict[str, Any], new: dict[str, Any], expected: list[str] | None) -> None:
    if expected is None:
        # together they widen: what is at least 2 is above 1
        expected = ["f exclusiveMinimum: widens", "f minimum: widens"]
    assert changes(of(old), of(new)) == expected


LIST = {"type": "array", "items": TEXT}
KEYED = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    "items": {"type": "object", "required": ["k"], "properties": {"k": TEXT, "v": TEXT}},
}


def keyed(**v: Any) -> dict[str, Any]:
    return KEYED | {"items": {"type": "object", "required": ["k"], "properties": {"k": TEXT, "v": TEXT | v}}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (of(TEXT), of(TEXT, required=["f"]), ["spec required: narrows"]),
        (of(TEXT | {"default": "x"}), of(TEXT | {"default": "x"}, required=["f"]), ["spec required: neutral"]),
        (of(TEXT | {"default": "x"}, required=["f"]), of(TEXT, required=["f"]), ["f default: narrows"]),
        (of(TEXT, required=["f"]), of(TEXT), ["spec required: widens"]),
        # a default is seen by a rule above, by a branch, and by maxProperties
        (of(TEXT, maxProperties=1), of(TEXT | {"default": "x"}, maxProperties=1), ["f default: undecided"]),
        (
            of(TEXT, **{"x-kubernetes-validations": [{"rule": "!has(self.f)"}]}),
            of(TEXT | {"default": "x"}, **{"x-kubernetes-validations": [{"rule": "!has(self.f)"}]}),
            ["f default: undecided"],
        ),
        (
            of(TEXT, **{"not": ABSENT}),
            of(TEXT | {"default": "x"}, **{"not": ABSENT}),
            ["f default: undecided"],
        ),
        # so is another type, by a rule
        (
            of(NUMBER, **{"x-kubernetes-validations": [{"rule": "!has(self.f) || self.f < 3"}]}),
            of({"type": "number"}, **{"x-kubernetes-validations": [{"rule": "!has(self.f) || self.f < 3"}]}),
            ["f type: undecided"],
        ),
        (of(LIST), of(LIST | {"x-kubernetes-list-type": "set"}), ["f x-kubernetes-list-type: narrows"]),
        (of(LIST | {"x-kubernetes-list-type": "set"}), of(LIST), ["f x-kubernetes-list-type: widens"]),
        (of(LIST), of(LIST | {"x-kubernetes-list-type": "atomic"}), ["f x-kubernetes-list-type: neutral"]),
        (of(LIST), of(LIST | {"items": TEXT | {"maxLength": 2}}), ["f[*] maxLength: narrows"]),
        (of(KEYED), of(keyed(default="x")), ["f[*].v default: undecided"]),
        (of(KEYED), of(keyed(maxLength=3)), ["f[*].v maxLength: narrows"]),
    ],
)
def test_what_is_around_a_field(old: dict[str, Any], new: dict[str, Any], expected: list[str]) -> None:
    assert changes(old, new) == [
        line.replace(" required", "spec required") if line[0] == " " else line for line in expected
    ]


OBJECT = {"type": "object", "properties": {"a": TEXT}}
KEEPING = OBJECT | {"x-kubernetes-preserve-unknown-fields": True}
MAP = {"type": "object", "additionalProperties": TEXT}


def two(**b: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": TEXT, "b": TEXT | b}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (OBJECT, two(), ["f.b properties: widens"]),
        (OBJECT, two(default="x"), ["f.b properties: widens"]),
        (OBJECT | {"maxProperties": 1}, two(default="x") | {"maxProperties": 1}, ["f.b properties: undecided"]),
        (KEEPING, two() | {"x-kubernetes-preserve-unknown-fields": True}, ["f.b properties: undecided"]),
        (two(), OBJECT, ["f.b properties: narrows"]),
        (two() | {"x-kubernetes-preserve-unknown-fields": True}, KEEPING, ["f.b properties: widens"]),
        (KEEPING, OBJECT, ["f x-kubernetes-preserve-unknown-fields: narrows"]),
        (OBJECT, KEEPING, ["f x-kubernetes-preserve-unknown-fields: widens"]),
        (MAP, MAP | {"additionalProperties": TEXT | {"maxLength": 1}}, ["f[*] maxLength: narrows"]),
        (MAP, MAP | {"additionalProperties": True}, ["f additionalProperties: widens"]),
        (MAP | {"additionalProperties": True}, MAP, ["f additionalProperties: undecided"]),
    ],
)
def test_fields_of_objects(old: dict[str, Any], new: dict[str, Any], expected: list[str]) -> None:
    assert changes(of(old), of(new)) == expected


def rules(*texts: str | dict[str, Any]) -> dict[str, Any]:
    return of(
        TEXT | {"x-kubernetes-validations": [{"rule": each} if isinstance(each, str) else each for each in texts]}
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (rules("self != 'a'", "self != 'b'"), rules("self != 'b'", "self != 'a'"), []),
        (rules("self != 'a'"), rules({"rule": "self != 'a'", "message": "m"}), ["[0]: neutral"]),
        (rules("self != 'a'", "self != 'b'"), rules("self != 'b'", "self != 'c'"), ["[1]: undecided"]),
        (rules("self != 'a'", "self != 'b'"), rules("self != 'b'"), ["[0]: widens"]),
        (rules("self == oldSelf"), rules({"rule": "self == oldSelf", "optionalOldSelf": True}), None),
    ],
)
def test_rules(old: dict[str, Any], new: dict[str, Any], expected: list[str] | None) -> None:
    if expected is None:
        assert evolve(old, new).errors
        return
    assert changes(old, new) == [f"f x-kubernetes-validations{each}" for each in expected]


def test_numbers_have_ranges_from_1_36_on() -> None:
    old, new = of(NUMBER | {"format": "int64"}), of(NUMBER | {"format": "int32"})
    assert changes(old, new, "1.35") == ["f format: neutral"]
    assert changes(old, new, "1.36") == ["f format: narrows"]
    assert changes(new, old, "1.36") == ["f format: widens"]


def test_every_change_has_its_values_and_its_proof() -> None:
    (change,) = evolve(of(TEXT | {"enum": ["a", "b"]}), of(TEXT | {"enum": ["a"]})).changes
    assert change == Change(
        "v1",
        "spec.f",
        "enum",
        change.effect,
        ["a", "b"],
        ["a"],
        "b was accepted and no longer",
        ("properties", "spec", "properties", "f"),
    )
