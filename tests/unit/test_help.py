"""--help of every command shows at most ten of more than fifteen options, and --help-all shows all."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from ovnguard.reconciler.cli import reconciler
from ovnguard.reconciler.commands.grouped import GROUPS, ReconcilerCommand
from ovnguard.validators.cli.cost_command import cost
from ovnguard.validators.cli.evolve_command import evolve_command
from ovnguard.validators.cli.explain.explain_command import explain
from ovnguard.validators.cli.suite_command import test as suites
from ovnguard.validators.commandline.grouped_command import GroupedCommand
from ovnguard.webhook.cli import cli as webhook
from tests.support.soak import limit

pytestmark = limit(180)
MANY = 15
SHOWN = 10
HELP = ["-h", "--help"]
"""As the executables set it: a command keeps the help option of its first context."""


def commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """The commands in a command, each with the words that call it."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for each in command.list_commands(context):
        inner = command.get_command(context, each)
        assert inner is not None
        yield from commands(f"{name} {each}", inner)


def options(command: click.Command) -> list[click.Option]:
    """The options of a command that it does not hide."""
    context = click.Context(command, help_option_names=HELP)
    return [each for each in command.get_params(context) if isinstance(each, click.Option) and not each.hidden]


@pytest.fixture(scope="module")
def every() -> dict[str, click.Command]:
    tops = {
        "ovnguard-reconciler": reconciler,
        "ovnguard-webhook": webhook,
        "cost": cost,
        "evolve": evolve_command,
        "explain": explain,
        "test": suites,
    }
    return {path: command for name, top in tops.items() for path, command in commands(name, top)}


def printed(command: click.Command, word: str) -> tuple[int, str]:
    """How many options a command lists for --help or --help-all, and the text."""
    result = CliRunner().invoke(command, [word], terminal_width=200, help_option_names=HELP)
    assert result.exit_code == 0
    # the epilog also has lines that begin with an option
    lines = result.output.partition("\n  Examples:")[0].splitlines()
    listed = [line for line in lines if line.startswith("  -") and "also shows" not in line]
    return len(listed), result.output


def test_many_options_are_grouped(every: dict[str, click.Command]) -> None:
    many = {path for path, command in every.items() if len(options(command)) > MANY}
    assert {"ovnguard-reconciler run", "ovnguard-webhook serve"} <= many
    assert {path for path, command in every.items() if isinstance(command, GroupedCommand)} == many


def test_help_shows_at_most_ten_and_names_the_groups(every: dict[str, click.Command]) -> None:
    for path, command in every.items():
        if isinstance(command, GroupedCommand):
            count, text = printed(command, "--help")
            assert 0 < count <= SHOWN, path
            assert "\n  --help-all also shows: " in text, path


def test_help_all_shows_every_option(every: dict[str, click.Command]) -> None:
    for path, command in every.items():
        if isinstance(command, GroupedCommand):
            count, text = printed(command, "--help-all")
            assert count == len(options(command)), path
            assert [name for each in options(command) for name in each.opts if name not in text] == [], path


def test_every_name_in_a_group_is_an_option(every: dict[str, click.Command]) -> None:
    known = {name for command in every.values() for each in options(command) for name in each.opts}
    assert {name for members in GROUPS.values() for name in members} - known == set()
    grouped = {type(each) for each in every.values() if isinstance(each, GroupedCommand)} - {ReconcilerCommand}
    for kind in grouped:
        assert {name for members in kind.groups.values() for name in members} - known == set()


def test_an_option_that_is_gone_is_none(every: dict[str, click.Command]) -> None:
    for path, command in every.items():
        if isinstance(command, GroupedCommand):
            assert not command.gone.keys() & {name for each in options(command) for name in each.opts}, path
