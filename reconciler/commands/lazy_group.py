"""A group of commands, each imported when it is called: importing all of them takes about one second, `--help` a tenth
of that.
"""

from collections.abc import Callable, Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """Commands by name, with their lines in --help; ``load`` imports one, or returns None for an unknown name."""

    def __init__(
        self, *args: Any, texts: Mapping[str, str], load: Callable[[str], click.Command | None], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._texts, self._load = texts, load

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of typical use."""
        return list(self._texts)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or None for an unknown name."""
        return self._load(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for --help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._texts.items()))


def lazy_group(
    name: str, help_text: str, epilog: str, texts: Mapping[str, str], load: Callable[[str], click.Command | None]
) -> click.Group:
    """Return the group ``name``; ``help_text`` and ``epilog`` are its --help, ``texts`` and ``load`` its commands."""
    settings = {"help_option_names": ["-h", "--help"]}
    group = LazyGroup(name, texts=texts, load=load, help=help_text, epilog=epilog, context_settings=settings)
    return click.version_option(package_name="ovnguard")(group)
