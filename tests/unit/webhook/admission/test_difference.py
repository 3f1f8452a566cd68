"""The patch leads to the target, nothing in it is superfluous, and it reads well in an audit log."""

import copy
import json

import jsonpatch
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.webhook.admission.responses import difference
from tests.support.soak import examples

KEYS = st.sampled_from(["a", "b", "", "a/b", "~", "~1", "m~n/o", "0", "-", "é"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.5, 1.0, -1.0]), st.text(max_size=2)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


def same(one, other):
    """Whether two values are the same JSON, number types included."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({"a": 1}, {"a": 1}, [], id="equal"),
        pytest.param({}, {"a": {"b": 1}}, [{"op": "add", "path": "/a", "value": {"b": 1}}], id="add"),
        pytest.param({"a": 1, "b": 2}, {"b": 2}, [{"op": "remove", "path": "/a"}], id="remove"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, [{"op": "replace", "path": "/a/b", "value": 2}], id="nested"),
        pytest.param({"a": 1}, {"a": 1.0}, [{"op": "replace", "path": "/a", "value": 1.0}], id="int is not float"),
        pytest.param({"a": 1}, {"a": True}, [{"op": "replace", "path": "/a", "value": True}], id="int is not bool"),
        pytest.param({"a": None}, {}, [{"op": "remove", "path": "/a"}], id="null is a value"),
        pytest.param({"a": {}}, {"a": []}, [{"op": "replace", "path": "/a", "value": []}], id="kind of container"),
        pytest.param(
            {"a": {}},
            {"a": {"ovnguard.io/transit-subnets": "x"}},
            [{"op": "add", "path": "/a/ovnguard.io~1transit-subnets", "value": "x"}],
            id="slash in a key",
        ),
        pytest.param([1, 2, 3], [2, 3], [{"op": "remove", "path": "/0"}], id="list without its head"),
        pytest.param([1, 3], [1, 2, 3], [{"op": "add", "path": "/1", "value": 2}], id="list with one more inside"),
        pytest.param([1, 2, 3, 4], [1], [{"op": "remove", "path": "/1"}] * 3, id="list without its tail"),
        pytest.param([{"a": 1}], [{"a": 2}], [{"op": "replace", "path": "/0/a", "value": 2}], id="inside a list"),
        pytest.param(1, {"a": 1}, [{"op": "replace", "path": "", "value": {"a": 1}}], id="root"),
    ],
)
def test_table(before, after, expected):
    assert difference(before, after) == expected


@settings(deadline=None)
@given(VALUES, VALUES)
def test_leads_to_the_target_and_changes_nothing(before, after):
    kept = copy.deepcopy(before), copy.deepcopy(after)
    result = jsonpatch.apply_patch(before, json.loads(json.dumps(difference(before, after))))
    assert same(result, after)
    assert same(before, kept[0])
    assert same(after, kept[1])


@settings(deadline=None)
@given(VALUES, VALUES)
def test_asking_again_asks_for_nothing(before, after):
    result = jsonpatch.apply_patch(before, difference(before, after))
    assert difference(result, after) == []


@settings(max_examples=examples(60), deadline=None)
@given(VALUES, VALUES)
def test_no_operation_can_be_left_out(before, after):
    patch = difference(before, after)
    for index in range(len(patch)):
        shorter = patch[:index] + patch[index + 1 :]
        try:
            result = jsonpatch.apply_patch(before, shorter)
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
            continue
        assert not same(result, after)


@settings(deadline=None)
@given(VALUES, VALUES)
def test_only_add_replace_remove(before, after):
    assert {operation["op"] for operation in difference(before, after)} <= {"add", "replace", "remove"}
