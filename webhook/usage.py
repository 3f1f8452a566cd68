"""What sub-commands answer to input that they cannot use."""

import click


class InputError(click.ClickException):
    """Something given on the command line cannot be used."""

    exit_code = 2
