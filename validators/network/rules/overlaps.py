"""Overlaps between a network's subnets and those of the cluster, in upstream's order and words (no rule of its own).

Source: ovn-kubernetes, ``config.ConfigSubnets.CheckForOverlaps`` and ``util.subnetOverlapCheck``.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from validators.field import ErrorType, FieldError
from validators.network.addressing import DEFAULT_UDN_JOIN_SUBNETS
from validators.network.model import Network
from validators.network.obstacles import USER, USER_JOIN, Obstacle, overlap
from validators.network.parse_paths import join_path, subnet_path, subnets_path

PREFIX = "pod or join subnet overlaps with already configured internal subnets: "


class Placed(NamedTuple):
    """A subnet of the network itself, the field for it, and whether it stands there or is a default."""

    obstacle: Obstacle
    field: str
    written: bool = True


def own_subnets(network: Network) -> tuple[Placed, ...]:
    """Return subnets and join subnets of a network, in upstream's order."""
    subnets = [
        Placed(Obstacle(USER, subnet.cidr), subnet_path(network, index)) for index, subnet in enumerate(network.subnets)
    ]
    joins = []
    for net in network.join_subnets:
        # one that has the default value stands nowhere in the object, most times
        written = net not in DEFAULT_UDN_JOIN_SUBNETS
        field = join_path(network, net.version) if written else subnets_path(network)
        joins.append(Placed(Obstacle(USER_JOIN, net), field, written))
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

    A default that nobody wrote down can collide as well; then the error is that of the subnet that was written.
    """
    for index, placed in enumerate(own):
        earlier = next((each for each in own[:index] if overlap(placed.obstacle.subnet, each.obstacle.subnet)), None)
        if earlier is not None:
            detail = f"{prefix}{placed.obstacle} overlaps {earlier.obstacle}"
            at = placed if placed.written else earlier
            yield FieldError(ErrorType.INVALID, at.field, str(at.obstacle.subnet), detail)
