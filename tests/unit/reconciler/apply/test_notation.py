"""Columns survive their way through JSON."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.apply.notation import Kind, decode, encode, sorted_set
from reconciler.plan.rows import Ref

ATOMS = {
    "string": st.text(),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "reference": st.builds(Ref, st.uuids().map(str)),
}
SETS = st.one_of(*(st.sets(atoms, max_size=4).map(sorted_set) for atoms in ATOMS.values()))
COLUMNS = st.one_of(*ATOMS.values(), st.booleans(), SETS, st.dictionaries(st.text(), st.text(), max_size=4))


@given(COLUMNS)
def test_a_column_comes_back_as_it_was(column):
    assert decode(json.loads(json.dumps(encode(column)))) == column


@pytest.mark.parametrize(
    ("column", "spelled"),
    [
        ("x", "x"),
        (True, True),
        (7, 7),
        (Ref("u"), ["uuid", "u"]),
        ((), ["set", []]),
        (("a",), ["set", ["a"]]),
        ((Ref("u"), Ref("v")), ["set", [["uuid", "u"], ["uuid", "v"]]]),
        ({"b": "2", "a": "1"}, ["map", [["a", "1"], ["b", "2"]]]),
    ],
)
def test_spelling(column, spelled):
    assert encode(column) == spelled


@pytest.mark.parametrize(
    ("value", "kind", "column"),
    [
        ("a", Kind.SET, ("a",)),
        (["uuid", "u"], Kind.SET, (Ref("u"),)),
        (["set", ["b", "a"]], Kind.SET, ("a", "b")),
        (["set", ["a"]], Kind.ONE, "a"),
        ("a", Kind.ONE, "a"),
        (["map", []], Kind.MAP, {}),
    ],
)
def test_a_server_may_spell_a_set_of_one_as_its_element(value, kind, column):
    assert decode(value, kind) == column


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "'None' is no value of a column"),
        (1.5, "'1.5' is no value of a column"),
        ({}, "'{}' is no value of a column"),
        (["set", "a"], "a set needs a list of elements"),
        (["set", [None]], "'None' is no value of a column"),
        (["map", {}], "a map needs a list of pairs"),
        (["map", [["a"]]], "a map needs pairs of strings"),
        (["map", [["a", 1]]], "a map needs pairs of strings"),
        (["uuid", 1], "\"['uuid', 1]\" is no value of a column"),
    ],
)
def test_what_is_no_column(value, text):
    with pytest.raises(ValueError, match="^" + re.escape(text) + "$"):
        decode(value)
