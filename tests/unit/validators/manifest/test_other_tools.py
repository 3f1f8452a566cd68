"""Files that stand next to manifests and belong to other tools."""

from pathlib import Path

import pytest

from validators.manifest.other_tools import is_kustomization, other_tool

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
