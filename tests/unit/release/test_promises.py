"""What release 1.0 promises is kept: entries may come, none may go or change."""

import copy
import json
import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.release.promises import FILE, Promises, broken, document, promises, renewed, written
from tests.support.soak import limit

pytestmark = limit(300)
PROMISED: Promises = json.loads(FILE.read_text(encoding="utf-8"))
LISTED = [
    ("rules", "OVNG-NET-001"),
    ("documents", "report-v1 findings[].file"),
    ("options", "ovnguard-reconciler run --node"),
    ("options", "kubectl ovn-preflight --schema-set=released"),
    ("exit codes", "USAGE"),
    ("metrics", "ovnk_admission_requests_total"),
    ("conditions", "TransitSubnetAllocated"),
]


@pytest.fixture(scope="module")
def kept() -> Promises:
    return promises()


def test_every_promise_is_kept(kept: Promises) -> None:
    assert broken(PROMISED, kept) == []


def test_an_addition_breaks_nothing(kept: Promises) -> None:
    more = {about: {**entries, "something new": "rule"} for about, entries in kept.items()}
    assert broken(PROMISED, more) == []


@pytest.mark.parametrize(("about", "name"), LISTED)
def test_a_removed_entry_is_named(about: str, name: str, kept: Promises) -> None:
    less = copy.deepcopy(kept)
    del less[about][name]
    assert broken(PROMISED, less) == [f"{about}: {name} is gone"]


def test_a_changed_entry_is_named(kept: Promises) -> None:
    other = {**kept, "options": {**kept["options"], "ovnguard-reconciler run --node": "flag"}}
    assert broken(PROMISED, other) == ["options: ovnguard-reconciler run --node was value, is flag"]
    assert broken(PROMISED, {}) != []


def test_a_release_adds_what_is_new_and_refuses_what_goes(tmp_path: Path) -> None:
    file = tmp_path / "promises.json"
    file.write_text(written(old := {"rules": {"a": "rule"}}), encoding="utf-8")
    assert renewed({"rules": {"b": "rule"}}, file) == ["rules: a is gone"]
    assert json.loads(file.read_text(encoding="utf-8")) == old
    assert renewed(more := {"rules": {"a": "rule", "b": "rule"}}, file) == []
    assert json.loads(file.read_text(encoding="utf-8")) == more


def test_fields_of_a_document_are_found_inside_lists_and_definitions(tmp_path: Path) -> None:
    tree = {"type": "object", "properties": {"parts": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    schema = {
        "$id": "https://example.com/tree-v1.json",
        "required": ["kind"],
        "properties": {"kind": {"const": "Tree"}, "top": {"$ref": "#/$defs/tree"}},
        "$defs": {"tree": tree},
    }
    path = tmp_path / "tree-v1.json"
    path.write_text(json.dumps(schema), encoding="utf-8")
    assert dict(document(path)) == {
        "tree-v1": "https://example.com/tree-v1.json",
        "tree-v1 kind": "Tree, required",
        "tree-v1 top": "#/$defs/tree",
        "tree-v1 top.parts": "array",
    }


def test_the_page_names_each_part_of_the_list(kept: Promises) -> None:
    page = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| ([\w ]+) \|", page.partition("\n## ")[0], re.MULTILINE)[1:] == [*kept]
