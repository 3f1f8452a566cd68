"""What of manifests no plan has rows for."""

from collections.abc import Iterable, Iterator, Sequence

from ovnguard.reconciler.plan.comparison.policies import POLICY_KINDS
from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS
from ovnguard.reconciler.plan.pods.pod_ipam import Placement
from ovnguard.reconciler.plan.pods.pod_objects import Pods, title_of
from ovnguard.reconciler.plan.services.endpoint_slices import ENDPOINT_SLICE
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.policies import has_multicast, policies_by_network
from ovnguard.validators.network.cluster_view import (
    CLUSTER_NETWORK_CONNECT,
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
    ClusterView,
)
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.model import Network
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import configures_ovnkube


def left_out(documents: Sequence[Document]) -> Iterator[str]:
    """Notes about the documents that plans do not read."""
    kinds = {group_kind_of(document.value) for document in documents}
    served = (
        *(kinds & {EGRESS_IP, EGRESS_SERVICE}),
        CLUSTER_NETWORK_CONNECT,
        FRR_CONFIGURATION,
        POD,
        *POLICY_KINDS,
        ROUTE_ADVERTISEMENTS,
        UPLINK,
        UPLINK_STATE,
    )
    served = (*served, NAMESPACE) if kinds & {EGRESS_IP, EGRESS_SERVICE, POD, SERVICE, *POLICY_KINDS} else served
    served = (*served, SERVICE, ENDPOINT_SLICE) if kinds & {EGRESS_SERVICE, SERVICE} else served
    for document in documents:
        kind = group_kind_of(document.value)
        read = configures_ovnkube(document.value) or has_multicast(document.value)
        if kind not in (*NETWORK_KINDS, NODE, *served) and not read:
            line = document.position("kind").line
            yield f"{document.file}:{line}: {kind.kind} declares neither a network nor a node and is ignored"


def unenforced(view: ClusterView, networks: Iterable[Network]) -> Iterator[str]:
    """Notes about the policies of ``networks``: OVN-Kubernetes has rows for them."""
    found = policies_by_network(inventory_of(view))
    for network in networks:
        if network.name in found:
            yield f"network {network.name}: no planned row enforces {shortlist(map(str, found[network.name]))}"


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
