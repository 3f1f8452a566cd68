"""Data under a schema: what formats become, what lists of type set and map mean, what is not looked at."""

import pytest

from ovnguard.validators.cel.types.declaration import declare
from ovnguard.validators.cel.types.errors import EvalError, EvaluationPanic
from ovnguard.validators.cel.values.equality import same
from ovnguard.validators.cel.values.json_values import SchemaList, wrap
from tests.support.cel.cel_compile import compile_rule
from tests.support.generated_rule import confirms, conforms


def text_of(form, value):
    return str(wrap(value, declare({"type": "string", "format": form})))


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        ("date-time", "2020-01-01T00:00:00.120Z", "2020-01-01T00:00:00.12Z"),
        ("date-time", "2020-01-01T00:00:00+01:30", "2020-01-01T00:00:00+01:30"),
        ("date-time", "0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ("date-time", "", "1970-01-01T00:00:00Z"),
        ("date", "2020-02-29", "2020-02-29T00:00:00Z"),
        ("duration", "2 weeks", "336h0m0s"),
        ("duration", "1d2h", "26h0m0s"),
        ("duration", "1.5h", "1h30m0s"),
        ("duration", "-1h", "-1h0m0s"),
        ("duration", "5min", "5m0s"),
        ("byte", "aGk=", "b'hi'"),
    ],
)
def test_format(form, value, text):
    assert text_of(form, value) == text


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        (
            "date-time",
            "2020-01-01t00:00:00z",
            'Invalid date-time formatted string 2020-01-01t00:00:00z: parsing time "2020-01-01t00:00:00z" as '
            '"2006-01-02T15:04:05": cannot parse "t00:00:00z" as "T"',
        ),
        ("duration", "10 foo", "Invalid duration 10 foo: unable to parse 10 foo as duration"),
        (
            "date",
            "2020-1-1",
            'Invalid date formatted string 2020-1-1: parsing time "2020-1-1" as "2006-01-02": '
            'cannot parse "1-1" as "01"',
        ),
    ],
)
def test_text_that_passes_the_format_but_is_no_value(form, value, message):
    with pytest.raises(EvalError) as caught:
        text_of(form, value)
    assert str(caught.value) == message


KEYED = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}},
}
UNIQUE = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}
PLAIN = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "new", "old", "same"),
    [
        (UNIQUE, ["a", "b"], ["b", "a"], True),
        (UNIQUE, ["a", "b"], ["b", "c"], False),
        (PLAIN, ["a", "b"], ["b", "a"], False),
        (KEYED, [{"k": "a", "v": 1}, {"k": "b"}], [{"k": "b"}, {"k": "a", "v": 1}], True),
        (KEYED, [{"k": "a", "v": 1}], [{"k": "a", "v": 2}], False),
        (KEYED, [{"k": "a"}], [{"k": "b"}], False),
    ],
)
def test_equality_follows_the_list_type(schema, new, old, same):
    rule = compile_rule("self == oldSelf", schema)
    assert rule.evaluate(new, old).ok is same
    assert confirms(rule, new, old) is same


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        ({"type": "integer"}, 1, True),
        ({"type": "integer"}, 1.0, False),
        ({"type": "integer"}, True, False),
        ({"type": "number"}, 1, True),
        ({"type": "boolean"}, 1, False),
        ({"type": "string", "nullable": True}, None, True),
        ({"type": "string"}, None, False),
        (PLAIN, ["a", 1], False),
        (KEYED, [{"k": "a", "other": object}], True),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": "b"}, False),
        ({"x-kubernetes-int-or-string": True}, "a", True),
        ({"x-kubernetes-preserve-unknown-fields": True, "type": "object"}, {"a": object}, True),
    ],
)
def test_what_the_fast_path_relies_on(schema, value, fits):
    assert conforms(value, declare(schema)) is fits


def test_nothing_is_confirmed_for_data_of_other_types():
    rule = compile_rule("self > 0", {"type": "integer"})
    assert confirms(rule, 1)
    assert not confirms(rule, 1.0)
    assert not rule.evaluate(1.0).ok


def test_transition_rule_confirms_nothing_without_old_value():
    assert not confirms(compile_rule("self == oldSelf", {"type": "integer"}), 1)


def test_the_keys_of_a_list_are_made_once_and_stay_incomplete() -> None:
    item = {"type": "object", "properties": {"k": {"type": "string"}}}
    schema = {
        "type": "array",
        "items": item,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
    }
    one = SchemaList([{"k": {}}], declare(schema))
    texts = []
    for _ in range(2):
        with pytest.raises(EvaluationPanic) as fault:
            same(one, one)
        texts.append(str(fault.value))
    assert texts == [
        "runtime error: hash of unhashable type map[string]interface {}",
        "hash of unhashable type: map[string]interface {}",
    ]
