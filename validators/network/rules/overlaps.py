"""Overlaps between a network's subnets and those of the cluster, in upstream's order and words (no rule of its own).

Source: ovn-kubernetes, ``config.ConfigSubnets.CheckForOverlaps`` and ``util.subnetOverlapCheck``.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from validators.field import ErrorType, FieldError
from validators.network.addressing import DEFAULT_UDN_JOIN_SUBNETS
from validators.network.model import IPNetwork, Network
from validators.network.parse_paths import join_path, subnet_path, subnets_path
from validators.network.transit import USER, USER_JOIN, Obstacle, overlap

PREFIX = "pod or join subnet overlaps with already configured internal subnets: "


class Placed(NamedTuple):
    """A subnet of the network itself, and the field where it stands."""

    obstacle: Obstacle
    field: str


def own_subnets(network: Network) -> tuple[Placed, ...]:
    """Return subnets and join subnets of a network, in upstream's order."""
    subnets = [
        Placed(Obstacle(USER, subnet.cidr), subnet_path(network, index)) for index, subnet in enumerate(network.subnets)
    ]
    joins = [Placed(Obstacle(USER_JOIN, net), _join_field(network, net)) for net in network.join_subnets]
    return (*subnets, *joins)


def overlaps_with(own: Iterable[Placed], others: Sequence[Obstacle], prefix: str = PREFIX) -> Iterator[FieldError]:
    """Iterate over the first overlap of each of the network's subnets with ``others``, which come before it."""
    for placed in own:
        other = next((each for each in others if overlap(placed.obstacle.subnet, each.subnet)), None)
        if other is not None:
            detail = f"{prefix}{placed.obstacle} overlaps {other}"
            yield FieldError(ErrorType.INVALID, placed.field, str(placed.obstacle.subnet), detail)


def overlaps_among(own: Sequence[Placed], prefix: str = PREFIX) -> Iterator[FieldError]:
    """Iterate over the first overlap of each of the network's subnets with one before it.

    A join subnet that nobody wrote down can collide as well; then the error is the one of the subnet that was written.
    """
    for index, placed in enumerate(own):
        earlier = next((each for each in own[:index] if overlap(placed.obstacle.subnet, each.obstacle.subnet)), None)
        if earlier is not None:
            detail = f"{prefix}{placed.obstacle} overlaps {earlier.obstacle}"
            at = earlier if placed.obstacle.subnet in DEFAULT_UDN_JOIN_SUBNETS else placed
            yield FieldError(ErrorType.INVALID, at.field, str(at.obstacle.subnet), detail)


def _join_field(network: Network, subnet: IPNetwork) -> str:
    """A join subnet that has the default value stands nowhere in the object, most times."""
    if subnet in DEFAULT_UDN_JOIN_SUBNETS:
        return subnets_path(network)
    return join_path(network, subnet.version)
