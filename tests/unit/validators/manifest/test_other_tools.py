"""Files that stand next to manifests and belong to other tools."""

from pathlib import Path

import pytest

from ovnguard.validators.manifest.other_tools import is_kustomization, other_tool, tool_of
from tests.support.preflight_run import run
from tests.support.soak import limit

FILES = [
    ("app/kustomization.yaml", "Kustomization"),
    ("app/kustomization.yml", "Kustomization"),
    ("app/package.json", "package file"),
    ("app/tsconfig.json", "package file"),
    ("chart/Chart.yaml", "Helm chart"),
    ("chart/values.yaml", "Helm chart"),
    ("chart/values-prod.yml", "Helm chart"),
    ("chart/values.schema.json", "Helm chart"),
    ("chart/templates/sub/net.yaml", "Helm chart"),
    ("chart/charts/dep/templates/net.yaml", "Helm chart"),
    # CRDs of a chart are manifests, and so is anything of these names without a chart
    ("chart/crds/net.yaml", ""),
    ("chart/networks.yaml", ""),
    ("app/values.yaml", ""),
    ("app/templates/net.yaml", ""),
    ("app/network.yaml", ""),
]


@pytest.mark.parametrize(("file", "tool"), FILES)
def test_names_and_places(file: str, tool: str) -> None:
    charts = {Path("/src/chart/Chart.yaml")}
    assert other_tool(Path("/src", file), charts.__contains__) == tool


def test_a_kustomization_has_its_own_group() -> None:
    assert is_kustomization({"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"})
    assert not is_kustomization({"apiVersion": "v1", "kind": "Kustomization"})
    assert not is_kustomization({})


@pytest.mark.parametrize(
    ("value", "tool"),
    [
        ([{"op": "add", "path": "/spec", "value": 1}], "JSON patch"),
        ([{"op": "add", "path": "/spec"}, {"name": "x"}], ""),
        ([], ""),
        ({"panels": [], "schemaVersion": 39, "title": "x"}, "Grafana dashboard"),
        ({"panels": [], "schemaVersion": 39, "kind": "Dashboard"}, ""),
        ({"panels": [], "schemaVersion": 39, "apiVersion": "v1"}, ""),
        ({"panels": [], "schemaVersion": 39, "metadata": {}, "spec": {}}, ""),
        ({"panels": []}, ""),
        ("text", ""),
    ],
)
def test_shapes(value: object, tool: str) -> None:
    assert tool_of(value) == tool


def test_a_shape_counts_in_a_folder_only(tmp_path: Path) -> None:
    patch = tmp_path / "patch.yaml"
    patch.write_text("- {op: add, path: /spec}\n")
    (tmp_path / "lab.yaml").write_text("spec: {}\nmetadata: {name: x}\n")
    folder = run(str(tmp_path), "-v")
    assert f"  {patch} (JSON patch)\n" in folder.stdout
    assert f"{tmp_path}/lab.yaml\n  1:1: error: not a Kubernetes object: apiVersion and kind must be" in folder.stdout
    assert "1:1: error: not a Kubernetes object: a mapping is expected" in run(str(patch)).stdout


def test_a_patch_of_a_built_in_kind_is_no_object_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text(
        "patches: [{path: ./role.yaml}, {patch: x}, 7]\npatchesStrategicMerge: 7\n"
    )
    patch = tmp_path / "role.yaml"
    patch.write_text("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: x}\n$patch: delete\n")
    assert run(str(tmp_path)).return_value == 0
    assert '4:1: error: unknown field "$patch"' in run(str(patch)).stdout
    (tmp_path / "kustomization.yaml").write_text("patches: [{path: other.yaml\n")
    assert '4:1: error: unknown field "$patch"' in run(str(tmp_path)).stdout


@limit(180)
def test_the_files_of_this_repository_pass() -> None:
    wrong = [each for each in run("deploy", "-q").stdout.splitlines() if "deploy/" in each]
    assert wrong
    assert [each for each in wrong if "deploy/examples/invalid/" not in each] == []
