"""Runs of ovnguard-reconciler in this process, and manifests for them."""

import json
from dataclasses import dataclass
from pathlib import Path

import click
from click.testing import CliRunner

from ovnguard.reconciler.cli import reconciler
from tests.support.fake_cluster import cudn
from tests.support.paths import ROOT

VALID, INVALID, NODES = (str(ROOT / "deploy/examples" / name) for name in ("valid", "invalid", "nodes"))
WORKERS = ["worker-a", "worker-b", "worker-c"]
# The examples that can be applied: no node has host subnets of green-layer3.yaml.
APPLICABLE = ("-f", f"{VALID}/blue-layer2.yaml", "-f", f"{VALID}/default-network.yaml", "--nodes", NODES)
SELECTED = (
    "note: network cluster_udn_blue: transit subnets 100.90.0.0/16 selected: "
    '100.88.0.0/16 overlaps user defined subnet "100.88.0.0/15"'
)
NO_SERVICES = "note: no routes to default/kubernetes and kube-system/kube-dns: their Services are not known"


@dataclass
class Outcome:
    code: int
    out: str
    err: str


def run(*args: object, stdin: str | None = None) -> Outcome:
    """What the executable would do with these arguments."""
    result = CliRunner().invoke(reconciler, [str(arg) for arg in args], input=stdin, standalone_mode=False)
    if isinstance(result.exception, click.ClickException):
        return Outcome(2, result.stdout, result.exception.format_message())
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.return_value or 0, result.stdout, result.stderr)


def plan(*args: object, stdin: str | None = None) -> Outcome:
    return run("plan", *args, stdin=stdin)


def apply(folder: Path, *args: object) -> Outcome:
    """Apply the networks and nodes in ``folder`` to its store."""
    return run("apply", "-f", folder / "networks", "--nodes", folder / "nodes", "--store", folder / "store", *args)


def write_cudn(folder: Path, file: str, name: str, subnet: str, **annotations: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(json.dumps(cudn(name, subnet, 0, **annotations)))
