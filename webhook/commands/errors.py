"""What sub-commands answer to input that they cannot use."""

from typing import Final

import click

EXIT_INTERNAL: Final = 3
"""The exit code of a fault of ours."""


class InputError(click.ClickException):
    """Something given on the command line cannot be used."""

    exit_code = 2
