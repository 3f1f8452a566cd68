import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ovnguard import crd_schemas

FOLDER = Path(crd_schemas.__file__).parent
NETWORK = ("operator.openshift.io", "v1", "Network")
UDN = ("k8s.ovn.org", "v1", "UserDefinedNetwork")
CNI = ("k8s.cni.cncf.io", "v1", "OVNKubernetesConfig")


def _files() -> list[Path]:
    """The definitions: files of the schema sets that are no suites."""
    folders = (FOLDER / name for name in (*crd_schemas.SETS, crd_schemas.COMMON))
    return sorted(
        path for folder in folders for path in folder.rglob("*.yaml") if "tests" not in path.relative_to(FOLDER).parts
    )


def test_importing_reads_and_parses_nothing() -> None:
    script = "import sys, crd_schemas; print(sorted({'yaml', 'celpy', 'jsonschema'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=FOLDER.parent)
    assert out.stdout.strip() == "[]"


def test_the_table_names_exactly_the_files_that_are_there() -> None:
    named = {Path(str(path)) for key in crd_schemas.kinds() for path in crd_schemas.find(*key).values()}
    named |= {FOLDER / path for path in crd_schemas.embedded().values()}
    assert sorted(named) == _files()


@pytest.mark.parametrize("path", _files(), ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_file_lies_where_its_content_says(path: Path) -> None:
    crd = crd_schemas.parse(path.read_bytes())
    folder, group, version, plural = path.relative_to(FOLDER).with_suffix("").parts
    assert folder in (*crd_schemas.SETS, crd_schemas.COMMON)
    assert crd["metadata"]["name"] == f"{plural}.{group}"
    assert (crd["spec"]["group"], crd["spec"]["names"]["plural"]) == (group, plural)
    assert [each["name"] for each in crd["spec"]["versions"]] == [version]
    assert (group, version, crd["spec"]["names"]["kind"]) in {*crd_schemas.kinds(), *crd_schemas.embedded()}


def test_no_manifest_is_judged_by_the_definition_of_an_embedded_text() -> None:
    assert crd_schemas.embedded() == {CNI: "common/k8s.cni.cncf.io/v1/ovnkubernetesconfigs.yaml"}
    assert CNI not in crd_schemas.kinds()
    assert crd_schemas.paths(*CNI) == {}


def test_both_sets_know_every_kind() -> None:
    for schema_set in crd_schemas.SETS:
        found = crd_schemas.crds(schema_set)
        assert set(found) == set(crd_schemas.kinds())
        assert len(found) == len(crd_schemas.kinds())
        for key, crd in found.items():
            assert crd["spec"]["names"]["kind"] == key[2]


def test_generations_differ_and_common_kinds_are_one_object() -> None:
    enhancement, released = (crd_schemas.crds(name) for name in crd_schemas.SETS)
    assert enhancement[NETWORK] != released[NETWORK]
    assert enhancement[NETWORK] is enhancement[NETWORK]
    assert enhancement[UDN] is released[UDN]


def test_a_file_is_read_without_parsing_and_parsed_once() -> None:
    paths = crd_schemas.paths(*NETWORK)
    assert paths == {name: f"{name}/operator.openshift.io/v1/networks.yaml" for name in crd_schemas.SETS}
    assert set(crd_schemas.paths(*UDN).values()) == {"common/k8s.ovn.org/v1/userdefinednetworks.yaml"}
    for name, path in paths.items():
        assert crd_schemas.read(path) == (FOLDER / path).read_bytes()
        assert crd_schemas.parse(crd_schemas.read(path)) == crd_schemas.parsed(path)
        assert crd_schemas.parsed(path) is crd_schemas.crds(name)[NETWORK]


def test_what_is_not_bundled() -> None:
    assert crd_schemas.find("", "v1", "Pod") == {}
    assert crd_schemas.paths("", "v1", "Pod") == {}
    assert ("", "v1", "Pod") not in crd_schemas.crds("released")
    with pytest.raises(ValueError, match="schema set 'newest' is not one of enhancement, released"):
        crd_schemas.crds("newest")


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"enhancement": 0, "released": 0}, "released"),
        ({"released": 0, "enhancement": 0}, "released"),
        ({"enhancement": 2, "released": 0}, "released"),
        ({"enhancement": 0, "released": 1}, "enhancement"),
        ({"enhancement": 3, "released": 2}, "released"),
        ({"enhancement": 2, "released": 2}, "released"),
        ({"released": 5}, "released"),
    ],
)
def test_the_set_with_fewest_unknown_fields_is_chosen(counts: dict[str, int], expected: str) -> None:
    assert crd_schemas.choose(counts) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("enhancement",), "enhancement"),
        (("", "enhancement"), "enhancement"),
        (("released", "enhancement"), "released"),
    ],
)
def test_on_a_tie_the_only_set_with_some_field_comes_before_the_usual_one(
    arguments: tuple[str, ...], expected: str
) -> None:
    assert crd_schemas.choose({"enhancement": 1, "released": 1}, *arguments) == expected


def _differing(one: dict[str, Any], other: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """The outermost fields that only one set has, with the set, and the others that have different keywords."""
    here, there = one.get("properties", {}), other.get("properties", {})
    for name in here | there:
        below = f"{path}.{name}" if path else name
        if name in here and name in there:
            yield from _differing(here[name], there[name], below)
        else:
            yield below, "enhancement" if name in here else "released"
    if "items" in one and "items" in other:
        yield from _differing(one["items"], other["items"], f"{path}[]")
    # rules are above the fields that they read
    inner = {"properties", "items", "description", "x-kubernetes-validations"}
    if any(one.get(key) != other.get(key) for key in {*one, *other} - inner):
        yield path, ""


def _schema(key: crd_schemas.Key, schema_set: str) -> dict[str, Any]:
    schema: dict[str, Any] = crd_schemas.crds(schema_set)[key]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


DIFFERING = [
    (key, path, schema_set)
    for key in crd_schemas.kinds()
    if len(set(crd_schemas.paths(*key).values())) > 1
    for path, schema_set in _differing(_schema(key, "enhancement"), _schema(key, "released"))
]


def _with_value(path: str, value: Any) -> Any:
    for step in reversed(path.split(".")):
        value = {step: value}
    return value


@pytest.mark.parametrize(("key", "path", "schema_set"), DIFFERING)
def test_every_difference_of_the_sets_is_known(key: crd_schemas.Key, path: str, schema_set: str) -> None:
    group, _, kind = key
    found = crd_schemas.difference(group, kind, _with_value(path, {"x": "y"}))
    assert found is not None
    assert found.schema_set == schema_set
    assert found.path == path or path.startswith(f"{found.path}.")


@pytest.mark.parametrize("path", ["spec.network.layer2.mtu", "spec.namespaceSelector", "status"])
def test_where_the_sets_agree_there_is_no_difference(path: str) -> None:
    assert crd_schemas.difference("k8s.ovn.org", "ClusterUserDefinedNetwork", _with_value(path, 1)) is None


@pytest.mark.parametrize(("value", "schema_set"), [("Geneve", "enhancement"), ("EVPN", "released"), ("NoOverlay", "")])
def test_a_value_that_only_one_set_has_decides(value: str, schema_set: str) -> None:
    obj = _with_value("spec.network.transport", value)
    found = crd_schemas.difference("k8s.ovn.org", "ClusterUserDefinedNetwork", obj)
    assert found == ("spec.network.transport", schema_set)


def test_every_crd_has_a_suite() -> None:
    with_suite = {str(crd) for crd, _ in crd_schemas.suites()}
    assert with_suite == {str(path) for path in _files()}


def test_a_whole_set_is_its_folder_and_the_common_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(crd_schemas.__file__).parent
    assert crd_schemas.whole_set(str(root / "released")) == (str(root / "released"), str(root / "common"))
    monkeypatch.chdir(tmp_path)
    assert crd_schemas.whole_set("enhancement") == (str(root / "enhancement"), str(root / "common"))
    (tmp_path / "released").mkdir()
    assert crd_schemas.whole_set("released") == ("released",)
    assert crd_schemas.whole_set("bases") == ("bases",)
