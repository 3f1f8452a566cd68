"""The documents of manifests that no plan reads."""

from collections.abc import Iterator, Sequence

from reconciler.plan.comparison.policies import POLICY_KINDS
from reconciler.plan.inputs.candidates import NETWORK_KINDS
from reconciler.plan.pods.pod_ipam import Placement
from reconciler.plan.pods.pod_objects import Pods, title_of
from reconciler.plan.services.endpoint_slices import ENDPOINT_SLICE
from validators.manifest.documents import Document
from validators.network.cluster.network_index import CLUSTER_NETWORK_CONNECT
from validators.network.cluster_view import (
    EGRESS_IP,
    EGRESS_SERVICE,
    FRR_CONFIGURATION,
    NAMESPACE,
    NODE,
    POD,
    ROUTE_ADVERTISEMENTS,
    SERVICE,
    UPLINK,
    UPLINK_STATE,
)
from validators.network.declared.network_of import group_kind_of


def left_out(documents: Sequence[Document]) -> Iterator[str]:
    """Notes about the documents that plans do not read."""
    kinds = {group_kind_of(document.value) for document in documents}
    served = (
        *(kinds & {EGRESS_IP, EGRESS_SERVICE}),
        CLUSTER_NETWORK_CONNECT,
        FRR_CONFIGURATION,
        POD,
        ROUTE_ADVERTISEMENTS,
        UPLINK,
        UPLINK_STATE,
        *POLICY_KINDS,
    )
    served = (*served, NAMESPACE) if kinds & {EGRESS_IP, EGRESS_SERVICE, POD, SERVICE} else served
    served = (*served, SERVICE, ENDPOINT_SLICE) if kinds & {EGRESS_SERVICE, SERVICE} else served
    for document in documents:
        kind = group_kind_of(document.value)
        if kind not in (*NETWORK_KINDS, NODE, *served):
            line = document.position("kind").line
            yield f"{document.file}:{line}: {kind.kind} declares neither a network nor a node and is ignored"


def pods_left_out(documents: Sequence[Document], pods: Pods, placed: Placement) -> Iterator[str]:
    """Pods that are on no network of the manifests and that no other message names."""
    ports = {port.title for each in placed.ports.values() for port in each}
    named = {each.pod for each in (*pods.notes, *placed.errors, *placed.notes)} | {each.pod for each in pods.errors}
    for document in documents:
        title = title_of(document.value) if is_pod(document) else ""
        if title and title not in ports and title not in named:
            yield f"{document.file}:{document.position('kind').line}: Pod {title} is on no network of the manifests"


def is_pod(document: Document) -> bool:
    """Whether a document is a Pod."""
    return group_kind_of(document.value) == POD
