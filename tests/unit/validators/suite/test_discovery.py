import errno
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ovnguard.validators.suite import discovery
from ovnguard.validators.suite.discovery import Damaged, Library, NoSuites, SuiteLocation, find_suites
from ovnguard.validators.suite.suite import Definition, SuiteFault
from ovnguard.validators.suite.suite_paths import is_suite
from tests.support.suite_sample import GOOD, NAME, crd, layout, write


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "text", "suite"),
    [
        ("v1/tests/foos.example.com/a.yaml", "anything", True),
        ("v1/tests/foos.example.com/a.yml", "crdName: x", False),
        ("v1/tests/foos.example.com/deep/a.yaml", "crdName: x", False),
        ("v1/tests/a.yaml", "crdName: x", False),
        ("v1/test/foos.example.com/a.yaml", "crdName: x", False),
        ("v1/tests/testdata/a.yaml", "crdName: x", False),
        ("tests/golden/a.yaml", "name: x\nitems:\n- crdName: x\n", False),
        ("tests/golden/a.yaml", "name: x\ncrdName: x\n", True),
        ("tests/golden/a.yaml", '"crdName": x\n', True),
    ],
)
def test_what_counts_as_a_suite(here: Path, path: str, text: str, suite: bool) -> None:
    file = here / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    assert is_suite(file) is suite


def test_suites_are_found_in_order_and_once(here: Path) -> None:
    layout(here / "b", GOOD, GOOD)
    layout(here / "a", GOOD)
    layout(here / "a" / ".hidden", GOOD)
    found = find_suites(["b", here / "a", f"b/example/v1/tests/{NAME}/0.yaml"])
    assert [place.label(place.path) for place in found] == [
        f"example/v1/tests/{NAME}/0.yaml",
        f"example/v1/tests/{NAME}/1.yaml",
        f"example/v1/tests/{NAME}/0.yaml",
    ]
    assert [place.root.name for place in found] == ["b", "b", "a"]


def test_a_folder_inside_a_suites_folder_holds_suites_too(here: Path) -> None:
    layout(here, GOOD)
    for path in (f"example/v1/tests/{NAME}", "example/v1/tests"):
        (place,) = find_suites([path])
        assert place.path == here / "example/v1/tests" / NAME / "0.yaml"


def test_linked_folders_are_not_followed(here: Path) -> None:
    layout(here / "a", GOOD)
    (here / "a" / "example" / "loop").symlink_to(here / "a")
    assert len(find_suites(["a"])) == 1


def test_labels(here: Path) -> None:
    place = SuiteLocation(here / "api/v1/tests/x.y/a.yaml", here / "api")
    assert place.label(here / "api/v1/crd.yaml") == "v1/crd.yaml"
    assert place.label(here / "other/crd.yaml") == "other/crd.yaml"
    assert place.label(Path("/elsewhere/crd.yaml")) == "/elsewhere/crd.yaml"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("absent", "absent: no such file or folder"),
        ("empty", "empty: holds no suite; suites are YAML files in a folder tests/CRDNAME"),
    ],
)
def test_paths_without_suites(here: Path, path: str, message: str) -> None:
    (here / "empty").mkdir()
    with pytest.raises(NoSuites) as caught:
        find_suites([path])
    assert str(caught.value) == message


def test_too_many_files(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MAX_FILES", 1)
    with pytest.raises(NoSuites, match="holds more than 1 files; name a folder further down"):
        find_suites([layout(here, GOOD)])


def test_an_unreadable_folder_is_reported_and_hides_nothing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.walk

    def walk(folder: Path, onerror: Callable[[OSError], None]) -> Iterator[object]:
        onerror(PermissionError(errno.EACCES, "Permission denied", str(folder / "locked")))
        yield from whole(folder)

    layout(here, GOOD)
    monkeypatch.setattr(os, "walk", walk)
    locked, suite = find_suites(["example"])
    assert (suite.fault, locked.label(locked.path)) == ("", "locked")
    assert locked.fault == "cannot be read: Permission denied"
    with pytest.raises(NoSuites, match="example/locked: cannot be read: Permission denied"):
        Library(["example"]).definitions(suite, NAME)


def test_only_regular_files_are_opened(here: Path) -> None:
    pipe = here / "v1/tests/foos.example.com/a.yaml"
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    with pytest.raises(SuiteFault, match=r"a\.yaml: is no regular file; remove it or name another folder"):
        discovery.read_bytes(pipe)
    hidden = here / "tests/golden/a.yaml"
    hidden.parent.mkdir(parents=True)
    os.mkfifo(hidden)
    assert not is_suite(hidden)


def test_links_to_suites_are_read_and_broken_ones_reported(here: Path) -> None:
    layout(here / "a", GOOD)
    folder = here / "a/example/v1/tests" / NAME
    (folder / "1.yaml").symlink_to("0.yaml")
    (folder / "2.yaml").symlink_to("2.yaml")
    one, two, loop = find_suites(["a"])
    assert discovery.read_bytes(one.path) == discovery.read_bytes(two.path)
    with pytest.raises(SuiteFault, match=r"2\.yaml: cannot be read: Too many levels of symbolic links"):
        discovery.read_bytes(loop.path)


@pytest.mark.parametrize("given", [".", "a", "a/", "./a/../a", "link"])
def test_labels_are_relative_to_the_path_however_it_is_written(here: Path, given: str) -> None:
    layout(here / "a", GOOD)
    (here / "link").symlink_to("a")
    (place,) = find_suites([given])
    prefix = "a/" if given == "." else ""
    assert place.label(place.path) == f"{prefix}example/v1/tests/{NAME}/0.yaml"


def test_definition_is_found_among_a_thousand_files_that_cannot_be_parsed(here: Path) -> None:
    folder = layout(here, GOOD) / "example/v1/zz_generated.crd-manifests"
    for number in range(1000):
        (folder / f"{number}.yaml").write_text(f"name: other{number}.example.com\na: [")
    (found,) = Library().definitions(place_of(here), NAME)
    assert found.label.endswith("foos.yaml")


def place_of(root: Path) -> SuiteLocation:
    return SuiteLocation(root / "example/v1/tests" / NAME / "0.yaml", root)


def test_crds_are_in_the_parent_or_a_sibling_of_the_tests_folder(here: Path) -> None:
    layout(here, GOOD, crds={"b.yaml": crd(), "a.yaml": crd(5), "c.yaml": {**crd(), "metadata": {"name": "x.y"}}})
    write(here / "example/v1/foos.yaml", crd())
    generated = "example/v1/zz_generated.crd-manifests"
    found = Library().definitions(place_of(here), NAME)
    labels = [one.label for one in found]
    assert all(isinstance(one, Definition) for one in found)
    assert labels == [f"{generated}/a.yaml", f"{generated}/b.yaml"]
    (here / generated).rename(here / "example/v1/moved")
    labels = [found.label for found in Library().definitions(place_of(here), NAME)]
    assert labels == ["example/v1/foos.yaml"]


def test_given_crds_replace_both(here: Path) -> None:
    layout(here / "api", GOOD)
    write(here / "mine/deep/all.yaml", {**crd(), "metadata": {"name": "x.y"}}, crd(7), {"kind": "List", "x": NAME})
    write(here / "one.yaml", crd(8))
    library = Library(["mine", "one.yaml"])
    found = library.definitions(place_of(here / "api"), NAME)
    assert [definition.label for definition in found] == ["mine/deep/all.yaml", "one.yaml"]
    with pytest.raises(SuiteFault) as caught:
        library.definitions(place_of(here / "api"), "bars.example.com")
    assert str(caught.value) == "no CRD bars.example.com in mine, one.yaml; name its folder with --crds"


def test_a_file_that_is_no_yaml_matters_only_where_the_crd_may_be_in_it(here: Path) -> None:
    layout(here, GOOD)
    folder = here / "example/v1/zz_generated.crd-manifests"
    (folder / "other.yaml").write_text("a: [")
    assert len(Library().definitions(place_of(here), NAME)) == 1
    (folder / "broken.yaml").write_text(f"name: {NAME}\na: [")
    broken, good = Library().definitions(place_of(here), NAME)
    assert broken == Damaged(
        "example/v1/zz_generated.crd-manifests/broken.yaml",
        "example/v1/zz_generated.crd-manifests/broken.yaml:3: malformed YAML: did not find expected node content",
    )
    assert isinstance(good, Definition)


def test_duplicate_keys_of_a_crd_are_reported(here: Path) -> None:
    layout(here, GOOD)
    with (here / "example/v1/zz_generated.crd-manifests/foos.yaml").open("a") as stream:
        stream.write("kind: CustomResourceDefinition\n")
    library = Library()
    for _ in range(2):
        assert len(library.definitions(place_of(here), NAME)) == 1
    (warning,) = library.warnings
    assert re.fullmatch(r"example/v1/zz_.*/foos\.yaml:\d+: duplicate key 'kind'; the last one counts", warning)


@pytest.mark.parametrize("arguments", [{"crds": ["absent"]}, {"feature_gates": "absent"}])
def test_given_folders_must_exist(here: Path, arguments: dict[str, str]) -> None:
    with pytest.raises(NoSuites, match="absent: no such"):
        Library(**arguments)


def test_feature_gates_lie_above_the_suite_or_are_given(here: Path) -> None:
    layout(here / "api", GOOD)
    place = place_of(here / "api")
    with pytest.raises(SuiteFault) as caught:
        list(Library().payload(place))
    assert str(caught.value) == (
        "the suite names feature gates, but no folder above it holds payload-manifests/featuregates; "
        "name one with --feature-gates"
    )
    write(here / "api/payload-manifests/featuregates/b.yaml", {"b": 1})
    write(here / "api/payload-manifests/featuregates/a.yaml", {"a": 1})
    write(here / "given/c.yaml", {"c": 1})
    assert list(Library().payload(place)) == [{"a": 1}, {"b": 1}]
    assert list(Library(feature_gates="given").payload(place)) == [{"c": 1}]


def test_large_files_are_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "MAX_FILE_BYTES", 3)
    (here / "a").write_text("1234")
    with pytest.raises(SuiteFault, match="a: larger than 0 MiB; split it"):
        discovery.read_bytes(here / "a")
    with pytest.raises(SuiteFault, match="absent: cannot be read: No such file or directory"):
        discovery.read_bytes(here / "absent")
