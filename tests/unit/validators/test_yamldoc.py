import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validators import yamldoc
from validators.yamldoc import BadYAML, Position, load_all, positions


def values(text: str | bytes) -> list[object]:
    return [document.value for document in load_all(text.encode() if isinstance(text, str) else text)]


DOCUMENTS = [
    ("a: 1\n---\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
    ("", []),
    ("# nothing\n", []),
    ("a: &x {k: 1}\nb: *x\n", [{"a": {"k": 1}, "b": {"k": 1}}]),
    ("a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\n", [{"a": {"k": 1, "l": 2}, "b": {"k": 3, "l": 2}}]),
    ("a: &x {k: 1}\nb: &y {l: 2}\nc: {<<: [*x, *y]}\n", [{"a": {"k": 1}, "b": {"l": 2}, "c": {"k": 1, "l": 2}}]),
    ("'<<': 1\n", [{"<<": 1}]),
    ("1: a\ntrue: b\n", [{"1": "a", "true": "b"}]),
    ("a: !!str 12\nb: !!int 3\n", [{"a": "12", "b": 3}]),
    ('a: "12"\nb: |\n  12\n', [{"a": "12", "b": "12\n"}]),
    ('{"a":\t[1, 2.5, "x\\ty"]}', [{"a": [1, 2.5, "x\ty"]}]),
]


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS)
def test_documents(text, expected):
    assert values(text) == expected


BAD = [
    ("a: 1\nb: 2\na: 3\n", "duplicate key 'a'", Position(3, 1)),
    ("a: {b: 1, b: 2}\n", "duplicate key 'b'", Position(1, 11)),
    ("a: [1, 2\n", "malformed YAML: did not find expected ',' or ']'", Position(2, 1)),
    ("a: b: c\n", "malformed YAML: mapping values are not allowed in this context", Position(1, 5)),
    ("a: *nobody\n", "unknown anchor 'nobody'", Position(1, 4)),
    ("a: .inf\n", ".inf is not a JSON number", Position(1, 4)),
    ("? [a]\n: b\n", "a mapping key must be a scalar", Position(1, 3)),
    ("~: b\n", "a mapping key must be a string", Position(1, 1)),
    ("a: !!binary aGk=\n", "tag 'tag:yaml.org,2002:binary' is not one that Kubernetes manifests carry", Position(1, 4)),
    ("a: {<<: 3}\n", "a merge key (<<) takes mappings only", Position(1, 9)),
    ("[" * 101 + "]" * 101, "nested deeper than 100 levels", Position(1, 101)),
    (b"a: \xff\xfe", "not YAML text: invalid leading UTF-8 octet (byte 3)", Position(1, 1)),
    (b"\x00", "not YAML text: control characters are not allowed (byte 0)", Position(1, 1)),
]


@pytest.mark.parametrize(("text", "message", "position"), BAD)
def test_bad_text_is_one_error_with_its_place(text, message, position):
    with pytest.raises(BadYAML) as caught:
        values(text)
    assert (caught.value.message, caught.value.position) == (message, position)


def test_aliases_cannot_multiply_without_bound(monkeypatch):
    monkeypatch.setattr(yamldoc, "MAX_NODES", 1000)
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 6)]
    with pytest.raises(BadYAML, match="more than 1000 values in one document"):
        values("\n".join(levels))


def test_positions_name_keys_and_members():
    node = positions(b"a: 1\n---\nspec:\n  list:\n  - x\n  - z: 2\n", 1)
    assert node.keys["spec"] == Position(3, 1)
    item = node.members["spec"].members["list"].members[1]
    assert (item.position, item.keys["z"]) == (Position(6, 5), Position(6, 5))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcxyz", min_size=1), inner, max_size=4),
    max_leaves=20,
)


@given(
    st.dictionaries(st.sampled_from("abcd"), json_values, min_size=1), st.booleans(), st.sampled_from([None, 1, "\t"])
)
def test_json_text_means_what_it_says(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert values(text) == [value]
    assert [document.value for document in load_all(text.encode(), only_json=True)] == [value]


def test_flow_style_that_is_not_json_is_yaml_unless_json_is_asked_for():
    for text, expected in [
        ("{a: 1, b: [x, yes]}", [{"a": 1, "b": ["x", True]}]),
        ("[a, # a comment\n b]", [["a", "b"]]),
        ('{"a": 1}\n---\nb: 2\n', [{"a": 1}, {"b": 2}]),
    ]:
        assert values(text) == expected
        with pytest.raises(BadYAML, match="malformed JSON: "):
            list(load_all(text.encode(), only_json=True))
    assert positions(b"{a: 1,\n b: 2}", 0).keys["b"] == Position(2, 2)


def test_neither_json_nor_yaml_is_a_fault_of_json():
    with pytest.raises(BadYAML) as caught:
        values('{"a": 1,\n "b": [1 2}')
    assert caught.value.message == "malformed JSON: ',' or ']' is expected here, not '2'"
    assert caught.value.position == Position(2, 10)
