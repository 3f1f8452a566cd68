"""A server's spelling and ours mean the same column."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.apply.ovn.ovsdb_json import Kind, decode
from ovnguard.reconciler.plan.render.as_json import column_to_json
from ovnguard.reconciler.plan.rows.row import Ref

REFS = st.builds(Ref, st.uuids().map(str))
SETS = st.one_of(
    st.sets(st.text(), max_size=4).map(lambda texts: tuple(sorted(texts))),
    st.sets(REFS, max_size=4).map(lambda refs: tuple(sorted(refs))),
)
COLUMNS = st.one_of(
    st.tuples(st.one_of(st.text(), st.integers(), st.booleans(), REFS), st.just(Kind.ONE)),
    st.tuples(SETS, st.just(Kind.SET)),
    st.tuples(st.dictionaries(st.text(), st.text(), max_size=4), st.just(Kind.MAP)),
)


def as_server(spelled):
    """A server writes the element of a set of one."""
    if isinstance(spelled, list) and spelled[0] == "set" and len(spelled[1]) == 1:
        return spelled[1][0]
    return spelled


@given(COLUMNS)
def test_both_spellings_come_back_as_the_same_column(case):
    column, kind = case
    spelled = json.loads(json.dumps(column_to_json(column)))
    assert decode(spelled, kind) == column
    assert decode(as_server(spelled), kind) == column


@pytest.mark.parametrize(
    ("value", "kind", "column"),
    [
        ("a", Kind.SET, ("a",)),
        ("a", Kind.ONE, "a"),
        (7, Kind.SET, (7,)),
        (["uuid", "u"], Kind.SET, (Ref("u"),)),
        (["uuid", "u"], Kind.ONE, Ref("u")),
        (["set", []], Kind.SET, ()),
        (["map", [["mark", 42], ["dscp", 0]]], Kind.MAP, {"mark": "42", "dscp": "0"}),
    ],
)
def test_schema_decides_whether_a_value_is_a_set(value, kind, column):
    assert decode(value, kind) == column


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not a value of OVSDB: None"),
        (1.5, "not a value of OVSDB: 1.5"),
        ({"uuid": "a"}, "not a value of OVSDB: {'uuid': 'a'}"),
        (["set", "a"], "not a value of OVSDB: ['set', 'a']"),
        (["set", [["set", []]]], "not a value of OVSDB: ['set', []]"),
        (["map", {}], "not a value of OVSDB: ['map', {}]"),
        (["map", [["k", True]]], "not a pair of strings: ['k', True]"),
        (["map", [[1, 1]]], "not a pair of strings: [1, 1]"),
        (["uuid", 1], "not a value of OVSDB: ['uuid', 1]"),
    ],
)
def test_an_invalid_column_is_refused(value, text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        decode(value)


def test_sets_are_sorted_however_they_are_written():
    assert decode(["set", ["b", "a"]]) == ("a", "b")
    assert decode(["set", [10, 9]]) == (9, 10)
