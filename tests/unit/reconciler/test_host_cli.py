"""The host part at the command line: printed, compared, applied, and what is said when this machine has no tools."""

import json
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner

from ovnguard.reconciler.cli import reconciler
from tests.support.manifests.host_manifests import NETWORK, NODE


class Outcome(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    (tmp_path / "node.yaml").write_text(NODE, encoding="utf-8")
    (tmp_path / "network.yaml").write_text(NETWORK, encoding="utf-8")
    return ["-f", str(tmp_path / "network.yaml"), "--nodes", str(tmp_path / "node.yaml")]


def run(*args: str) -> Outcome:
    """What the executable would do with these arguments."""
    done = CliRunner().invoke(reconciler, args, standalone_mode=False)
    if isinstance(done.exception, click.ClickException):
        return Outcome(2, done.stdout, f"Error: {done.exception.format_message()}\n")
    assert done.exception is None
    return Outcome(done.return_value or 0, done.stdout, done.stderr)


def test_a_plan_prints_what_the_node_itself_would_hold(inputs: list[str]) -> None:
    done = run("plan", *inputs, "-o", "host")
    assert done.exit_code == 0
    assert done.stdout.startswith("# ---- node worker-a\ntable inet ovnguard {\n\tchain mgmtport-snat {\n")
    assert "\t\tip saddr 10.128.2.0/23 masquerade\n" in done.stdout
    assert "\nip -4 route add 172.30.0.0/16 via 169.254.0.4 dev breth0 mtu 1400 table 254 proto 118\n" in done.stdout


def test_a_plan_as_json_has_the_same(inputs: list[str]) -> None:
    host = json.loads(run("plan", *inputs, "-o", "json").stdout)["nodes"]["worker-a"]["host"]
    text = run("plan", *inputs, "-o", "host").stdout
    assert host["notes"] == []
    assert text == "# ---- node worker-a\n" + host["nft"] + "".join(f"{line}\n" for line in host["commands"])


WRONG = {
    "diff of an unknown node": (["diff", "--host", "other"], "--host: no node other in --nodes"),
    "apply to an unknown node": (["apply", "--host", "other"], "--host: no node other in --nodes"),
    "diff with nothing": (["diff"], "name one place to compare with: --store DIR or --nb-db NODE=REMOTE"),
    "apply to nothing": (["apply"], "name one place to apply to: --store DIR or --nb-db NODE=REMOTE"),
    "verify of two": (
        ["verify", "--node", "worker-a", "--nb-db", "unix:/x", "--sb-db", "unix:/x", "--host", "other"],
        "--host: must be worker-a, the node of --node",
    ),
}


@pytest.mark.parametrize(("args", "text"), WRONG.values(), ids=WRONG.keys())
def test_wrong_calls(inputs: list[str], args: list[str], text: str) -> None:
    done = run(*args, *inputs)
    assert done.exit_code == 2
    assert f"Error: {text}\n" in done.stderr


@pytest.mark.parametrize("command", ["diff", "apply"])
def test_a_machine_without_the_tools_is_left_alone(
    inputs: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = run(command, *inputs, "--host", "worker-a")
    assert done.exit_code == 2
    assert done.stderr == "error: host worker-a: ip: no such program; install iproute2\n"


def test_a_node_whose_zone_cannot_be_planned_is_not_looked_at(inputs: list[str], tmp_path: Path) -> None:
    bare = NODE.replace('    k8s.ovn.org/node-id: "2"\n', "")
    (tmp_path / "node.yaml").write_text(bare, encoding="utf-8")
    done = run("apply", *inputs, "--host", "worker-a")
    assert done.exit_code == 3
    assert "error: host worker-a: its zone cannot be planned now; the machine stays unchanged\n" in done.stderr
