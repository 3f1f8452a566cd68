"""RouteAdvertisements as frozen values, and which of them advertise a network.

Source: ovn-kubernetes, ``pkg/crd/routeadvertisements/v1`` and ``pkg/clustermanager/routeadvertisements``.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster_view import CUDN, ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.parse_values import dig, mapping, text_of
from ovnguard.validators.network.selectors import Labels, labels_of, matches, or_everything

AUTO: Final = "auto"
MANAGED_LABEL: Final = "k8s.ovn.org/managed-bgp"
GENERATED_LABEL: Final = "k8s.ovn.org/route-advertisements"
GENERATED_PREFIX: Final = "ovnk-generated-"
# A VRF is a network interface of the node; its name has at most 15 octets.
MAX_VRF_NAME: Final = 15
# The target VRF takes one of an FRRConfiguration's 50 routers.
MAX_IMPORTED: Final = 49
_SUPPORTED: Final = ("DefaultNetwork", "ClusterUserDefinedNetworks")


class RouteAdvertisement(NamedTuple):
    """One RouteAdvertisements object.

    ``target_vrf``: a VRF, empty for the default one, or `AUTO`: each network's own. ``cudn_selector``: of labels of
    ClusterUserDefinedNetworks, None when it selects none. ``accepted``: its condition, None until a controller sets it.
    ``unsupported``: a type of networks that cannot be selected, or empty.
    """

    name: str
    target_vrf: str
    selects_default: bool
    cudn_selector: object | None
    frr_selector: object
    node_selector: object
    pod_network: bool
    egress_ip: bool
    accepted: bool | None
    unsupported: str = ""

    def selects(self, labels: Labels) -> bool:
        """Whether it selects a ClusterUserDefinedNetwork with ``labels``."""
        return self.cudn_selector is not None and matches(self.cudn_selector, labels)


def route_advertisement(obj: JsonObject) -> RouteAdvertisement:
    """Parse a RouteAdvertisements object. Never raises; values of a wrong type count as absent."""
    spec = mapping(obj, "spec")
    listed = spec.get("networkSelectors")
    selectors = {text_of(dig(each, "networkSelectionType")): each for each in _sequence(listed)}
    cudns = selectors.get("ClusterUserDefinedNetworks")
    advertised = _sequence(spec.get("advertisements"))
    return RouteAdvertisement(
        name=ref_of(obj).name,
        target_vrf=text_of(spec.get("targetVRF")),
        selects_default="DefaultNetwork" in selectors,
        cudn_selector=None
        if cudns is None
        else or_everything(dig(cudns, "clusterUserDefinedNetworkSelector", "networkSelector")),
        frr_selector=or_everything(spec.get("frrConfigurationSelector")),
        node_selector=or_everything(spec.get("nodeSelector")),
        pod_network="PodNetwork" in advertised,
        egress_ip="EgressIP" in advertised,
        accepted=_accepted(obj),
        unsupported=next((each for each in selectors if each not in _SUPPORTED), ""),
    )


def route_advertisements(inventory: Inventory) -> tuple[RouteAdvertisement, ...]:
    """Return all known RouteAdvertisements, by name."""
    return inventory.followed(known_advertisements, ROUTE_ADVERTISEMENTS)


def known_advertisements(now: ObservedObjects, _: object) -> tuple[RouteAdvertisement, ...]:
    """Follow RouteAdvertisements; there are few."""
    found = map(route_advertisement, now.objects(ROUTE_ADVERTISEMENTS))
    return tuple(sorted(found, key=lambda each: each.name))


def advertising(obj: JsonObject, inventory: Inventory) -> tuple[RouteAdvertisement, ...]:
    """Return the RouteAdvertisements that advertise the pods of the network that ``obj`` declares, by name."""
    return selecting(obj, (each for each in route_advertisements(inventory) if each.pod_network))


def selecting(obj: JsonObject, among: Iterable[RouteAdvertisement]) -> tuple[RouteAdvertisement, ...]:
    """Return those of ``among`` that select the network that ``obj`` declares."""
    if group_kind_of(obj) != CUDN:
        return tuple(each for each in among if each.selects_default)
    labels = labels_of(obj)
    return tuple(each for each in among if each.selects(labels))


def vrf_of(obj: JsonObject) -> str | None:
    """Return the VRF of a ClusterUserDefinedNetwork: its name if that fits an interface.

    A longer name leads to ``mp<network id>-udn-vrf``, which is not known beforehand: None.
    """
    name = ref_of(obj).name
    return name if len(name.encode()) <= MAX_VRF_NAME else None


def is_generated(labels: Labels) -> bool:
    """Whether an FRRConfiguration with ``labels`` was generated from another one for a RouteAdvertisements."""
    return GENERATED_LABEL in labels


def written_by_ovn(labels: Labels) -> bool:
    """Whether an FRRConfiguration with ``labels`` is the managed fabric's, or a generated one."""
    return MANAGED_LABEL in labels or GENERATED_LABEL in labels


def _accepted(obj: JsonObject) -> bool | None:
    for condition in _sequence(dig(obj, "status", "conditions")):
        if dig(condition, "type") == "Accepted":
            return dig(condition, "status") == "True"
    return None


def _sequence(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
