"""What a zone watches: networks and nodes whole, and of everything around them only what plans read.

Pods are the many: those without a node and those that have come to their end are left out by the API server itself,
and of the others about three kilobytes are kept, so that ten thousand pods are about 29 MiB.
"""

from typing import Final

from reconciler.plan.services import ALLOWED, ENDPOINT_SLICE, SERVICE_NAME
from validators.cluster import trim
from validators.cluster.resources import CUDNS, NADS, NODES, OPERATOR_NETWORKS, UDNS, Part, Resource
from validators.network.cluster_view import EGRESS_IP, NAMESPACE, POD, SERVICE, GroupKind

DECLARING: Final = (OPERATOR_NETWORKS, CUDNS, UDNS, NADS, NODES)
"""Written too, so everything is kept of them."""
NAMESPACES: Final = Resource(NAMESPACE.group, "v1", "namespaces", NAMESPACE.kind)
PODS: Final = Resource(POD.group, "v1", "pods", POD.kind, namespaced=True)
EGRESS_IPS: Final = Resource(EGRESS_IP.group, "v1", "egressips", EGRESS_IP.kind)
SERVICES: Final = Resource(SERVICE.group, "v1", "services", SERVICE.kind, namespaced=True)
ENDPOINT_SLICES: Final = Resource(ENDPOINT_SLICE.group, "v1", "endpointslices", ENDPOINT_SLICE.kind, namespaced=True)
_RUNNING: Final = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"

AROUND: Final[tuple[tuple[Resource, Part], ...]] = (
    (NAMESPACES, Part(trim=trim.selectable)),
    (PODS, Part(trim=trim.pod_with_addresses, fields=_RUNNING)),
    (EGRESS_IPS, Part(trim=trim.plain)),
    *((SERVICES, Part(namespace, name, trim.service)) for namespace, name in ALLOWED),
    *(
        (ENDPOINT_SLICES, Part(namespace, trim=trim.plain, labels=f"{SERVICE_NAME}={name}"))
        for namespace, name in ALLOWED
    ),
)
"""Only read."""
AROUND_KINDS: Final[tuple[GroupKind, ...]] = tuple(dict.fromkeys(resource.group_kind for resource, _ in AROUND))
