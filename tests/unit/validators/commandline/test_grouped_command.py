"""--help and --help-all of a command with groups of options, and options of earlier releases."""

from collections.abc import Mapping
from typing import ClassVar

import click
import pytest
from click.testing import CliRunner

from ovnguard.validators.commandline.grouped_command import GroupedCommand
from ovnguard.validators.commandline.option_groups import Groups


class Sailing(GroupedCommand):
    groups: ClassVar[Groups] = {"rigging": ("--sail", "--rope"), "another command's": ("--engine",)}
    gone: ClassVar[Mapping[str, str]] = {"--canvas": "write --sail"}


@click.command(cls=Sailing)
@click.option("--port", metavar="NAME", help="Where to.")
@click.option("-s", "--sail", metavar="NAME", help="Which sail.")
@click.option("--rope", is_flag=True, help="With a rope.")
def sail(port: str | None, **_: object) -> None:
    """Sail."""
    click.echo(port)


HEAD = """\
Usage: sail [OPTIONS]

  Sail.

Options:
  --port NAME  Where to.
  --help-all   Show all options and exit.
  --help       Show this message and exit.
"""
SHORT = f"{HEAD}\n  --help-all also shows: rigging (2).\n"
LONG = f"{HEAD}\nRigging:\n  -s, --sail NAME  Which sail.\n  --rope           With a rope.\n"


@pytest.mark.parametrize(
    ("words", "code", "output"),
    [
        (["--help"], 0, SHORT),
        (["--help-all"], 0, LONG),
        (["--port", "Ostende", "--help-all"], 0, LONG),
        (["--port", "Ostende", "--rope"], 0, "Ostende\n"),
    ],
)
def test_what_is_printed(words: list[str], code: int, output: str) -> None:
    result = CliRunner().invoke(sail, words)
    assert (result.exit_code, result.output) == (code, output)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--canvas", "red"], "Error: No such option '--canvas'; write --sail\n"),
        (["--canvas=red"], "Error: No such option '--canvas'; write --sail\n"),
        (["--oar"], "Error: No such option '--oar'. Did you mean '--port'?\n"),
    ],
)
def test_an_option_of_an_earlier_release_is_an_error_that_names_the_new_one(words: list[str], error: str) -> None:
    result = CliRunner().invoke(sail, words)
    assert (result.exit_code, result.stderr.rpartition("\n\n")[2]) == (2, error)
