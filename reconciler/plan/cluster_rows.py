"""Rows of a zone that belong to no single network: address sets that all name, and what keeps networks apart."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from ovnguard.reconciler.plan.numbers.layer2_addresses import Layer2
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.topology.address_sets import NODE_IPS, SERVICE_PODS, SERVICES
from ovnguard.reconciler.plan.topology.layer3_networks import ClusterContext, PlannedLayer3
from ovnguard.reconciler.plan.topology.routed_isolation import Routed, isolation_rows
from ovnguard.validators.network.declared.node import Node


class Isolated(NamedTuple):
    """The advertised networks with rows in a zone, and the names of all networks with rows there."""

    routed: Sequence[Routed]
    here: Container[str]


def cluster_rows(
    node: Node,
    layer2s: Iterable[Layer2],
    layer3s: Sequence[PlannedLayer3],
    isolated: Isolated,
    cluster: ClusterContext,
) -> Iterator[Row]:
    """Iterate over the rows for the zone of ``node``."""
    settings = cluster.settings
    families = {family.version for each in layer2s for family in each.families}
    families |= {family.version for each in layer3s if each.layer3.is_primary for family in each.layer3.families}
    versions = sorted(families | {*settings.ip_versions})
    services = [each for service in settings.services for each in service.addresses]
    pods = [address for each in layer3s for address in each.service_pods(node, cluster)]
    for version in versions:
        yield NODE_IPS.row(version, cluster.addresses.get(version, ()))
        for found, addresses in ((SERVICES, services), (SERVICE_PODS, pods)):
            yield found.row(version, (each for each in addresses if each.version == version))
    if settings.advertises:
        yield from _isolation(node, versions, isolated, cluster)


def _isolation(node: Node, versions: Sequence[int], isolated: Isolated, cluster: ClusterContext) -> Iterator[Row]:
    """What keeps advertised networks apart; a network that cannot be planned now stays apart from the others."""
    settings = cluster.settings
    if not settings.isolates:
        yield from isolation_rows(versions, ())
        return
    doubtful = (
        subnet
        for name, subnets in settings.advertised.items()
        if name not in isolated.here and cluster.has_rows(name, node.name)
        for subnet in subnets
    )
    yield from isolation_rows(versions, isolated.routed, doubtful)
