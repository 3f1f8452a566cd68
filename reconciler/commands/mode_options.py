"""The option --mode of the commands that watch a cluster, and the options that only a writer has."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., object])

AUDIT: Final = "audit"
OWN: Final = "own"


def with_mode(command: _F) -> _F:
    """Add --mode, which the command gets as ``mode``: `AUDIT` or `OWN`."""
    return click.option(
        "--mode",
        type=click.Choice([AUDIT, OWN]),
        default=AUDIT,
        show_default=True,
        help="audit: write nothing but Events and the report; own: write, as the only writer.",
    )(command)


def check_mode(mode: str, writing: dict[str, Any]) -> None:
    """Raise click.UsageError for an option of ``writing`` that is given to an audit."""
    given = next((name for name, value in writing.items() if value), None)
    if mode == AUDIT and given is not None:
        raise click.UsageError(f"{given} needs --mode {OWN}: an audit does not write")
