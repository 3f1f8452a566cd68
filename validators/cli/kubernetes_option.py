"""The option that names the Kubernetes version of a command."""

from collections.abc import Callable
from typing import Any

import click

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, supported


def kubernetes_option(text: str) -> Callable[[Any], Any]:
    """Return the option --kubernetes-version, the command's ``kubernetes``, with ``text`` as help."""
    return click.option(
        "--kubernetes-version",
        "kubernetes",
        default=DEFAULT_KUBERNETES,
        show_default=True,
        callback=_version,
        help=text,
    )


def _version(context: click.Context, parameter: click.Parameter, value: str) -> str:
    try:
        return supported(value)
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None
