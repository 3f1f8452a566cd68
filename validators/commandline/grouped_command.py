"""A command of click with many options: its ``--help`` shows the usual ones, ``--help-all`` all."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import click

from ovnguard.validators.commandline.option_groups import ALL, Groups, grouped, others_line

_EVERYTHING: Final = "ovnguard.help_all"


class GroupedCommand(click.Command):
    """A command whose unusual options are in ``groups``.

    ``gone`` says what to write in place of options that an earlier release had.
    """

    groups: ClassVar[Groups] = {}
    gone: ClassVar[Mapping[str, str]] = {}

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        text = "Show all options and exit."
        self.params.append(
            click.Option([ALL], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help=text)
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line; an option that is gone is an error that says what to write."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if meant := self.gone.get(error.option_name):
                raise click.UsageError(f"No such option {error.option_name!r}; {meant}", ctx) from None
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usual options, then the others or the titles of their groups."""
        shown = [each for each in self.get_params(ctx) if each.get_help_record(ctx) is not None]
        usual, others = grouped(shown, lambda each: each.opts, self.groups)
        _write(ctx, formatter, "Options", usual)
        if not ctx.meta.get(_EVERYTHING):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(others_line(others))
            return
        for title, options in others.items():
            _write(ctx, formatter, title[0].upper() + title[1:], options)


def _write(ctx: click.Context, formatter: click.HelpFormatter, title: str, options: list[click.Parameter]) -> None:
    records = [record for each in options if (record := each.get_help_record(ctx)) is not None]
    with formatter.section(title):
        formatter.write_dl(records)


def _show_all(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        ctx.meta[_EVERYTHING] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
