"""action.yml: what can be tried of it without GitHub. Its steps run in bash as a runner starts them."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from ovnguard.validators.cli.preflight_options import parser
from tests.support.network_repository import networks
from tests.support.paths import ROOT
from tests.support.soak import soak_only

pytestmark = pytest.mark.functional
ACTION: Final[dict[str, Any]] = yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"), yaml.BaseLoader)
INSTALL, JUDGE, UPLOAD = ACTION["runs"]["steps"]
INPUT: Final = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")


def run(step: Mapping[str, Any], folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub documents `shell: bash`, with the inputs of a workflow; each has a value or a default."""
    given = {name.replace("_", "-"): value for name, value in inputs.items()}
    values = {name: given.get(name, each.get("default")) for name, each in ACTION["inputs"].items()}
    runner = folder.parent / "runner"
    runner.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        **{name: INPUT.sub(lambda found: values[found[1]], text) for name, text in step.get("env", {}).items()},
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(runner / "output"),
        "RUNNER_TEMP": str(runner),
        "XDG_CACHE_HOME": str(folder.parent / "cache"),
    }
    script = runner / "step.sh"
    script.write_text(step["run"], encoding="utf-8")
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a changed network, and the preflight of this environment where the first step installs it."""
    (tmp_path / "runner").mkdir()
    (tmp_path / "runner" / "ovnguard").symlink_to(ROOT / ".venv")
    return networks(tmp_path / "work")


def output(folder: Path) -> str:
    file = folder.parent / "runner" / "output"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def test_it_is_a_composite_action() -> None:
    assert ACTION.keys() == {"name", "description", "inputs", "runs"}
    assert ACTION["runs"]["using"] == "composite"
    assert all("shell" in step for step in ACTION["runs"]["steps"] if "run" in step)
    for name, each in ACTION["inputs"].items():
        assert each["description"].endswith("."), name
        assert ("default" in each) is not (each.get("required") == "true"), name


def test_every_input_is_used_and_no_other() -> None:
    assert {name for value in JUDGE["env"].values() for name in INPUT.findall(value)} == ACTION["inputs"].keys()
    # GitHub pastes the value of an expression into the script: what a pull request may write is in variables only
    assert "${{" not in INSTALL["run"] + JUDGE["run"]


def test_its_options_are_those_of_the_preflight() -> None:
    options = set(re.findall(r"(?<=[ (])--[a-z-]+", JUDGE["run"]))
    assert options == {"--output", "--old", "--inventory", "--kubernetes-version"}
    assert options <= parser().known.keys()


def test_a_refused_network_is_an_annotation_and_a_report(folder: Path) -> None:
    done = run(JUDGE, folder, paths="networks/", old="git:HEAD")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=networks/blue.yaml,line=")
    assert "udn-layer2-immutable" in done.stdout
    assert (folder / "ovnguard.sarif").stat().st_size > 0
    assert output(folder) == "sarif=ovnguard.sarif\n"


def test_an_accepted_network(folder: Path) -> None:
    (folder / "inventory.yaml").write_text("{apiVersion: v1, kind: List, items: []}\n", encoding="utf-8")
    inputs = {"kubernetes_version": "1.34", "options": "--warnings-as-errors\n--exit-zero", "sarif": "a report.sarif"}
    done = run(JUDGE, folder, paths="networks/*.yaml\nnetworks/b*", inventory="inventory.yaml", **inputs)
    # the inventory is complete, and has no namespaces
    assert (done.returncode, done.stderr, done.stdout.count("::"), "[OVNG-L2-020]" in done.stdout) == (0, "", 2, True)
    assert output(folder) == "sarif=a report.sarif\n"


def test_without_a_report(folder: Path) -> None:
    done = run(JUDGE, folder, paths="networks/", sarif="")
    assert (done.returncode, output(folder)) == (0, "")
    assert [each.name for each in folder.glob("*.sarif")] == []


def test_a_wrong_option_uploads_no_earlier_report(folder: Path) -> None:
    (folder / "ovnguard.sarif").write_text("{}", encoding="utf-8")
    done = run(JUDGE, folder, paths="networks/", options="--olds")
    assert (done.returncode, output(folder)) == (2, "")
    assert "unrecognized arguments: --olds" in done.stderr


def test_the_report_is_uploaded_also_if_networks_are_refused() -> None:
    assert UPLOAD["if"] == "${{ !cancelled() && steps.judge.outputs.sarif != '' }}"
    assert UPLOAD["with"]["sarif_file"] == "${{ steps.judge.outputs.sarif }}"
    assert JUDGE["id"] == "judge"


@soak_only
def test_it_installs_the_preflight(tmp_path: Path) -> None:
    work = networks(tmp_path / "work")
    done = run(INSTALL, work)
    assert done.returncode == 0, done.stderr
    assert run(JUDGE, work, paths="networks/", old="git:HEAD").returncode == 1
