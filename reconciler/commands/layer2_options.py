"""The option --layer2-legacy of the commands that watch a cluster."""

from collections.abc import Callable
from typing import Final, TypeVar

import click

_F = TypeVar("_F", bound=Callable[..., object])

ON: Final = "on"
OFF: Final = "off"


def with_layer2_legacy(command: _F) -> _F:
    """Add --layer2-legacy, which the command gets as ``layer2_legacy``: `ON` or `OFF`."""
    return click.option(
        "--layer2-legacy",
        type=click.Choice([ON, OFF]),
        default=ON,
        show_default=True,
        help="off: no node has the Layer2 topology before transit routers any more. Zones first, then the cluster.",
    )(command)
