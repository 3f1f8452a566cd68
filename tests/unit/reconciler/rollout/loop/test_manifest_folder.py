"""The folder of the operator's manifests: order, links, values, and what cannot be used."""

from pathlib import Path

import pytest
import yaml

from ovnguard.reconciler.rollout.loop.manifest_folder import ManifestFolder, read_values
from ovnguard.reconciler.rollout.plan.folders import FILES, path
from ovnguard.reconciler.rollout.plan.model import Flavour, Folder

HERE = Flavour.SELF_HOSTED
ALL = (Folder.SINGLE, Folder.TEMPORARY, Folder.FINAL)
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{.Name}}, namespace: ns}\ndata: {a: '{{ .A }}'}\n"
VALUES = {"Name": "one", "A": "b"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with every file of the phases; a file of the temporary folder is a link."""
    for folder in ALL:
        for file in FILES[HERE][folder]:
            write(tmp_path, path(HERE, folder, file), SETTINGS)
    link = tmp_path / path(HERE, Folder.TEMPORARY, "ovnkube-node.yaml")
    link.unlink()
    link.symlink_to("../multi-zone-interconnect/ovnkube-node.yaml")
    write(tmp_path, "self-hosted/common/004-config.yaml", SETTINGS)
    for name in ("b.yaml", "a.yml", "c.json", "README.md"):
        write(tmp_path, f"common/{name}", SETTINGS)
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def problems(root: Path, values=VALUES) -> list[str]:
    return [str(each) for each in ManifestFolder(root, values).load(HERE, ALL)[1]]


SERVICE = "005-service.yaml"
ALERTS = "alert-rules-control-plane.yaml"
MONITORS = ("monitor-control-plane.yaml", "monitor-master.yaml")
CONTROL_PLANE, MASTER, NODE = "ovnkube-control-plane.yaml", "ovnkube-master.yaml", "ovnkube-node.yaml"


@pytest.mark.parametrize(
    ("folder", "name", "files"),
    [
        (Folder.SINGLE, "single-zone-interconnect", (SERVICE, ALERTS, MONITORS[1], MASTER, NODE)),
        (Folder.TEMPORARY, "multi-zone-interconnect-tmp", (ALERTS, *MONITORS, CONTROL_PLANE, MASTER, NODE)),
        (Folder.FINAL, "multi-zone-interconnect", (ALERTS, MONITORS[0], CONTROL_PLANE, NODE)),
    ],
)
def test_a_phase_has_its_folders_in_the_operators_order(root, folder, name, files):
    (root / "self-hosted" / name / "folder.yaml").mkdir()
    found = ManifestFolder(root, VALUES)
    assert found.files(HERE, folder) == (
        "common/a.yml",
        "common/b.yaml",
        "common/c.json",
        "self-hosted/common/004-config.yaml",
        *(f"self-hosted/{name}/{file}" for file in files),
    )
    assert found.phases(HERE) == ALL


def test_manifests_of_4_13_have_no_phases(tmp_path):
    for name in ("common/a.yaml", "self-hosted/ovnkube-node.yaml", "self-hosted/ovnkube-master.yaml"):
        write(tmp_path, name, SETTINGS)
    found = ManifestFolder(tmp_path, VALUES)
    assert found.phases(HERE) == (Folder.LEGACY,)
    assert found.files(HERE, Folder.LEGACY) == (
        "common/a.yaml",
        "self-hosted/ovnkube-master.yaml",
        "self-hosted/ovnkube-node.yaml",
    )


def test_the_files_that_a_phase_has_to_have_are_in_that_order():
    for folders in FILES.values():
        for files in folders.values():
            assert list(files) == sorted(files)


def test_templates_are_rendered_and_links_are_followed(root):
    write(root, "self-hosted/multi-zone-interconnect/ovnkube-node.yaml", SETTINGS.replace("{{.Name}}", "linked"))
    manifests, found = ManifestFolder(root, VALUES).load(HERE, ALL)
    assert found == ()
    assert manifests.objects["common/b.yaml"] == (
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one", "namespace": "ns"}, "data": {"a": "b"}},
    )
    objects = [obj["metadata"]["name"] for _, obj in manifests.of(Folder.TEMPORARY)]
    assert objects == ["one"] * 9 + ["linked"]


def test_rendered_manifests_may_have_braces(root):
    text = SETTINGS.replace("{{.Name}}", "one").replace("{{ .A }}", "{{ $labels.x }}")
    for file in root.rglob("*.*"):
        if not file.is_symlink():
            file.write_text(text)
    manifests, found = ManifestFolder(root, None).load(HERE, ALL)
    assert found == ()
    assert manifests.objects["common/a.yml"][0]["data"] == {"a": "{{ $labels.x }}"}


def test_of_a_repeated_key_the_last_one_counts_as_for_the_operator(root):
    write(root, "common/b.yaml", SETTINGS + "data: {c: d}\n")
    assert ManifestFolder(root, VALUES).load(HERE, ALL)[0].objects["common/b.yaml"][0]["data"] == {"c": "d"}


def test_links_that_lead_out_of_the_folder_are_not_followed(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.yaml"
    outside.write_text(SETTINGS)
    (root / "common" / "b.yaml").unlink()
    (root / "common" / "b.yaml").symlink_to(outside)
    assert problems(root) == [f"common/b.yaml:1: is a link that leads out of {root}"]


def test_every_missing_value_names_its_file_and_line(root):
    found = problems(root, {"Name": "one"})
    assert "common/a.yml:4: value A is missing" in found
    assert {each.partition(":4: ")[2] for each in found} == {"value A is missing"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n{{ .A | len }}", "common/b.yaml:2: not understood: '| len }}'"),
        ("a: [", "common/b.yaml:2: malformed YAML: did not find expected node content"),
        ("- 1", "common/b.yaml:1: is not an object with a name"),
        ("a: 1\n---\nb: 2", "common/b.yaml:1: is not an object with a name"),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}",
            "common/b.yaml:1: v1 Pod is no kind of the operator's manifests",
        ),
        (
            "apiVersion: v2\nkind: Service\nmetadata: {name: a, namespace: b}",
            "common/b.yaml:1: v2 Service is no kind of the operator's manifests",
        ),
        ("apiVersion: v1\nkind: Service\nmetadata: {name: a}", "common/b.yaml:1: Service needs a namespace"),
        (
            "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, namespace: b}",
            "common/b.yaml:1: Namespace needs no namespace",
        ),
        (
            "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  annotations:\n"
            "    network.operator.openshift.io/cluster-name: other",
            "common/b.yaml:1: network.operator.openshift.io/cluster-name 'other' is not known",
        ),
    ],
)
def test_what_cannot_be_used_names_its_file_and_line(root, text, message):
    write(root, "common/b.yaml", text)
    assert problems(root)[0].startswith(message)


def test_a_file_that_a_phase_needs_is_missing(root):
    (root / path(HERE, Folder.SINGLE, "ovnkube-master.yaml")).unlink()
    assert problems(root) == [f"self-hosted/single-zone-interconnect/ovnkube-master.yaml:1: is not in {root}"]


def test_files_that_are_none_and_files_that_are_too_large(root):
    (root / "common" / "b.yaml").write_bytes(b"\xff")
    (root / "common" / "c.json").write_bytes(b" " * (4 * 1024 * 1024 + 1))
    assert problems(root) == [
        "common/b.yaml:1: is not UTF-8",
        "common/c.json:1: is larger than 4194304 bytes",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- 1", "{}:1: is not a mapping of values"),
        ("a: 1\nb: [", "{}:3: malformed YAML: did not find expected node content"),
        ("a: 1.5", "{}:1: value a is not a string, a whole number, a boolean, null, or a mapping of those"),
        ("a: [1]", "{}:1: value a is not a string, a whole number, a boolean, null, or a mapping of those"),
    ],
)
def test_values_that_cannot_be_read(tmp_path, text, message):
    file = tmp_path / "values.yaml"
    file.write_text(text)
    assert str(read_values(file)[1][0]).startswith(message.format(file))


def test_values(tmp_path):
    file = tmp_path / "values.yaml"
    given = {"a": "x", "b": 3, "c": True, "d": None, "e": {"f": "g"}}
    file.write_text(yaml.safe_dump(given))
    assert read_values(file) == (given, ())
    absent = str(read_values(tmp_path / "none.yaml")[1][0])
    assert absent.endswith("none.yaml:1: cannot be read: No such file or directory")
