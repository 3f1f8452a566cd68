"""A group of commands, each imported when it is called: importing all of them takes about one second, `--help` a tenth
of that.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import click

Loaders: TypeAlias = Mapping[str, tuple[Callable[[], click.Command], str]]
"""Per name, the function that imports the command, and its line in --help."""


class LazyGroup(click.Group):
    """Commands by name; listing the commands imports none."""

    def __init__(self, *args: Any, loaders: Loaders, **options: Any) -> None:
        super().__init__(*args, **options)
        self._loaders = loaders

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of typical use."""
        return list(self._loaders)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or None for an unknown name."""
        return self._loaders[cmd_name][0]() if cmd_name in self._loaders else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for --help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._loaders.items()])


def lazy_group(name: str, text: str, loaders: Loaders, epilog: str) -> click.Group:
    """Return the group ``name`` of a command; ``text`` and ``epilog`` are its --help."""
    settings = {"help_option_names": ["-h", "--help"]}
    group = LazyGroup(name, loaders=loaders, help=text, epilog=epilog, context_settings=settings)
    return click.version_option(package_name="ovnguard")(group)
