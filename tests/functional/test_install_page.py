"""docs/install.md: the ways to install and call the preflight, as their users do it."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.network_repository import NETWORK, git, networks, repository
from tests.support.paths import ROOT
from tests.support.soak import limit
from tests.testbed.parts import Parts

pytestmark = pytest.mark.functional
PAGE = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
SCRIPTS = Path(sys.executable).parent
BLOCKS: list[dict[str, Any]] = [
    yaml.load(text, yaml.BaseLoader) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
]


def _registry(folder: Path) -> str:
    """Why packages cannot be had, "" if they can: pre-commit installs the hook with its dependencies."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), "editables"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stderr.strip().splitlines() or ["?"])[-1] if done.returncode else ""


@limit(300)
@pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="needs pre-commit: make test installs it")
def test_pre_commit_refuses_a_commit(tmp_path: Path) -> None:
    if reason := _registry(tmp_path / "package"):
        pytest.skip(f"needs registry: {reason}")
    hooks = tmp_path / "ovnguard"
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("crd_schemas", "validators", "webhook", "reconciler"):
        shutil.copytree(ROOT / name, hooks / name, ignore=ignored)
    shutil.copytree(ROOT / "ovnguard", hooks / "ovnguard", symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, hooks)
    config = next(each for each in BLOCKS if "repos" in each)
    config["repos"][0].update(repo=str(hooks), rev=repository(hooks))
    here = networks(tmp_path / "networks")
    (here / ".pre-commit-config.yaml").write_text(json.dumps(config))
    assert git(here, "add", "-A").returncode == 0
    # compiling every module of every dependency takes half of the time, and a hook needs few of them
    home = {
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PIP_NO_COMPILE": "1",
    }
    installed = subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=here, capture_output=True, text=True, check=False
    )
    assert installed.returncode == 0, installed.stdout + installed.stderr
    refused = git(here, "commit", "-m", "another subnet", **home)
    assert refused.returncode == 1, refused.stderr
    assert re.search(r"^kubectl ovn-preflight\.+Failed$", refused.stderr, re.MULTILINE), refused.stderr
    assert "Layer2 is immutable (spec.network.layer2: Invalid value)  [udn-layer2-immutable]" in refused.stderr
    assert "1 file, 1 object judged, 1 error, 0 warnings" in refused.stderr
    (here / "networks" / "blue.yaml").write_text(NETWORK % "10.20.0.0/16")
    git(here, "add", "-A")
    accepted = git(here, "commit", "-m", "only the hook", **home)
    assert accepted.returncode == 0, accepted.stderr


def _lines(job: dict[str, Any]) -> list[str]:
    """The commands of a job that run the preflight."""
    steps = (
        job["jobs"]["preflight"]["steps"] if "jobs" in job else [{"run": line} for line in job["preflight"]["script"]]
    )
    return [step["run"] for step in steps if step.get("run", "").startswith("kubectl-ovn_preflight")]


@pytest.mark.parametrize(
    ("key", "variable", "reports"),
    [
        ("jobs", {"GITHUB_BASE_REF": "main"}, {"ovnguard.sarif"}),
        ("preflight", {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD"}, {"quality.json", "junit.xml"}),
    ],
)
def test_a_job_writes_the_reports_that_it_uploads(
    key: str, variable: dict[str, str], reports: set[str], tmp_path: Path
) -> None:
    job = next(each for each in BLOCKS if key in each)
    here = networks(tmp_path / "networks")
    git(here, "update-ref", "refs/remotes/origin/main", "HEAD")
    (line,) = _lines(job)
    env = {
        **os.environ,
        **variable,
        "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path),
    }
    done = subprocess.run(["bash", "-c", line], cwd=here, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "udn-layer2-immutable" in done.stdout
    assert reports == {each.name for each in here.iterdir()} - {".git", "networks", "ci.yaml"}
    assert all(name in json.dumps(job) for name in reports)


def test_kubectl_lists_runs_and_completes_the_plugin(parts: Parts, tmp_path: Path) -> None:
    if parts.kube_apiserver.reason is not None:
        pytest.skip(f"needs kube-apiserver: {parts.kube_apiserver.reason}")
    kubectl = parts.kube_apiserver.tool("kubectl")
    env = {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}

    def run(*arguments: str) -> str:
        done = subprocess.run([kubectl, *arguments], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert str(SCRIPTS / "kubectl-ovn_preflight") in run("plugin", "list").splitlines()
    assert run("ovn-preflight", "--version").startswith("kubectl ovn-preflight, version ")
    assert run("__complete", "ovn-preflight", "--color", "").splitlines()[:4] == ["auto", "always", "never", ":4"]
