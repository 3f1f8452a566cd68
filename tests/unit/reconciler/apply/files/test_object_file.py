"""The objects of a file-backed store: one List, changes by name, one clear error for what is not its own."""

import json
from typing import Any

import pytest

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.apply.files.object_file import stored_changes
from ovnguard.reconciler.apply.store_errors import StoreCorruptError


def made(name: str, asn: int = 1, **metadata: Any) -> dict[str, Any]:
    spec = {"bgp": {"routers": [{"asn": asn}]}}
    return {"kind": "FRRConfiguration", "metadata": {"name": name, "namespace": "frr", **metadata}, "spec": spec}


def no(_: object) -> bool:
    return False


@pytest.fixture
def store(tmp_path) -> FileStore:
    return FileStore(tmp_path / "store")


def test_objects_come_back_as_they_were_in_a_list(store, tmp_path):
    assert store.read_objects() == ()
    assert not (tmp_path / "store").exists()
    store.write_objects([made("b"), made("a", asn=2)])
    assert store.read_objects() == (made("b"), made("a", asn=2))
    value = json.loads((tmp_path / "store/objects.json").read_text())
    assert (value["apiVersion"], value["kind"], len(value["items"])) == ("v1", "List", 2)


def test_without_objects_there_is_no_file(store, tmp_path):
    store.write_objects([made("a")])
    (tmp_path / "store/notes.txt").write_text("mine")
    store.write_objects([])
    assert [path.name for path in (tmp_path / "store").iterdir()] == ["notes.txt"]


def test_changes_are_those_of_objects_with_one_name():
    before, after = (
        [made("same"), made("other", asn=1), made("gone")],
        [made("same"), made("other", asn=2), made("new")],
    )
    changes = stored_changes(before, after, no)
    assert changes
    assert changes.added == (made("new"),)
    assert changes.changed == (made("other", asn=2),)
    assert changes.removed == (made("gone"),)
    assert changes.objects == (made("new"), made("other", asn=2), made("same"))
    assert not stored_changes(changes.objects, reversed(after), no)


def test_an_object_that_stays_is_not_removed():
    changes = stored_changes([made("kept"), made("gone")], [], lambda obj: obj["metadata"]["name"] == "kept")
    assert changes.objects == (made("kept"),)
    assert changes.removed == (made("gone"),)


def listed(*items: object) -> str:
    return json.dumps({"kind": "List", "items": items})


OTHER = "is not of this store: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n,", "is not JSON: Expecting property name enclosed in double quotes: line 2 column 1 (char 2)"),
        ("[" * 100_000, f"{OTHER}nested too deeply"),
        ("[]", f"{OTHER}it is no List with items"),
        ('{"kind": "List"}', f"{OTHER}it is no List with items"),
        ('{"kind": "Pod", "items": []}', f"{OTHER}it is no List with items"),
        (listed(made("a"), []), f"{OTHER}items[1] is not an object"),
        (listed(made("a"), {"kind": "X"}), f"{OTHER}items[1].metadata is not a mapping"),
        (listed({"metadata": {"name": "a"}}), f"{OTHER}items[0].kind is not a name"),
        (listed(made("")), f"{OTHER}items[0].metadata.name is not a name"),
        (listed(made("\ud800")), f"{OTHER}items[0].metadata.name is not a name"),
        (listed(made("a", namespace=1)), f"{OTHER}items[0].metadata.namespace is not a name"),
    ],
)
def test_a_spoiled_file_is_one_clear_error(store, tmp_path, text, message):
    file = tmp_path / "store/objects.json"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(StoreCorruptError) as raised:
        store.read_objects()
    assert str(raised.value) == f"{file}: {message}; move it away"
    assert file.read_text() == text


def test_the_lock_sweeps_what_a_killed_writer_left(store, tmp_path):
    store.write_objects([made("a")])
    leftover = tmp_path / "store/.ovnguard-objects.json-abc"
    leftover.write_text("half")
    with store.locked():
        assert not leftover.exists()
    assert store.read_objects() == (made("a"),)
