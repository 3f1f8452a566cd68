import copy

import pytest

from ovnguard.validators.suite.crd_patches import Operation, PatchError, apply_patch

DOCUMENT = {"a": {"b": [1, 2, 3]}, "x/y": {"~": True}, "": 0, "n": None}


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"op": "add", "path": "/a/c", "value": 5}, {**DOCUMENT, "a": {"b": [1, 2, 3], "c": 5}}),
        ({"op": "add", "path": "/a/b", "value": 5}, {**DOCUMENT, "a": {"b": 5}}),
        ({"op": "add", "path": "/a/b/0", "value": 5}, {**DOCUMENT, "a": {"b": [5, 1, 2, 3]}}),
        ({"op": "add", "path": "/a/b/3", "value": 5}, {**DOCUMENT, "a": {"b": [1, 2, 3, 5]}}),
        ({"op": "add", "path": "/a/b/-", "value": 5}, {**DOCUMENT, "a": {"b": [1, 2, 3, 5]}}),
        ({"op": "add", "path": "", "value": 5}, 5),
        ({"op": "remove", "path": "/a/b/1"}, {**DOCUMENT, "a": {"b": [1, 3]}}),
        ({"op": "remove", "path": "/x~1y/~0"}, {**DOCUMENT, "x/y": {}}),
        ({"op": "replace", "path": "/", "value": 1}, {**DOCUMENT, "": 1}),
        ({"op": "replace", "path": "", "value": []}, []),
        ({"op": "copy", "path": "/c", "from": "/a/b/2"}, {**DOCUMENT, "c": 3}),
        ({"op": "move", "path": "/a/b/0", "from": "/a/b/2"}, {**DOCUMENT, "a": {"b": [3, 1, 2]}}),
        ({"op": "move", "path": "/a", "from": "/a"}, DOCUMENT),
        ({"op": "move", "path": "/a", "from": "/a/b"}, {**DOCUMENT, "a": [1, 2, 3]}),
        ({"op": "test", "path": "/n", "value": None}, DOCUMENT),
        ({"op": "test", "path": "/a", "value": {"b": [1.0, 2, 3]}}, DOCUMENT),
    ],
)
def test_operations(operation: Operation, expected: object) -> None:
    before = copy.deepcopy(DOCUMENT)
    assert apply_patch(DOCUMENT, [operation]) == expected
    assert before == DOCUMENT


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (
            {"op": "add", "path": "/q/c", "value": 5},
            f"add '/q/c': member 'q' not found in {DOCUMENT}",
        ),
        ({"op": "add", "path": "/a/b/4", "value": 5}, "add '/a/b/4': can't insert outside of list"),
        ({"op": "add", "path": "/a/b/01", "value": 5}, "add '/a/b/01': '01' is not a valid sequence index"),
        (
            {"op": "add", "path": "/n/x", "value": 5},
            "add '/n/x': Document '<class 'NoneType'>' does not support indexing, must be mapping/sequence or support "
            "__getitem__",
        ),
        ({"op": "remove", "path": "/a/c"}, "remove '/a/c': can't remove a non-existent object 'c'"),
        ({"op": "remove", "path": "/a/b/-"}, "remove '/a/b/-': invalid array index '-'"),
        ({"op": "remove", "path": ""}, "remove '': can't remove the whole document"),
        ({"op": "replace", "path": "/a/c", "value": 5}, "replace '/a/c': can't replace a non-existent object 'c'"),
        ({"op": "replace", "path": "/a/b/3", "value": 5}, "replace '/a/b/3': can't replace outside of list"),
        ({"op": "copy", "path": "/c", "from": "/q"}, "copy '/q' to '/c': 'q'"),
        (
            {"op": "move", "path": "/a/b", "from": "/a"},
            "move '/a' to '/a/b': Cannot move values into their own children",
        ),
        (
            {"op": "test", "path": "/x~1y/~0", "value": 1},
            "test '/x~1y/~0': True (<class 'bool'>) is not equal to tested value 1 (<class 'int'>)",
        ),
        ({"op": "test", "path": "a", "value": 1}, "test 'a': Location must start with /"),
        ({"op": "test", "path": "/a~2", "value": 1}, "test '/a~2': Found invalid escape ~2"),
    ],
)
def test_what_cannot_be_done(operation: Operation, message: str) -> None:
    with pytest.raises(PatchError) as caught:
        apply_patch(DOCUMENT, [{"op": "test", "path": "", "value": DOCUMENT}, operation])
    assert str(caught.value) == message


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
def test_a_token_with_an_equals_sign_selects_the_objects_that_have_the_member(path: str, changed: list[int]) -> None:
    """As github.com/vmware-archive/yaml-patch, which upstream patches CRDs with."""
    patched = apply_patch(VERSIONS, [{"op": "replace", "path": path, "value": 5}])
    assert [version["schema"]["a"] for version in patched["versions"]] == changed


def test_all_objects_that_are_meant_are_changed() -> None:
    both = {"l": [{"k": "v"}, {"k": "v"}, {"k": "w"}]}
    patched = apply_patch(both, [{"op": "add", "path": "/l/k=v/new", "value": 1}])
    assert patched == {"l": [{"k": "v", "new": 1}, {"k": "v", "new": 1}, {"k": "w"}]}


def test_a_token_that_means_no_object_is_an_error() -> None:
    with pytest.raises(PatchError, match="replace '/versions/name=v3/schema': no object matches"):
        apply_patch(VERSIONS, [{"op": "replace", "path": "/versions/name=v3/schema", "value": 5}])


def test_a_long_message_is_cut() -> None:
    with pytest.raises(PatchError) as caught:
        apply_patch({"a": "x" * 5000}, [{"op": "add", "path": "/b/c", "value": 5}])
    assert str(caught.value).startswith("add '/b/c': member 'b' not found in {")
    assert str(caught.value).endswith("xxx ...")
    assert len(str(caught.value)) < 150
