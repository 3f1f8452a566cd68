"""Every executable and every sub-command tells its version."""

from importlib.metadata import version

import click
import pytest
from click.testing import CliRunner

from ovnguard.reconciler.cli import reconciler
from ovnguard.validators.cli.completion_command import completion
from ovnguard.validators.cli.cost_command import cost
from ovnguard.validators.cli.explain.explain_command import explain
from ovnguard.validators.cli.preflight import preflight
from ovnguard.validators.cli.suite_command import test as suites
from ovnguard.webhook.cli import cli as webhook

COMMANDS = {"test": suites, "cost": cost, "explain": explain, "completion": completion}
GROUPS = {"ovnguard-webhook": webhook, "ovnguard-reconciler": reconciler}


def _paths(name: str, group: click.Group) -> list[list[str]]:
    return [[name], *([name, each] for each in group.list_commands(click.Context(group)))]


@pytest.mark.parametrize(
    "words", [path for name, group in GROUPS.items() for path in _paths(name, group)], ids=" ".join
)
def test_a_group_and_its_commands(words: list[str]) -> None:
    result = CliRunner().invoke(GROUPS[words[0]], [*words[1:], "--version"], prog_name=words[0])
    assert (result.exit_code, result.output) == (0, f"{words[0]}, version {version('ovnguard')}\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_sub_command_of_the_preflight(name: str) -> None:
    result = CliRunner().invoke(COMMANDS[name], ["--version"], prog_name="kubectl ovn-preflight")
    assert (result.exit_code, result.output) == (0, f"kubectl ovn-preflight, version {version('ovnguard')}\n")


def test_the_preflight(capsys: pytest.CaptureFixture[str]) -> None:
    assert preflight(["--version"]) == 0
    assert capsys.readouterr().out == f"kubectl ovn-preflight, version {version('ovnguard')}\n"
