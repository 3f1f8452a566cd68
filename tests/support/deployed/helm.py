"""helm with the chart of deploy/chart."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.support.deployed.deployed import OURS
from tests.support.manifests.chart import CHART
from tests.testbed.apiserver import ApiServer
from tests.testbed.parts import Parts

RELEASE = "ovnguard"


class Helm:
    """helm, with its files in a folder and, if there is an API server, as its administrator."""

    def __init__(self, parts: Parts, folder: Path, api: ApiServer | None = None) -> None:
        self._tool, self._folder = parts["helm"].tool("helm"), folder
        places = {f"HELM_{name}_HOME": str(folder / name) for name in ("CACHE", "CONFIG", "DATA")}
        kubeconfig = os.devnull if api is None else str(api.kubeconfig)
        self._environment = {**os.environ, **places, "KUBECONFIG": kubeconfig, "HOME": str(folder)}

    def __call__(
        self, verb: str, *arguments: str | Path, values: Mapping[str, Any] | None = None, namespace: str = OURS
    ) -> subprocess.CompletedProcess[str]:
        """Run a verb in a namespace, with at most five minutes; without an API server for Kubernetes 1.35."""
        file = self._folder / "values.yaml"
        file.write_text(yaml.safe_dump(dict(values or {})), encoding="utf-8")
        given: list[str | Path] = [] if values is None else ["--values", file]
        if verb in ("lint", "template"):
            given += ["--kube-version", "1.35"]
        command = [self._tool, verb, *arguments, "--namespace", namespace, *given]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=self._environment)

    def template(self, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The objects of the chart with these values."""
        done = self("template", RELEASE, CHART, values=values)
        assert (done.returncode, done.stderr) == (0, "")
        return [document for document in yaml.safe_load_all(done.stdout) if document]
