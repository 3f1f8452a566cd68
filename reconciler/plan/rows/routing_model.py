"""The values about routing that plans pass around: what a cluster declares, and the conditions that follow from it.

Sources: k8s.ovn.org/v1 RouteAdvertisements, ClusterUserDefinedNetwork; frrk8s.metallb.io/v1beta1 FRRConfiguration;
ovn-kubernetes, ``pkg/clustermanager/routeadvertisements`` and ``managedbgp``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.route_advertisements import RouteAdvertisement
from ovnguard.validators.network.model import ManagedBGP
from ovnguard.validators.network.selectors import Labels

MANAGED_NAME: Final = "ovnk-managed-bgp"
"""The name of the managed FRRConfiguration, and the start of the names of the managed RouteAdvertisements."""
MANAGED_DEFAULT: Final = f"{MANAGED_NAME}-default"
MANAGED_CUDN: Final = f"{MANAGED_NAME}-cudn"


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


class Attachment(NamedTuple):
    """A NetworkAttachmentDefinition, and the RouteAdvertisements that its annotation contains; None without one."""

    namespace: str
    name: str
    named: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RoutingInputs:
    """What a cluster declares about routes, besides networks and nodes; unknown objects count as absent.

    ``enabled``: whether OVN-Kubernetes handles RouteAdvertisements at all. ``bgp``: the operator's managed fabric.
    ``advertisements``: the RouteAdvertisements of users, ``configurations``: all FRRConfigurations, generated ones
    included. ``labels``: those of ClusterUserDefinedNetworks, by network; ``unused``: the networks that select no
    namespace, which OVN-Kubernetes does not know. ``no_overlay``: the names of ClusterUserDefinedNetworks without an
    overlay, refused ones included, and whether their routing is Managed. ``attachments``: by network, rendered ones and
    the default network's.
    ``egress``: by node and network, the EgressIPs of the namespaces that the network serves, as prefixes.
    ``sessions``: the addresses with which each node has established sessions, None while these are unknown.
    ``secrets``: the Secrets with passwords of sessions by name, None where they are not read.
    ``frr_namespace`` and ``ovnkube_namespace`` are empty while they are unknown.
    """

    enabled: bool = True
    bgp: ManagedBGP | None = None
    advertisements: tuple[RouteAdvertisement, ...] = ()
    configurations: tuple[JsonObject, ...] = field(default=(), hash=False)
    labels: Mapping[str, Labels] = field(default_factory=_nothing, hash=False)
    unused: frozenset[str] = frozenset()
    no_overlay: Mapping[str, bool] = field(default_factory=_nothing, hash=False)
    attachments: Mapping[str, tuple[Attachment, ...]] = field(default_factory=_nothing, hash=False)
    egress: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=_nothing, hash=False)
    sessions: Mapping[str, frozenset[str]] | None = field(default=None, hash=False)
    secrets: Mapping[str, JsonObject] | None = field(default=None, hash=False, repr=False)
    frr_namespace: str = ""
    ovnkube_namespace: str = ""


class Condition(NamedTuple):
    """A status condition without its time."""

    type: str
    status: bool
    reason: str
    message: str
