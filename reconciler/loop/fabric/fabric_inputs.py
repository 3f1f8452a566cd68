"""What the leader watches for fabrics, and the resources of which it publishes objects."""

from collections.abc import Sequence
from typing import Final

from ovnguard.reconciler.apply.objects.object_owners import with_managers
from ovnguard.reconciler.loop.inputs.plan_inputs import ADVERTISEMENTS, EGRESS_IPS, FRR_CONFIGURATIONS, NAMESPACES
from ovnguard.reconciler.loop.process.frozen_view import KINDS
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.resources import Part, Resource
from ovnguard.validators.network.cluster_view import (
    EGRESS_IP,
    FRR_CONFIGURATION,
    NAMESPACE,
    ROUTE_ADVERTISEMENTS,
    ClusterView,
)

OBJECTS: Final = (FRR_CONFIGURATIONS, ADVERTISEMENTS)
"""The resources of which ovnguard publishes whole objects."""
FABRIC_RESOURCES: Final[tuple[tuple[Resource, Part], ...]] = (
    (FRR_CONFIGURATIONS, Part(trim=with_managers)),
    (ADVERTISEMENTS, Part(trim=with_managers)),
    (NAMESPACES, Part(trim=trim.selectable)),
    (EGRESS_IPS, Part(trim=trim.plain)),
)
"""What the leader watches for fabrics, besides networks and nodes."""
FABRIC_KINDS: Final = (*KINDS, FRR_CONFIGURATION, ROUTE_ADVERTISEMENTS, NAMESPACE, EGRESS_IP)


def objects_of(view: ClusterView) -> Sequence[JsonObject]:
    """Return all objects of the kinds that ovnguard publishes."""
    return [obj for resource in OBJECTS for obj in view.objects(resource.group_kind) or ()]
