"""The options of `cluster` about the objects that it publishes for routes."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True, slots=True)
class FabricOptions:
    """The networks whose objects of OVN-Kubernetes' cluster manager are replaced; whether everything is removed."""

    adopted: frozenset[str]
    remove: bool

    @property
    def given(self) -> Mapping[str, object]:
        """The values by option."""
        return {"--adopt": self.adopted, "--remove-objects": self.remove}


def with_fabric(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of `FabricOptions`, which the command gets as ``fabric``."""

    @functools.wraps(command)
    def with_options(adopt: tuple[str, ...], remove_objects: bool, **rest: Any) -> int:
        return command(fabric=FabricOptions(frozenset(adopt), remove_objects), **rest)

    adopting = click.option(
        "--adopt",
        multiple=True,
        metavar="NETWORK",
        help="Replace objects of OVN-Kubernetes' cluster manager for routes of this network. Repeatable.",
    )
    removing = click.option(
        "--remove-objects", is_flag=True, help="Remove what this command published for routes, and end."
    )
    wrapped: Callable[..., int] = with_options
    return adopting(removing(wrapped))
