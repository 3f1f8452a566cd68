"""Overlaps between a network's subnets and those of the cluster, in upstream's order and words (no rule of its own).

Source: ovn-kubernetes, ``config.ConfigSubnets.CheckForOverlaps`` and ``util.subnetOverlapCheck``. Nearly always nothing
overlaps; that is told by numbers, before anything is compared in that order.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from validators.field import ErrorType, FieldError
from validators.network.addressing import DEFAULT_UDN_JOIN_SUBNETS
from validators.network.facts import ClusterFacts
from validators.network.model import Network
from validators.network.obstacles import USER, USER_JOIN, Obstacle, overlap
from validators.network.parse_paths import join_path, subnet_path, subnets_path
from validators.network.spans import Span, Spans, apart, span_of

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


class Used:
    """Subnets that are in use, in upstream's order. Made once for the networks that are held against them."""

    def __init__(self, obstacles: Iterable[Obstacle]) -> None:
        self.obstacles: Final = tuple(obstacles)
        self.spans: Final = Spans(each.subnet for each in self.obstacles)


class UsedBy:
    """What ``list_of`` says a cluster uses, made anew when rules ask about other facts than the last time."""

    def __init__(self, list_of: Callable[[ClusterFacts], Iterable[Obstacle]]) -> None:
        self._list_of = list_of
        self._last: tuple[ClusterFacts | None, Used] = (None, Used(()))

    def __call__(self, facts: ClusterFacts) -> Used:
        """Return it for the cluster of ``facts``."""
        last = self._last
        if last[0] is not facts:
            last = self._last = (facts, Used(self._list_of(facts)))
        return last[1]


# As above, and also replaced in one step, because requests are judged in several threads.
_LAST: Final[list[tuple[Network | None, tuple[Span, ...]]]] = [(None, ())]


def own_spans(network: Network) -> tuple[Span, ...]:
    """Return the addresses of `own_subnets`; several rules ask for those of one network, one after another."""
    last = _LAST[0]
    if last[0] is not network:
        nets = (*(subnet.cidr for subnet in network.subnets), *network.join_subnets)
        last = _LAST[0] = (network, tuple(map(span_of, nets)))
    return last[1]


def overlaps_with(network: Network, used: Used, prefix: str = PREFIX) -> Iterator[FieldError]:
    """Iterate over the first overlap of each of the network's subnets with those of others, which come before it."""
    if not used.spans.meet(own_spans(network)):
        return
    for placed in own_subnets(network):
        other = next((each for each in used.obstacles if overlap(placed.obstacle.subnet, each.subnet)), None)
        if other is not None:
            detail = f"{prefix}{placed.obstacle} overlaps {other}"
            yield FieldError(ErrorType.INVALID, placed.field, str(placed.obstacle.subnet), detail)


def overlaps_inside(network: Network) -> Iterator[FieldError]:
    """Iterate over the first overlap of each of the network's subnets with one of its own before it."""
    if not apart(own_spans(network)):
        yield from overlaps_among(own_subnets(network))


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
