"""Verdicts; every text confirmed by the API server's own code, release 1.35."""

import copy
import json
from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from tests.support.small_definitions import compiled, definition


def foo(spec: Any = None, **more: Any) -> dict[str, Any]:
    obj = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}}
    return obj | ({} if spec is None else {"spec": spec}) | more


def texts(crd: CompiledCRD, obj: Any, old: Any = None, subresource: str | None = None) -> list[str]:
    return [error.text for error in crd.verdict(obj, old, subresource).errors]


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
    assert verdict.findings == ()
    assert obj == foo({"mode": "one", "zz": 1})


def test_all_errors_come_together_and_make_a_status() -> None:
    verdict = compiled(SPEC).verdict(foo({"a": 1, "mode": "no", "names": ["long"]}))
    assert not verdict.allowed
    assert sorted((error.text, error.rule) for error in verdict.errors) == [
        ("spec.a: Invalid value: 1: spec.a in body should be greater than or equal to 3", "spec.a.minimum"),
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


def test_one_error_makes_a_message_without_brackets() -> None:
    status = compiled(SPEC).verdict(foo({"a": 1})).status()
    assert status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'Foo.example.com "x" is invalid: spec.a: Invalid value: 1:'
        " spec.a in body should be greater than or equal to 3",
        "reason": "Invalid",
        "details": {
            "name": "x",
            "group": "example.com",
            "kind": "Foo",
            "causes": [
                {
                    "reason": "FieldValueInvalid",
                    "message": "Invalid value: 1: spec.a in body should be greater than or equal to 3",
                    "field": "spec.a",
                }
            ],
        },
        "code": 422,
    }


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


def test_kind_in_metadata_is_unknown_once() -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    crd = compiled({"type": "object", "properties": {"e": embedded}})
    meta = {"name": "x", "kind": "Foo"}
    obj = foo({"e": {"apiVersion": "v1", "kind": "Bar", "metadata": meta}}) | {"metadata": meta}
    listed = ['unknown field "metadata.kind"', 'unknown field "spec.e.metadata.kind"']
    assert list(crd.verdict(obj).warnings) == listed
    status = crd.verdict(obj, field_validation="Strict").status()
    assert status is not None
    head = 'Foo in version "v1" cannot be handled as a Foo: strict decoding error: '
    assert status["message"] == head + ", ".join(listed)


def test_ignored_unknown_fields_leave_no_trace() -> None:
    verdict = compiled(SPEC).verdict(foo({"zz": 1}), field_validation="Ignore")
    assert (verdict.allowed, verdict.warnings, verdict.unknown) == (True, (), ("spec.zz",))


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (
            [1],
            "the object provided is unrecognized (must be of type Foo): couldn't get version/kind; json parse error:"
            " json: cannot unmarshal array into Go value of type struct { APIVersion string"
            ' "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } ([1])',
        ),
        (
            {"kind": "Foo"},
            "the API version in the data () does not match the expected API version (example.com/v1)",
        ),
        (
            {"apiVersion": "example.com/v1"},
            "the object provided is unrecognized (must be of type Foo): Object 'Kind' is missing in"
            ' \'{"apiVersion":"example.com/v1"}\' ({"apiVersion":"example.com/v1" ...)',
        ),
        (
            foo() | {"apiVersion": "a/b/c"},
            "the object provided is unrecognized (must be of type Foo): unexpected GroupVersion string: a/b/c"
            ' ({"apiVersion":"a/b/c","kind":" ...)',
        ),
        (
            foo() | {"metadata": 5},
            'Foo in version "v1" cannot be handled as a Foo:'
            " json: cannot unmarshal number into Go value of type v1.ObjectMeta",
        ),
        (
            foo({"a": float("nan")}),
            "the object provided is unrecognized (must be of type Foo): spec.a: nan is not a JSON number (dict)",
        ),
    ],
)
def test_what_does_not_decode_is_a_bad_request(obj: Any, message: str) -> None:
    verdict = compiled(SPEC).verdict(obj)
    assert (verdict.allowed, verdict.object, verdict.errors) == (False, None, ())
    assert [error.detail for error in verdict.findings] == [message]
    status = verdict.status()
    assert status is not None
    assert (status["code"], status["reason"], status["message"]) == (400, "BadRequest", message)


@pytest.mark.parametrize(
    ("obj", "version"),
    [({"apiVersion": "example.com/v1", "kind": ""}, "v1"), ({"apiVersion": "a/v2"}, "v2"), ({}, "v1")],
)
def test_a_missing_kind_is_worded_otherwise_where_unknown_fields_are_ignored(obj: Any, version: str) -> None:
    verdict = compiled(SPEC).verdict(obj, field_validation="Ignore")
    head = f'Foo in version "{version}" cannot be handled as a Foo: '
    body = json.dumps(obj, separators=(",", ":"))
    assert [error.detail for error in verdict.findings] == [f"{head}Object 'Kind' is missing in '{body}'"]


OWNER = {"apiVersion": "a.example/v1", "kind": "Owner", "name": "o", "uid": "u"}


@pytest.mark.parametrize(
    ("owners", "kept", "repeated"),
    [
        ([OWNER, OWNER], [OWNER], "u"),
        ([OWNER, OWNER | {"name": "p"}], [OWNER, OWNER | {"name": "p"}], ""),
        ([OWNER, OWNER | {"uid": "v"}, OWNER, OWNER], [OWNER, OWNER | {"uid": "v"}], "u, u"),
        ([OWNER | {"controller": True}] * 2, [OWNER | {"controller": True}], "u"),
    ],
)
def test_repeated_owners_are_dropped_with_a_warning(owners: Any, kept: Any, repeated: str) -> None:
    crd = compiled(SPEC)
    obj = foo() | {"metadata": {"name": "x", "ownerReferences": owners}}
    warning = (
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may"
        f" reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {repeated}"
    )
    for verdict in (crd.verdict(obj), crd.verdict(obj, foo()), crd.verdict(obj, obj)):
        assert verdict.object is not None
        assert verdict.object["metadata"]["ownerReferences"] == kept
        assert verdict.warnings == ((warning,) if repeated else ())


def test_another_kind_is_refused_for_its_kind_alone() -> None:
    crd = compiled(SPEC)
    verdict = crd.verdict(foo({"a": 1}) | {"kind": "Bar"})
    assert [error.text for error in verdict.errors] == ['kind: Invalid value: "Bar": must be Foo']
    status = verdict.status()
    assert status is not None
    assert status["message"] == 'Bar.example.com "x" is invalid: kind: Invalid value: "Bar": must be Foo'


def test_a_generated_name_gets_five_characters() -> None:
    crd = compiled({"type": "object"})
    verdict = crd.verdict(foo() | {"metadata": {"generateName": "abc-" * 20}})
    assert verdict.object is not None
    assert verdict.object["metadata"]["name"] == "abc-" * 14 + "ab00000"
    assert texts(crd, foo() | {"metadata": {}}) == ["metadata.name: Required value: name or generateName is required"]


UPDATED = compiled({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, subresources={"status": {}})


@pytest.mark.parametrize(
    ("new", "old", "code", "message"),
    [
        (
            {"name": "y"},
            {"name": "x"},
            400,
            "the name of the object (y) does not match the name on the URL (x)",
        ),
        (
            {"name": "x", "namespace": "a"},
            {"name": "x", "namespace": "b"},
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            {"name": "x", "resourceVersion": "1"},
            {"name": "x", "resourceVersion": "2"},
            409,
            'Operation cannot be fulfilled on foos.example.com "x": the object has been modified;'
            " please apply your changes to the latest version and try again",
        ),
        (
            {"name": "x", "uid": "b", "resourceVersion": "1", "labels": {"a b": "c"}},
            {"name": "x", "uid": "a", "resourceVersion": "2"},
            409,
            'Operation cannot be fulfilled on foos.example.com "x": StorageError: invalid object, Code: 4,'
            " Key: /registry/example.com/foos/default/x, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed:"
            " UID in precondition: b, UID in object meta: a",
        ),
    ],
)
def test_an_update_of_something_else(new: Any, old: Any, code: int, message: str) -> None:
    verdict = UPDATED.verdict(foo() | {"metadata": new}, foo() | {"metadata": old})
    status = verdict.status()
    assert status is not None
    assert (status["code"], status["message"]) == (code, message)
    if code == 409:
        assert status["details"] == {"name": "x", "group": "example.com", "kind": "foos"}


def test_a_uid_that_one_of_the_objects_lacks_is_that_of_the_other_one() -> None:
    of_uid = foo() | {"metadata": {"name": "x", "uid": "a"}}
    for new, old in ((foo(), of_uid), (of_uid, of_uid), (of_uid, foo())):
        stored = UPDATED.verdict(new, old).object
        assert stored is not None
        assert stored["metadata"]["uid"] == "a"


@pytest.mark.parametrize(("kubernetes", "zero"), [("1.33", "0x0"), ("1.34", "0"), ("1.35", "0")])
def test_a_put_needs_a_resource_version(kubernetes: str, zero: str) -> None:
    crd = compiled({"type": "object"}, kubernetes)
    old = foo() | {"metadata": {"name": "x", "resourceVersion": "1", "uid": "a"}}
    refused = crd.verdict(foo() | {"metadata": {"name": "x", "labels": {"a b": "c"}}}, old, replace=True)
    message = f"Invalid value: {zero}: must be specified for an update"
    causes = [{"reason": "FieldValueInvalid", "message": message, "field": "metadata.resourceVersion"}]
    assert refused.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'foos.example.com "x" is invalid: metadata.resourceVersion: {message}',
        "reason": "Invalid",
        "details": {"name": "x", "group": "example.com", "kind": "foos", "causes": causes},
        "code": 422,
    }
    assert crd.verdict(foo(), old).allowed
    assert crd.verdict(old, old, replace=True).allowed
    assert crd.verdict(foo(), replace=True).allowed


def test_an_update_keeps_the_status_and_counts_generations() -> None:
    old = foo({"a": 1}, status={"s": 1}) | {"metadata": {"name": "x", "generation": 4, "uid": "u"}}
    schema = {"type": "object", "properties": {key: dict(KEEP) for key in ("spec", "status")}}
    crd = compile_crd(definition(schema, subresources={"status": {}}))
    changed = crd.verdict(foo({"a": 2}, status={"s": 2}), old).object
    same = crd.verdict(foo({"a": 1}, status={"s": 2}), old).object
    status = crd.verdict(foo({"a": 2}, status={"s": 2}), old, "status").object
    assert changed is not None
    assert same is not None
    assert status is not None
    assert (changed["spec"], changed["status"], changed["metadata"]["generation"]) == ({"a": 2}, {"s": 1}, 5)
    assert (same["metadata"]["generation"], same["metadata"]["uid"]) == (4, "u")
    assert (status["spec"], status["status"], status["metadata"]["generation"]) == ({"a": 1}, {"s": 2}, 4)


KEEP = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def test_creation_drops_the_status_and_a_status_update_judges_it_alone() -> None:
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {"a": {"type": "integer"}}},
            "status": {"type": "object", "required": ["p"], "properties": {"p": {"type": "integer"}}},
        },
    }
    crd = compile_crd(definition(schema, subresources={"status": {}}))
    assert crd.verdict(foo(status={"p": "x"})).allowed
    old = foo({"a": "bad"}, status={"p": 1})
    assert texts(crd, foo(status={"p": "x"}), old, "status") == [
        'status.p: Invalid value: "string": p in body must be of type integer: "string"'
    ]
    assert texts(crd, foo(status={}), old, "status") == ["status.p: Required value"]
    assert crd.verdict(foo(), old, "status").allowed


def test_there_is_no_status_where_it_is_no_subresource() -> None:
    status = compiled({"type": "object"}).verdict(foo(), foo(), "status").status()
    assert status is not None
    assert (status["code"], status["message"]) == (404, 'foos.example.com "x" not found')


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"subresource": "scale", "old": {}}, "subresource must be None or 'status', not 'scale'"),
        ({"subresource": "status"}, "an update of the status needs the old object"),
        ({"field_validation": "strict"}, "field_validation must be one of Warn, Strict, Ignore, not 'strict'"),
    ],
)
def test_broken_calls(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        compiled({"type": "object"}).verdict(foo(), **arguments)


RULES = {
    "type": "object",
    "x-kubernetes-validations": [
        {"rule": "!has(self.n) || self.n > 0", "message": "positive", "fieldPath": ".n", "reason": "FieldValueRequired"}
    ],
    "properties": {
        "n": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "only up"}]},
        "m": {"type": "string", "maxLength": 9, "x-kubernetes-validations": [{"rule": "self != 'bad'"}]},
        "list": {
            "type": "array",
            "maxItems": 9,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": {
                "type": "object",
                "required": ["k"],
                "properties": {
                    "k": {"type": "string"},
                    "v": {"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
                },
            },
        },
        "map": {
            "type": "object",
            "maxProperties": 9,
            "additionalProperties": {"type": "integer", "x-kubernetes-validations": [{"rule": "self < 5"}]},
        },
    },
}


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ({"n": 0}, None, ["spec.n: Required value: positive"]),
        ({"n": 1}, None, []),
        ({"n": 1}, {"n": 2}, ["spec.n: Invalid value: 1: only up"]),
        ({"n": 1}, {}, []),
        ({"m": "bad"}, None, ["spec.m: Invalid value: \"bad\": failed rule: self != 'bad'"]),
        ({"map": {"k.x": 7}}, None, ["spec.map[k.x]: Invalid value: 7: failed rule: self < 5"]),
        (
            {"list": [{"k": "b", "v": 1}, {"k": "a", "v": 2}]},
            {"list": [{"k": "a", "v": 1}]},
            ["spec.list[1].v: Invalid value: 2: failed rule: self == oldSelf"],
        ),
        (
            {"m": "bad", "n": "x"},
            None,
            [
                'spec.n: Invalid value: "string": spec.n in body must be of type integer: "string"',
                "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid;"
                " correct the existing errors to complete validation",
            ],
        ),
    ],
)
def test_rules(new: Any, old: Any, expected: list[str]) -> None:
    assert texts(compiled(RULES), foo(new), None if old is None else foo(old)) == expected


RULED = {"type": "string", "x-kubernetes-validations": [{"rule": "false"}]}
NOT_CHECKED = (
    "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid;"
    " correct the existing errors to complete validation"
)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"type": "object"}, [NOT_CHECKED]),
        ({"type": "string"}, []),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"x-kubernetes-int-or-string": True}, []),
    ],
)
@pytest.mark.parametrize("name", ["b", "é"])
def test_rules_of_properties_of_a_node_of_another_type_do_not_exist(node: Any, expected: list[str], name: str) -> None:
    spec = {"type": "object", "required": ["q"], "properties": {"a": {**node, "properties": {name: RULED}}}}
    # a name that no expression can have gives the property a type of its own
    rules = expected if name == "b" else [NOT_CHECKED]
    assert texts(compiled(spec), foo({})) == ["spec.q: Required value", *rules]


def test_rules_name_their_place() -> None:
    errors = compiled(RULES).verdict(foo({"map": {"k": 7}, "n": 0})).errors
    assert {error.rule for error in errors} == {
        "spec.x-kubernetes-validations[0]",
        "spec.map[*].x-kubernetes-validations[0]",
    }


def test_the_cost_of_rules_is_counted() -> None:
    assert compiled(RULES).verdict(foo({"m": "good"})).cost > 0
    assert compiled({"type": "object"}).verdict(foo({})).cost == 0


def test_a_false_rule_about_something_unchanged_only_warns() -> None:
    crd = compiled(RULES)
    verdict = crd.verdict(foo({"m": "bad", "map": {"a": 1}}), foo({"m": "bad"}))
    assert verdict.allowed
    assert verdict.warnings == ("spec.m: Invalid value: \"bad\": failed rule: self != 'bad'",)
    assert not crd.verdict(foo({"m": "bad"}), foo({"m": "good"})).allowed


@pytest.mark.parametrize(("release", "value"), [("1.35", '"http"'), ("1.34", '"string"')])
def test_a_forgiven_error_is_a_warning_in_the_words_of_the_release(release: str, value: str) -> None:
    crd = compiled({"type": "string", "x-kubernetes-validations": [{"rule": "self.size() < 3"}]}, kubernetes=release)
    labelled = foo("http", metadata={"name": "x", "labels": {"a": "b"}})
    assert crd.verdict(labelled, foo("http")).warnings == (
        f"spec: Invalid value: {value}: failed rule: self.size() < 3",
    )


@pytest.mark.parametrize(
    ("rules", "spec", "old", "messages"),
    [
        # an addition adds to what self is compared with later
        (["self == oldSelf"], ["a", "b"], ["a", "c"], ["failed rule: self == oldSelf"]),
        (["(self + oldSelf).size() == 3", "self == oldSelf"], ["a", "b"], ["a", "c"], []),
        (["self + oldSelf == self"] * 2, ["a", "b"], ["a", "c"], ["failed rule: self + oldSelf == self"]),
        # the elements before the first one that has no hash are compared with
        (
            ["self == oldSelf"] * 2,
            ["a", {}],
            ["a", {}],
            [
                "internal error: runtime error: hash of unhashable type map[string]interface {}"
                " evaluating rule: self == oldSelf",
                "failed rule: self == oldSelf",
            ],
        ),
    ],
)
def test_rules_of_a_node_share_the_set_that_self_is(
    rules: list[str], spec: list[Any], old: list[Any], messages: list[str]
) -> None:
    schema = {
        "type": "array",
        "items": {"type": "string", "maxLength": 9},
        "maxItems": 9,
        "x-kubernetes-list-type": "set",
        "x-kubernetes-validations": [{"rule": rule} for rule in rules],
    }
    errors = compiled(schema).verdict(foo(spec), foo(old)).errors
    assert [error.detail for error in errors if "x-kubernetes-validations" in error.rule] == messages


NULL = "invalid data, expected string, got structpb.NullValue evaluating rule: "


@pytest.mark.parametrize(
    ("items", "kind", "spec", "rule", "message"),
    [
        # a null that is added fits no schema afterwards
        ({"nullable": True}, "atomic", [None], "(self + oldSelf).all(x, x in self)", NULL),
        ({"nullable": True}, "atomic", [None, "a"], "self + oldSelf == oldSelf + self", NULL),
        # times with an offset of whole hours have the same zone in Go, others have not
        ({"format": "date-time"}, "set", ["2020-01-01T00:00:00+01:00"], "(self + oldSelf + oldSelf).size() == 2", ""),
        ({"format": "date-time"}, "set", ["2020-01-01T00:00:00+01:01"], "(self + oldSelf + oldSelf).size() == 3", ""),
    ],
)
def test_sums_hold_what_go_makes_of_their_elements(
    items: dict[str, Any], kind: str, spec: list[Any], rule: str, message: str
) -> None:
    schema = {
        "type": "array",
        "items": {"type": "string", "maxLength": 30, **items},
        "maxItems": 9,
        "x-kubernetes-list-type": kind,
        "x-kubernetes-validations": [{"rule": rule}],
    }
    errors = compiled(schema).verdict(foo(spec, metadata={"name": "x", "labels": {"a": "b"}}), foo(spec)).errors
    assert [error.detail for error in errors] == ([message + rule] if message else [])


RATCHETED = {
    "type": "object",
    "properties": {
        "a": {"type": "integer", "minimum": 5},
        "b": {"type": "integer"},
        "list": {"type": "array", "items": {"type": "integer", "minimum": 5}},
        "map": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": {
                "type": "object",
                "required": ["k"],
                "properties": {"k": {"type": "string"}, "v": {"type": "integer", "minimum": 5}},
            },
        },
        "o": {"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}},
    },
    "allOf": [{"properties": {"b": {"minimum": 5}}}],
}


@pytest.mark.parametrize(
    ("new", "old", "allowed"),
    [
        ({"a": 1, "b": 6}, {"a": 1}, True),
        ({"a": 2}, {"a": 1}, False),
        ({"a": "x", "b": 6}, {"a": "x"}, True),
        ({"list": [1], "b": 6}, {"list": [1]}, True),
        ({"list": [1, 6]}, {"list": [1]}, False),
        ({"map": [{"k": "new", "v": 6}, {"k": "a", "v": 1}]}, {"map": [{"k": "a", "v": 1}]}, True),
        ({"map": [{"k": "a", "v": 2}]}, {"map": [{"k": "a", "v": 1}]}, False),
        ({"o": {}, "b": 6}, {"o": {}}, True),
        # A branch of a node that changed is not forgiven, even if what it is about did not change.
        ({"b": 1, "a": 6}, {"b": 1}, False),
        ({"b": 1}, {"b": 1}, True),
    ],
)
def test_what_was_wrong_before_may_stay(new: Any, old: Any, allowed: bool) -> None:
    assert compiled(RATCHETED).verdict(foo(new), foo(old)).allowed is allowed


def test_nothing_is_forgiven_before_1_30() -> None:
    crd = compiled(RATCHETED, kubernetes="1.29")
    assert texts(crd, foo({"a": 1, "b": 6}), foo({"a": 1})) == [
        "spec.a: Invalid value: 1: spec.a in body should be greater than or equal to 5"
    ]


def test_repetitions_are_forgiven_where_there_were_some() -> None:
    spec = {
        "type": "object",
        "properties": {
            key: {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}} for key in "ab"
        },
    }
    crd = compiled(spec)
    twice = ["x", "x"]
    assert texts(crd, foo({"a": twice})) == ['spec.a[1]: Duplicate value: "x"']
    assert texts(crd, foo({"a": twice}), foo({"a": ["x"]})) == ['spec.a[1]: Duplicate value: "x"']
    assert texts(crd, foo({"a": twice}), foo({"b": twice})) == []


@pytest.mark.parametrize(
    ("kubernetes", "expected"),
    [
        (
            "1.31",
            ["spec.map: Too many: 2: must have at most 1 items", 'spec: Invalid value: "object": told'],
        ),
        (
            "1.34",
            ["spec.map: Too many: 2: must have at most 1 item", 'spec: Invalid value: "object": told'],
        ),
        ("1.35", ["spec.map: Too many: 2: must have at most 1 item", "spec: Invalid value: told"]),
    ],
)
def test_older_releases_have_other_words(kubernetes: str, expected: list[str]) -> None:
    rule = {"rule": "has(self.map)", "message": "told"}
    spec = {
        "type": "object",
        "x-kubernetes-validations": [rule],
        "properties": {"map": {"type": "object", "maxProperties": 1, "additionalProperties": {"type": "integer"}}},
    }
    crd = compiled(spec, kubernetes=kubernetes)
    assert [texts(crd, foo({"map": {"a": 1, "b": 1}}))[0], *texts(crd, foo({}))] == expected


def test_an_error_has_the_wording_of_each_release() -> None:
    [error] = compiled(RULES).verdict(foo({"m": "bad"})).errors
    assert error.text_of("1.34") == "spec.m: Invalid value: \"string\": failed rule: self != 'bad'"


def test_a_deprecated_version_warns_every_time() -> None:
    crd = definition({"type": "object"}, deprecated=True)
    newer = copy.deepcopy(crd["spec"]["versions"][0]) | {"name": "v2", "storage": False, "deprecated": False}
    crd["spec"]["versions"].append(newer)
    assert compile_crd(crd).verdict(foo()).warnings == ("example.com/v1 Foo is deprecated; use example.com/v2 Foo",)


def test_an_object_goes_through_the_version_it_is_stored_in() -> None:
    crd = definition({"type": "object", "properties": {key: dict(KEEP) for key in ("kept", "lost")}})
    stored = copy.deepcopy(crd["spec"]["versions"][0]) | {"name": "v2"}
    stored["schema"]["openAPIV3Schema"]["properties"].pop("lost")
    stored["schema"]["openAPIV3Schema"]["properties"]["made"] = {"type": "string", "default": "x"}
    crd["spec"]["versions"][0]["storage"] = False
    crd["spec"]["versions"].append(stored)
    verdict = compile_crd(crd, version="v1").verdict(foo(kept={"a": 1}, lost={"b": 1}))
    assert verdict.object is not None
    assert set(verdict.object) == {"apiVersion", "kind", "metadata", "kept"}


SCALE = {"scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n", "labelSelectorPath": ".spec.s"}}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"n": 1, "s": "x"}, []),
        ({"n": -1}, [".spec.n: Invalid value: -1: should be a non-negative integer"]),
        ({"n": 2**31}, [".spec.n: Invalid value: 2147483648: should be less than or equal to 2147483647"]),
        (
            {"n": "x"},
            [".spec.n: Invalid value: 0: .spec.n accessor error: x is of the type string, expected int64"],
        ),
        (
            {"s": {"b": [1, None], "a": 1.5}},
            [
                '.spec.s: Invalid value: "": .spec.s accessor error: map[a:1.5 b:[1 <nil>]]'
                " is of the type map[string]interface {}, expected string"
            ],
        ),
    ],
)
def test_scale(spec: Any, expected: list[str]) -> None:
    assert texts(compiled(dict(KEEP), subresources=SCALE), foo(spec)) == expected


EMBEDDED = {"type": "object", "properties": {"e": {**KEEP, "x-kubernetes-embedded-resource": True}}}


@pytest.mark.parametrize(
    ("embedded", "expected"),
    [
        ({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}, []),
        ({}, ["spec.e.apiVersion: Required value", "spec.e.kind: Required value"]),
        (
            {"apiVersion": "a/b/c", "kind": "", "metadata": {"name": "a/b"}},
            [
                'spec.e.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
                'spec.e.kind: Invalid value: "": must not be empty',
                "spec.e.metadata.name: Invalid value: \"a/b\": may not contain '/'",
            ],
        ),
    ],
)
def test_embedded_resources(embedded: Any, expected: list[str]) -> None:
    assert texts(compiled(EMBEDDED), foo({"e": embedded})) == expected


def test_whole_numbers_of_embedded_metadata_are_integers() -> None:
    crd = compiled(EMBEDDED)
    head = {"apiVersion": "v1", "kind": "Pod"}
    new, old = (foo({"e": {**head, "metadata": {"deletionGracePeriodSeconds": value}}}) for value in (5.0, 5))
    verdict = crd.verdict(new, {**old, "metadata": {**old["metadata"], "generation": 7}})
    assert verdict.object is not None
    assert json.dumps(verdict.object["spec"]["e"]["metadata"]) == '{"deletionGracePeriodSeconds": 5}'
    assert verdict.object["metadata"]["generation"] == 7, "nothing has changed"


def test_an_embedded_resource_that_does_not_decode() -> None:
    crd = compiled(EMBEDDED)
    verdict = crd.verdict(foo({"e": {"apiVersion": "v1", "kind": "A", "metadata": {"labels": {"a": 1}}}}))
    assert [error.detail for error in verdict.findings] == [
        'Foo in version "v1" cannot be handled as a Foo: spec.e.metadata: Invalid value: {"labels":{"a":1}}:'
        " json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"
    ]
    verdict = crd.verdict(foo({"e": {"apiVersion": "v1", "kind": "A", "metadata": {"zz": 1, "labels": {}}}}))
    assert verdict.warnings == ('unknown field "spec.e.metadata.zz"',)
    assert verdict.object is not None
    assert verdict.object["spec"]["e"]["metadata"] == {}


def test_a_stored_embedded_resource_that_cannot_be_read() -> None:
    crd = compiled(EMBEDDED)
    embedded = {"apiVersion": "v1", "kind": "A"}
    verdict = crd.verdict(foo({}), foo({"e": embedded | {"metadata": []}}))
    assert verdict.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "spec.e.metadata: Invalid value: []:"
        " json: cannot unmarshal array into Go value of type v1.ObjectMeta",
        "code": 500,
    }
    assert crd.verdict(foo({}), foo({"e": embedded | {"metadata": {"labels": 5}}})).allowed


def test_deep_objects_neither_crash_nor_pass_the_limit() -> None:
    def nested(depth: int) -> Any:
        value: Any = {}
        for _ in range(depth):
            value = {"a": value}
        return value

    crd = compiled(dict(KEEP))
    assert crd.verdict(foo(nested(190)), foo(nested(190))).allowed
    [error] = crd.verdict(foo(nested(100_000))).findings
    assert "nested deeper than 200 levels" in error.detail


@pytest.mark.parametrize("value", [[{}], [{"a": 1}], [[{"a": []}]], {"a": [{}]}, [1], None])
def test_an_optional_of_an_object_equals_the_stored_one_with_data_that_no_schema_describes(value: Any) -> None:
    rule = {"rule": "optional.of(self) == oldSelf", "optionalOldSelf": True}
    held = {"x-kubernetes-preserve-unknown-fields": True}
    crd = compiled({"type": "object", "properties": {"v": held}, "x-kubernetes-validations": [rule]})
    assert texts(crd, foo({"v": value}), foo({"v": value})) == []
    other = texts(crd, foo({"v": value}), foo({"v": "other"}))
    assert other == ["spec: Invalid value: failed rule: optional.of(self) == oldSelf"]


@pytest.mark.parametrize(("value", "allowed"), [("YW==", True), ("YW+/", False)])
def test_presence_of_what_cannot_be_converted_is_an_error(value: str, allowed: bool) -> None:
    """The schema accepts the ordinary alphabet of base64, and CEL reads the URL alphabet."""
    schema = {
        "type": "object",
        "properties": {"data": {"type": "string", "format": "byte"}},
        "x-kubernetes-validations": [{"rule": "has(self.data)"}],
    }
    verdict = compiled(schema).verdict(foo({"data": value}))
    assert verdict.allowed is allowed
    error = "Invalid byte formatted string YW+/: illegal base64 data at input byte 2 evaluating rule: has(self.data)"
    assert [one.detail for one in verdict.errors] == ([] if allowed else [error])
