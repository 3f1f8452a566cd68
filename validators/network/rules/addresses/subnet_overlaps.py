"""Overlaps between a network's subnets and those of the cluster, in upstream's order and words (a helper, not a rule).

Source: ovn-kubernetes, ``config.ConfigSubnets.CheckForOverlaps`` and ``util.subnetOverlapCheck``. Overlaps are rare: a
comparison of integer ranges rules them out before the ordered comparison.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.addressing import DEFAULT_UDN_JOIN_SUBNETS
from ovnguard.validators.network.addresses.spans import Span, Spans, apart, span_of
from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts
from ovnguard.validators.network.declared.parse_paths import join_path, subnet_path, subnets_path
from ovnguard.validators.network.model import Network
from ovnguard.validators.network.transit.used_subnets import (
    CLUSTER,
    HYBRID,
    JOIN,
    MASQUERADE,
    SERVICE,
    TRANSIT,
    USER,
    USER_JOIN,
    Obstacle,
    overlap,
)

PREFIX = "pod or join subnet overlaps with already configured internal subnets: "


class Placed(NamedTuple):
    """A subnet of the network itself, its field, and whether the object specifies it or it is a default."""

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
        # a subnet with the default value is usually absent from the object
        written = net not in DEFAULT_UDN_JOIN_SUBNETS
        field = join_path(network, net.version) if written else subnets_path(network)
        joins.append(Placed(Obstacle(USER_JOIN, net), field, written))
    return (*subnets, *joins)


def of_cluster(facts: ClusterFacts) -> Iterator[Obstacle]:
    """Iterate over subnets of the cluster's pods and services, in upstream's order."""
    yield from (Obstacle(CLUSTER, net) for net in facts.cluster_subnets or ())
    yield from (Obstacle(SERVICE, net) for net in facts.service_subnets or ())
    yield from (Obstacle(HYBRID, net) for net in facts.hybrid_subnets)


def internal(facts: ClusterFacts) -> Iterator[Obstacle]:
    """Iterate over the internal subnets of OVN-Kubernetes, except the transit switch's."""
    yield from (Obstacle(JOIN, net) for net in facts.join_subnets)
    yield from (Obstacle(MASQUERADE, net) for net in facts.masquerade_subnets)


def internal_with_transit(facts: ClusterFacts) -> Iterator[Obstacle]:
    """Iterate over the internal subnets, including the transit switch's."""
    yield from internal(facts)
    yield from (Obstacle(TRANSIT, net) for net in facts.transit_subnets)


_DEFAULT_JOINS: Final = tuple(span_of(net) for net in DEFAULT_UDN_JOIN_SUBNETS)


class _Own(NamedTuple):
    """The addresses of the latest network, and whether they are free in a cluster.

    Several rules in a row need the same network. Threads judge concurrently, so the whole value is replaced at once.
    """

    network: Network | None = None
    spans: tuple[Span, ...] = ()
    facts: ClusterFacts | None = None
    free: bool = False


class _Used(NamedTuple):
    """All addresses that the latest cluster uses; cached like `_Own`, for all networks."""

    facts: ClusterFacts | None = None
    spans: Spans = Spans(())


_LAST_OWN: Final = [_Own()]
_LAST_USED: Final = [_Used()]


def own_spans(network: Network) -> tuple[Span, ...]:
    """Return the addresses of `own_subnets`."""
    last = _LAST_OWN[0]
    if last.network is network:
        return last.spans
    joins = network.join_subnets
    own = [span_of(subnet.cidr) for subnet in network.subnets]
    own += _DEFAULT_JOINS if joins is DEFAULT_UDN_JOIN_SUBNETS else [span_of(net) for net in joins]
    _LAST_OWN[0] = _Own(network, spans := tuple(own))
    return spans


def is_free(network: Network, facts: ClusterFacts) -> bool:
    """Whether a quick check shows that the network's subnets overlap nothing in the cluster, nor each other."""
    last = _LAST_OWN[0]
    if last.network is not network or last.facts is not facts:
        spans = own_spans(network)
        last = _LAST_OWN[0] = _Own(network, spans, facts, apart(spans) and not _used(facts).meet(spans))
    return last.free


def _used(facts: ClusterFacts) -> Spans:
    last = _LAST_USED[0]
    if last.facts is not facts:
        obstacles = (*internal_with_transit(facts), *of_cluster(facts))
        last = _LAST_USED[0] = _Used(facts, Spans(each.subnet for each in obstacles))
    return last.spans


def overlaps_with(own: Iterable[Placed], others: Sequence[Obstacle], prefix: str = PREFIX) -> Iterator[FieldError]:
    """Iterate over the first overlap of each of the network's subnets with ``others``, which come before it."""
    for placed in own:
        other = next((each for each in others if overlap(placed.obstacle.subnet, each.subnet)), None)
        if other is not None:
            detail = f"{prefix}{placed.obstacle} overlaps {other}"
            yield FieldError(ErrorType.INVALID, placed.field, str(placed.obstacle.subnet), detail)


def overlaps_among(own: Sequence[Placed], prefix: str = PREFIX) -> Iterator[FieldError]:
    """Iterate over the first overlap of each of the network's subnets with one before it.

    An implied default can overlap as well; the error then names the subnet that the object specifies.
    """
    for index, placed in enumerate(own):
        earlier = next((each for each in own[:index] if overlap(placed.obstacle.subnet, each.obstacle.subnet)), None)
        if earlier is not None:
            detail = f"{prefix}{placed.obstacle} overlaps {earlier.obstacle}"
            at = placed if placed.written else earlier
            yield FieldError(ErrorType.INVALID, at.field, str(at.obstacle.subnet), detail)
