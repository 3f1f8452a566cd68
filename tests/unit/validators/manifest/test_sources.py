import errno
import os
from pathlib import Path

import pytest

from ovnguard.validators.manifest.documents import EmptyList, Identity, Loaded
from ovnguard.validators.manifest.position_trees import positions
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.manifest.yaml_reader import Position

CM = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {k: %s}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def problems(loaded: Loaded) -> list[tuple[str, int, int, str]]:
    return [(problem.file, problem.line, problem.column, problem.message) for problem in loaded.problems]


def test_folders_are_read_in_order_and_whole(folder):
    write(folder / "d/b.yaml", CM % ("b", 1))
    write(folder / "d/a.yml", CM % ("a", 1) + "---\n" + CM % ("a2", 1))
    write(folder / "d/sub/c.json", '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}')
    write(folder / "d/readme.md", "not a manifest")
    loaded = read_sources(["d"])
    assert [document.identity.name for document in loaded.documents] == ["a", "a2", "b", "c"]
    assert (loaded.files, loaded.problems) == (3, ())


def test_standard_input():
    loaded = read_sources(["-"], stdin=(CM % ("x", 1)).encode())
    assert [(document.file, document.identity) for document in loaded.documents] == [
        ("<stdin>", Identity("", "ConfigMap", "", "x"))
    ]


def test_lists_are_unwrapped_and_keep_their_places(folder):
    write(folder / "l.yaml", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n  spec: {x: 1}\n- 3\n")
    loaded = read_sources(["l.yaml"])
    assert [document.value["kind"] for document in loaded.documents] == ["A"]
    assert loaded.documents[0].position("spec.x") == Position(6, 10)
    assert problems(loaded) == [("l.yaml", 7, 3, "not a Kubernetes object: a mapping is expected")]


LISTS = [
    # apiVersion, kind, items, (apiVersion, kind) of each object
    ("example.com/v1", "WidgetList", "[{metadata: {name: a}}]", [("example.com/v1", "Widget")]),
    ("example.com/v1", "WidgetList", "[{kind: Odd, metadata: {name: a}}]", [("example.com/v1", "Widget")]),
    (
        "example.com/v1",
        "WidgetList",
        "[{apiVersion: v2, kind: Odd}, {}]",
        [("v2", "Odd"), ("example.com/v1", "Widget")],
    ),
    ("v1", "List", "[{apiVersion: v1, kind: WidgetList, items: [{}]}]", [("v1", "Widget")]),
]


@pytest.mark.parametrize(("version", "kind", "items", "expected"), LISTS)
def test_items_are_objects_of_the_kind_of_their_list(version, kind, items, expected):
    loaded = read_sources(["-"], stdin=f"apiVersion: {version}\nkind: {kind}\nitems: {items}\n".encode())
    assert loaded.problems == ()
    assert [(document.value["apiVersion"], document.value["kind"]) for document in loaded.documents] == expected


def test_items_of_a_plain_list_name_their_own_kind():
    loaded = read_sources(["-"], stdin=b"apiVersion: v1\nkind: List\nitems:\n- a: 1\n")
    text = "not a Kubernetes object: apiVersion and kind must be a non-empty string"
    assert (loaded.documents, problems(loaded)) == ((), [("<stdin>", 4, 3, text)])


def test_a_kind_that_only_ends_in_list_is_an_object():
    loaded = read_sources(["-"], stdin=b"apiVersion: example.com/v1\nkind: AccessList\nspec: {}\n")
    assert [document.value["kind"] for document in loaded.documents] == ["AccessList"]


INSTALL_CONFIG = b"apiVersion: v1\nbaseDomain: a.b\nmetadata: {name: a}\nplatform: {none: {}}\n"


def test_an_install_config_is_known_by_its_base_domain_and_platform():
    loaded = read_sources(["-"], stdin=INSTALL_CONFIG)
    (document,) = loaded.documents
    assert loaded.problems == ()
    assert document.identity == ("install.openshift.io", "InstallConfig", "", "a")
    assert (document.position("baseDomain").line, document.position("baseDomain").column) == (2, 1)
    assert document.raw == INSTALL_CONFIG


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (b"apiVersion: v1\nbaseDomain: a.b\n", "kind"),
        (b"apiVersion: v1\nplatform: {none: {}}\n", "kind"),
        (b"apiVersion: v2\nbaseDomain: a.b\nplatform: {none: {}}\n", "kind"),
        (b"apiVersion: v1\nkind: ''\nbaseDomain: a.b\nplatform: {none: {}}\n", "kind"),
        (b"baseDomain: a.b\nplatform: {none: {}}\n", "apiVersion and kind"),
    ],
)
def test_an_incomplete_install_config_is_not_an_object(text, missing):
    loaded = read_sources(["-"], stdin=text)
    assert loaded.documents == ()
    assert [problem.message for problem in loaded.problems] == [
        f"not a Kubernetes object: {missing} must be a non-empty string"
    ]


def test_an_object_with_a_kind_is_what_it_says():
    loaded = read_sources(["-"], stdin=b"apiVersion: v1\nkind: Odd\nbaseDomain: a.b\nplatform: {}\n")
    assert [document.identity.kind for document in loaded.documents] == ["Odd"]


def test_an_old_file_in_the_folder_of_its_new_one(folder):
    write(folder / "n.yaml", CM % ("n", 2))
    write(folder / "n.old.yaml", CM % ("n", 1))
    for paths in (["."], ["n.yaml"], ["n.yaml", "n.old.yaml"]):
        loaded = read_sources(paths)
        assert [document.old and document.old["data"] for document in loaded.documents] == [{"k": 1}]
        assert (loaded.files, loaded.problems) == (1, ())


def test_a_file_is_judged_once_whatever_its_names(folder):
    write(folder / "d/n.yaml", CM % ("n", 2))
    write(folder / "d/n.old.yaml", CM % ("n", 1))
    (folder / "d/same.yaml").symlink_to("n.yaml")
    for paths in (["d/n.yaml", "d/n.yaml"], ["d", "./d/n.yaml"], ["d", "d/same.yaml"], ["./d/n.yaml", "d/n.old.yaml"]):
        loaded = read_sources(paths)
        assert [document.old and document.old["data"] for document in loaded.documents] == [{"k": 1}]
        assert (loaded.files, loaded.problems) == (1, ())
    loaded = read_sources(["-", "-"], stdin=(CM % ("x", 1)).encode())
    assert (loaded.files, len(loaded.documents), loaded.problems) == (1, 1, ())


def test_standard_input_has_one_use():
    loaded = read_sources(["-"], old=["-"], stdin=(CM % ("x", 1)).encode())
    assert problems(loaded) == [
        ("<stdin>", 1, 1, "standard input has already been read; use a file for one of the two"),
    ]


def test_old_paths_must_hold_an_old_side(folder):
    write(folder / "n.yaml", CM % ("n", 3))
    write(folder / "one.yaml", CM % ("other", 1))
    write(folder / "live/two.yaml", CM % ("a", 1) + "---\n" + CM % ("b", 1))
    assert problems(read_sources(["n.yaml"], old=["one.yaml"])) == [
        ("one.yaml", 1, 1, "ConfigMap 'other' is the old version in an update, but no new version is judged")
    ]
    text = "contains old versions of objects, but none of its 2 objects is judged (ConfigMap 'a' is the first)"
    assert problems(read_sources(["n.yaml"], old=["live"])) == [("live", 1, 1, text)]
    write(folder / "live/n.yaml", CM % ("n", 1))
    loaded = read_sources(["n.yaml"], old=["live"])
    assert ([document.old is None for document in loaded.documents], loaded.problems) == ([False], ())


def test_old_option_matches_by_identity_and_wins(folder):
    write(folder / "n.yaml", CM % ("n", 3) + "---\n" + CM % ("m", 3))
    write(folder / "n.old.yaml", CM % ("n", 1))
    write(folder / "live/all.yaml", CM % ("n", 2) + "---\n" + CM % ("m", 2))
    loaded = read_sources(["n.yaml"], old=["live"])
    assert [document.old and document.old["data"] for document in loaded.documents] == [{"k": 2}, {"k": 2}]


PROBLEMS = [
    ("list.yaml", "- 1\n", 1, "not a Kubernetes object: a mapping is expected"),
    ("flow.json", "{\na: 1}", 2, "malformed JSON: a key in double quotes is expected here, not 'a'"),
    ("kind.yaml", "a: 1\napiVersion: v1\nkind: 3\n", 3, "not a Kubernetes object: kind must be a non-empty string"),
    ("items.yaml", "apiVersion: v1\nkind: List\nitems: {}\n", 3, "items: a List needs a list of objects there"),
    ("w.yaml", "apiVersion: w/v1\nkind: WList\nitems: 3\n", 3, "items: a WList needs a list of objects there"),
    ("none.yaml", "a: 1\n", 1, "not a Kubernetes object: apiVersion and kind must be a non-empty string"),
    ("dup.yaml", "a: 1\na: 2\n", 2, "duplicate key 'a'"),
    ("x.old.yaml", CM % ("x", 1), 1, "is the old version in an update, but there is no x.yaml next to it"),
    ("nowhere.yaml", None, 1, "cannot be read: No such file or directory"),
]


@pytest.mark.parametrize(("name", "text", "line", "message"), PROBLEMS, ids=[case[0] for case in PROBLEMS])
def test_what_cannot_be_read_is_one_problem(folder, name, text, line, message):
    if text is not None:
        write(folder / name, text)
    loaded = read_sources([name])
    assert (loaded.documents, problems(loaded)) == ((), [(name, line, 1, message)])


@pytest.mark.parametrize("text", ["", "# a comment\n", "---\n---\n# nothing\n"])
def test_a_file_without_objects_is_skipped(folder, text):
    write(folder / "empty.yaml", text)
    assert read_sources(["empty.yaml"])[:3] == (1, (), ())


@pytest.mark.parametrize("items", ["items: []\n", "items: null\n", ""])
def test_lists_without_items_are_noted(folder, items):
    nodes = items or "items: []\n"
    text = f"apiVersion: v1\nkind: List\n{items}---\napiVersion: v1\nkind: NodeList\n{nodes}"
    write(folder / "none.yaml", text)
    loaded = read_sources(["none.yaml"])
    assert (loaded.documents, loaded.problems) == ((), ())
    assert loaded.empty_lists == {EmptyList("", ""), EmptyList("", "Node")}


def test_a_folder_without_manifests(folder):
    (folder / "d").mkdir()
    assert problems(read_sources(["d"])) == [
        ("d", 1, 1, "the folder contains no manifest (.yaml, .yml, .json); name a folder that does")
    ]


def test_unreadable_folders_and_special_files_are_reported(folder, monkeypatch):
    write(folder / "d/a.yaml", CM % ("a", 1))
    write(folder / "d/locked/b.yaml", CM % ("b", 1))
    write(folder / "elsewhere/c.yaml", CM % ("c", 1))
    (folder / "d/link.yaml").symlink_to(folder / "elsewhere/c.yaml")
    (folder / "d/loop").symlink_to(folder / "d")
    (folder / "d/gone.yaml").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "d/pipe.yaml")
    real = os.scandir

    def scandir(path):  # the tests may run as root, whom no mode keeps out
        if str(path).endswith("locked"):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    loaded = read_sources(["d"])
    assert [document.file for document in loaded.documents] == ["d/a.yaml", "d/link.yaml"]
    assert problems(loaded) == [
        ("d/pipe.yaml", 1, 1, "cannot be read: not a regular file"),
        ("d/locked", 1, 1, "cannot be read: Permission denied"),
        ("d/gone.yaml", 1, 1, "cannot be read: No such file or directory"),
    ]
    assert problems(read_sources(["d/locked"])) == [("d/locked", 1, 1, "cannot be read: Permission denied")]


def test_an_old_side_without_its_object(folder):
    write(folder / "n.yaml", CM % ("n", 2))
    write(folder / "n.old.yaml", CM % ("other", 1))
    text = "ConfigMap 'other' is the old version in an update, but n.yaml has no such object"
    assert problems(read_sources(["."])) == [("n.old.yaml", 1, 1, text)]


POSITIONS = [
    ("spec.subnets[1].cidr", Position(9, 5)),
    ("spec.subnets[7].cidr", Position(7, 3)),
    ("spec.missing.deeper", Position(6, 1)),
    ("metadata.annotations[k8s.ovn.org/node-id]", Position(5, 5)),
    ("metadata.annotations.k8s.ovn.org/node-id", Position(5, 5)),
    ("", Position(1, 1)),
    ("nothing", Position(1, 1)),
]
PLACED = """apiVersion: v1
kind: X
metadata:
  annotations:
    k8s.ovn.org/node-id: "2"
spec:
  subnets:
  - cidr: a
  - cidr: b
"""


@pytest.mark.parametrize(("field", "position"), POSITIONS)
def test_position_of_a_field(field, position):
    document = read_sources(["-"], stdin=PLACED.encode()).documents[0]
    assert document.position(field) == position


STARTS = [
    b"# one\n---\n  apiVersion: v1\n  kind: A\n---\n\n--- &x {apiVersion: v1, kind: B}\n"
    b"--- !!map\napiVersion: v1\nkind: C\n",
    b'\n {"apiVersion": "v1",\n"kind": "A"}\n{"apiVersion": "v1", "kind": "B"}  {"apiVersion": "v1", "kind": "C"}',
    b"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n- {apiVersion: v1, kind: B}\n"
    b"- kind: C\n  apiVersion: v1\n",
]


@pytest.mark.parametrize("text", STARTS)
def test_the_place_of_a_whole_object_is_where_its_text_starts(text):
    documents = read_sources(["-"], stdin=text).documents
    assert [document.value["kind"] for document in documents] == ["A", "B", "C"]
    for document in documents:
        node = positions(document.raw, document.number)
        for step in document.base:
            node = node.members[step]
        assert document.position("") == node.position


def test_files_of_other_tools_are_skipped_and_listed(folder):
    (folder / "c" / "templates").mkdir(parents=True)
    for name in ("c/Chart.yaml", "c/values.yaml", "c/templates/t.yaml", "kustomization.yaml"):
        write(folder / name, "{{ not: yaml")
    write(folder / "k.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n")
    loaded = read_sources([".", "kustomization.yaml"])
    assert (loaded.documents, loaded.problems) == ((), ())
    assert loaded.skipped == (
        ("c/Chart.yaml", "Helm chart"),
        ("c/templates/t.yaml", "Helm chart"),
        ("c/values.yaml", "Helm chart"),
        ("kustomization.yaml", "Kustomization"),
        ("k.yaml", "Kustomization"),
    )


@pytest.mark.parametrize("pattern", ["*.yaml", "[ab].yaml", "**/?.yaml"])
def test_patterns(folder, pattern):
    for name in "ab":
        write(folder / f"{name}.yaml", f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n")
    loaded = read_sources([pattern])
    assert ([each.identity.name for each in loaded.documents], loaded.problems) == (["a", "b"], ())


def test_a_pattern_without_files_is_a_problem(folder):
    assert problems(read_sources(["x*.yaml"])) == [("x*.yaml", 1, 1, "no file matches this pattern")]


def test_a_file_of_a_strange_name_is_no_pattern(folder):
    write(folder / "[a].yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
    assert len(read_sources(["[a].yaml"]).documents) == 1
