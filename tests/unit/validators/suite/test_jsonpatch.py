import copy

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validators.suite.jsonpatch import Op, Operation, PatchError, apply_patch, same, tokens

DOCUMENT = {"a": {"b": [1, 2, 3]}, "x/y": {"~": True}, "": 0, "n": None}


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (Operation(Op.ADD, "/a/c", 5), {**DOCUMENT, "a": {"b": [1, 2, 3], "c": 5}}),
        (Operation(Op.ADD, "/a/b", 5), {**DOCUMENT, "a": {"b": 5}}),
        (Operation(Op.ADD, "/a/b/0", 5), {**DOCUMENT, "a": {"b": [5, 1, 2, 3]}}),
        (Operation(Op.ADD, "/a/b/3", 5), {**DOCUMENT, "a": {"b": [1, 2, 3, 5]}}),
        (Operation(Op.ADD, "/a/b/-", 5), {**DOCUMENT, "a": {"b": [1, 2, 3, 5]}}),
        (Operation(Op.ADD, "", 5), 5),
        (Operation(Op.REMOVE, "/a/b/1"), {**DOCUMENT, "a": {"b": [1, 3]}}),
        (Operation(Op.REMOVE, "/x~1y/~0"), {**DOCUMENT, "x/y": {}}),
        (Operation(Op.REPLACE, "/", 1), {**DOCUMENT, "": 1}),
        (Operation(Op.REPLACE, "", []), []),
        (Operation(Op.COPY, "/c", source="/a/b/2"), {**DOCUMENT, "c": 3}),
        (Operation(Op.MOVE, "/a/b/0", source="/a/b/2"), {**DOCUMENT, "a": {"b": [3, 1, 2]}}),
        (Operation(Op.MOVE, "/a", source="/a"), DOCUMENT),
        (Operation(Op.MOVE, "/a", source="/a/b"), {**DOCUMENT, "a": [1, 2, 3]}),
        (Operation(Op.TEST, "/n", None), DOCUMENT),
        (Operation(Op.TEST, "/a", {"b": [1.0, 2, 3]}), DOCUMENT),
    ],
)
def test_operations(operation: Operation, expected: object) -> None:
    before = copy.deepcopy(DOCUMENT)
    assert apply_patch(DOCUMENT, [operation]) == expected
    assert before == DOCUMENT


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (Operation(Op.ADD, "/q/c", 5), "add '/q/c': there is nothing at /q"),
        (Operation(Op.ADD, "/a/b/4", 5), "add '/a/b/4': '4' is no place in a list of 3"),
        (Operation(Op.ADD, "/a/b/01", 5), "add '/a/b/01': '01' is no place in a list of 3"),
        (Operation(Op.ADD, "/n/x", 5), "add '/n/x': its parent is neither object nor list"),
        (Operation(Op.REMOVE, "/a/c"), "remove '/a/c': there is nothing at /a/c"),
        (Operation(Op.REMOVE, "/a/b/-"), "remove '/a/b/-': there is nothing at /a/b/-"),
        (Operation(Op.REMOVE, ""), "remove '': the whole document cannot be removed"),
        (Operation(Op.REPLACE, "/a/c", 5), "replace '/a/c': there is nothing at /a/c"),
        (Operation(Op.REPLACE, "/a/b/3", 5), "replace '/a/b/3': there is nothing at /a/b/3"),
        (Operation(Op.COPY, "/c", source="/q"), "copy '/c': there is nothing at /q"),
        (Operation(Op.MOVE, "/a/b", source="/a"), "move '/a/b': cannot move '/a' into itself"),
        (Operation(Op.TEST, "/x~1y/~0", 1), "test '/x~1y/~0': the value there is another one"),
        (Operation(Op.TEST, "a", 1), "test 'a': a JSON pointer is empty or begins with /"),
        (Operation(Op.TEST, "/a~2", 1), "test '/a~2': ~ stands only in ~0 and ~1"),
    ],
)
def test_what_cannot_be_done(operation: Operation, message: str) -> None:
    with pytest.raises(PatchError) as caught:
        apply_patch(DOCUMENT, [Operation(Op.TEST, "", DOCUMENT), operation])
    assert str(caught.value) == message


def test_escapes_are_read_once() -> None:
    assert tokens("/~01/~10/") == ("~1", "/0", "")


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (0, False), ("1", 1), (None, False), ([], {}), ({"a": 1}, {"a": True}), ([1], [1, 1])],
)
def test_values_that_are_not_the_same(left: object, right: object) -> None:
    assert not same(left, right)


KEYS = st.sampled_from(["a", "b", "0", "1", "-", "x/y", "~"])
VALUES = st.recursive(
    st.sampled_from([None, 0, 1, "s"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)
POINTERS = st.lists(KEYS.map(lambda key: key.replace("~", "~0").replace("/", "~1")), max_size=3).map(
    lambda steps: "".join(f"/{step}" for step in steps)
)


@given(VALUES, st.sampled_from(["add", "remove", "replace", "copy", "move"]), POINTERS, POINTERS, VALUES)
def test_the_same_as_another_implementation(document, op, path, source, value) -> None:
    wire = {"op": op, "path": path, "from": source, "value": value}
    try:
        expected = jsonpatch.apply_patch(copy.deepcopy(document), [wire])
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError, KeyError, AttributeError):
        return  # the standard does not say how a patch fails, and jsonpatch fails in more ways than one
    try:
        found = apply_patch(document, [Operation(Op(op), path, value, source)])
    except PatchError:
        # jsonpatch takes what RFC 6902 forbids: removing or replacing the root, moving a value into itself
        assert op in {"move", "remove"}
        return
    assert same(found, expected)


VERSIONS = {
    "versions": [{"name": "v1", "schema": {"a": 1}}, {"name": "v2", "schema": {"a": 1}}],
    "x": {"deep": {"k": "v"}},
}


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("/versions/name=v2/schema/a", [1, 5]),
        ("/versions/name=v1/schema/a", [5, 1]),
        ("/name=v2/schema/a", [1, 5]),
    ],
)
def test_a_token_with_an_equals_sign_stands_for_the_objects_that_have_the_member(path: str, changed: list[int]) -> None:
    """As github.com/vmware-archive/yaml-patch, which upstream patches CRDs with."""
    patched = apply_patch(VERSIONS, [Operation(Op.REPLACE, path, 5)])
    assert [version["schema"]["a"] for version in patched["versions"]] == changed


def test_all_objects_that_are_meant_are_changed() -> None:
    both = {"l": [{"k": "v"}, {"k": "v"}, {"k": "w"}]}
    patched = apply_patch(both, [Operation(Op.ADD, "/l/k=v/new", 1)])
    assert patched == {"l": [{"k": "v", "new": 1}, {"k": "v", "new": 1}, {"k": "w"}]}


def test_a_token_that_means_no_object_is_an_error() -> None:
    with pytest.raises(PatchError, match="replace '/versions/name=v3/schema': no object is meant by it"):
        apply_patch(VERSIONS, [Operation(Op.REPLACE, "/versions/name=v3/schema", 5)])
