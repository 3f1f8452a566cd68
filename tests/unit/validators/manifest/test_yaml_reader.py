import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.manifest import yaml_builder
from ovnguard.validators.manifest.position_trees import positions
from ovnguard.validators.manifest.yaml_reader import BadYAML, Position, load_all, load_first


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
    (f"? {'k' * 2048}\n: 1\n", [{"k" * 2048: 1}]),
    (f'{{"{"k" * 2048}": 1}}', [{"k" * 2048: 1}]),
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
    ("a: !!binary aGk\n", "!!binary value contains invalid base64 data", Position(1, 4)),
    ("a: !!int abc\n", "cannot decode !!str `abc` as a !!int", Position(1, 4)),
    ("a: &x [*x]\n", "anchor 'x' value contains itself", Position(1, 8)),
    ("%YAML 1.2\n---\na: 1\n", "malformed YAML: found incompatible YAML document", Position(1, 1)),
    ("a: {<<: 3}\n", "a merge key (<<) takes mappings only", Position(1, 9)),
    ("[" * 101 + "]" * 101, "nested deeper than 100 levels", Position(1, 101)),
    (f"a: 1\n? {'k' * 2049}\n: 1\n", "a key has more than 2048 characters", Position(2, 3)),
    (f'{{"a": 1, "{"k" * 2049}": 1}}', "a key has more than 2048 characters", Position(1, 10)),
    (f"a: &a {'k' * 2049}\nb: {{*a : 1}}\n", "a key has more than 2048 characters", Position(2, 5)),
    (b"a: \xff\xfe", "not YAML text: invalid leading UTF-8 octet (byte 3)", Position(1, 1)),
    (b"\x00", "not YAML text: control characters are not allowed (byte 0)", Position(1, 1)),
]


@pytest.mark.parametrize(("text", "message", "position"), BAD)
def test_bad_text_is_one_error_with_its_place(text, message, position):
    with pytest.raises(BadYAML) as caught:
        values(text)
    assert (caught.value.message, caught.value.position) == (message, position)


def test_aliases_cannot_multiply_without_bound(monkeypatch):
    monkeypatch.setattr(yaml_builder, "MAX_NODES", 1000)
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 6)]
    with pytest.raises(BadYAML, match="more than 1000 values in one document"):
        values("\n".join(levels))


EXCESSIVE = "document contains excessive aliasing"


def refusal(text: str) -> str:
    try:
        values(text)
    except BadYAML as error:
        return f"{error.position.line}:{error.position.column}: {error.message}"
    return ""


@pytest.mark.parametrize(
    ("items", "aliases", "others"), [(1000, 200, 814), (500, 500, 1522), (1000, 395, 2590), (1000, 600, 44243)]
)
def test_as_many_aliases_as_kubectl_reads(items, aliases, others):
    """The numbers are the largest that go.yaml.in/yaml/v2 2.4.3 refuses."""
    anchor, repeated = f"a: &a [{'x,' * items}]", f"b: [{'*a,' * aliases}]"
    assert refusal(f"c: [{'z,' * others}]\n{anchor}\n{repeated}\n").startswith("3:")
    assert refusal(f"c: [{'z,' * others}]\n{anchor}\n{repeated}\n").endswith(EXCESSIVE)
    assert refusal(f"c: [{'z,' * (others + 1)}]\n{anchor}\n{repeated}\n") == ""


@pytest.mark.parametrize(("merged", "others"), [("<<: *a", 416), ("<<: [*a, *a]", 2738)])
def test_merged_mappings_count_as_aliases(merged, others):
    """A merge key is no node, and neither is its list. The numbers are the largest that go.yaml.in/yaml/v2 refuses."""
    anchor = "a: &a {" + ", ".join(f"k{number}: 1" for number in range(500)) + "}\n"
    text = anchor + "".join(f"b{number}: {{{merged}}}\n" for number in range(200))
    assert refusal(f"p: [{'z,' * others}]\n{text}").endswith(EXCESSIVE)
    assert refusal(f"p: [{'z,' * (others + 1)}]\n{text}") == ""


def test_aliases_cannot_repeat_a_long_text_without_bound(monkeypatch):
    monkeypatch.setattr(yaml_builder, "MAX_CHARACTERS", 1000)
    lines = ["a: &a " + "x" * 100, *(f"b{number}: *a" for number in range(8))]
    assert values("\n".join(lines))
    assert refusal("\n".join([*lines, "c: *a"])) == "10:4: more than 1000 characters in one document"
    assert refusal("\n".join([*lines, "*a : 1"])) == "10:1: more than 1000 characters in one document"
    listed = f"a: &a [{'y' * 200}, {'z' * 200}]\nb: *a\n"
    assert refusal(listed) == ""
    assert refusal(f"{listed}c: *a\n") == "3:4: more than 1000 characters in one document"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r", "\x85"])
def test_tag_directives_are_few(encoding, end):
    head = [f"%TAG !t{number}! tag:x" for number in range(101)]
    many, few = (f"{end.join(head[:count])}{end}---{end}a: '%TAG'{end}" for count in (101, 100))
    with pytest.raises(BadYAML) as caught:
        values(many.encode(encoding))
    assert (caught.value.message, caught.value.position) == ("more than 100 %TAG directives", Position(1, 1))
    assert values(few.encode(encoding)) == [{"a": "%TAG"}]
    assert values("a: |\n" + "  %TAG\n" * 200) == [{"a": "%TAG\n" * 200}]


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


with (Path(__file__).parents[3] / "golden" / "yaml" / "sigs-yaml.json").open(encoding="utf-8") as recorded:
    ANSWERS = json.load(recorded)["rows"]


def as_the_server_reads_it(text: str) -> object:
    """JSON numbers as API machinery takes them: an integer that is no int64 is a float64."""
    return json.loads(text, parse_int=lambda digits: n if -(2**63) <= (n := int(digits)) < 2**63 else float(digits))


def first(text: str) -> tuple[object, str | None]:
    """The value of the first document, or why there is none."""
    try:
        return load_first(text.encode("utf-8", "surrogatepass"), lambda *_: None)[0], None
    except BadYAML as error:
        return None, error.message


def test_texts_mean_what_they_mean_to_kubernetes_own_library() -> None:
    """Recorded answers to some 800 texts: scalars, keys, tags, anchors, merges, blocks, streams, broken ones."""
    assert len(ANSWERS) > 800
    for text, answer, refusal, _ in ANSWERS:
        value, refused = first(text)
        assert (refused is None, text) == (refusal is None, text), (refused, refusal)
        if refusal is None:
            expected = as_the_server_reads_it(answer)
            assert (json.dumps(value, sort_keys=True), text) == (json.dumps(expected, sort_keys=True), text)


def test_duplicates_are_reported_where_the_strict_reader_refuses_them() -> None:
    """Except for keys that come twice through merges, which are written once."""
    seen = 0
    for text, _, refusal, strict in ANSWERS:
        if refusal or "<<" in text:
            continue
        messages: list[str] = []
        load_first(
            text.encode("utf-8", "surrogatepass"), lambda message, _, messages=messages: messages.append(message)
        )
        duplicates = [message for message in messages if message.startswith("duplicate key ")]
        assert bool(duplicates) == ("already set in map" in (strict or "")), (text, messages)
        seen += bool(duplicates)
    assert seen >= 15


def test_the_last_of_equal_keys_counts_and_is_reported() -> None:
    messages: list[tuple[str, int]] = []
    value, node = load_first(
        b"a: 1\nb: {c: 1,\n  c: 2}\na: 3\n", lambda message, place: messages.append((message, place.line))
    )
    assert value == {"a": 3, "b": {"c": 2}}
    assert messages == [("duplicate key 'c'; the last one counts", 3), ("duplicate key 'a'; the last one counts", 4)]
    assert node.keys["a"] == Position(4, 1)


@pytest.mark.parametrize(
    ("text", "value", "line"),
    [
        ("a: 1\n---\n", {"a": 1}, 0),
        ("a: 1\n---\n# c\n", {"a": 1}, 0),
        ("a: 1\n---\nb: 2\n", {"a": 1}, 3),
        ("a: 1\n---\n: : [\n", {"a": 1}, 3),
        ("---\n---\na: 1\n", None, 3),
        ("{a: 1} x\n", {"a": 1}, 1),
    ],
)
def test_only_the_first_document_counts(text: str, value: object, line: int) -> None:
    messages: list[tuple[str, int]] = []
    assert load_first(text.encode(), lambda message, place: messages.append((message, place.line)))[0] == value
    assert messages == ([("everything after the first YAML document has no effect", line)] if line else [])
