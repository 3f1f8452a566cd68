"""The networks with routes to their pods, as OVN-Kubernetes' zone controllers see them.

The cluster manager names the RouteAdvertisements of a network on its attachments, and only after it has accepted them;
zone controllers read nothing else. Where the attachments of a network are unknown, as in manifests, the accepted
RouteAdvertisements that select it are those that the cluster manager would name.

Source: ovn-kubernetes, ``pkg/networkmanager`` (advertisements of a network) and
``pkg/clustermanager/routeadvertisements``.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory, declared
from ovnguard.validators.network.cluster.route_advertisements import RouteAdvertisement, known_advertisements
from ovnguard.validators.network.cluster_view import CUDN, NAD, ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX
from ovnguard.validators.network.model import DEFAULT_NETWORK
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.selectors import labels_of

NAMED_BY: Final = "k8s.ovn.org/route-advertisements"
# ovnkube's own namespaces, which no tenant can write to; the default network's attachment is there.
OVNKUBE_NAMESPACES: Final = ("ovn-kubernetes", "openshift-ovn-kubernetes")
_MAX_TEXT: Final = 64 * 1024


def advertised_networks(inventory: Inventory) -> frozenset[str]:
    """Return the names of the networks with advertised pods; ``default`` is the default network.

    A no-overlay network counts only if it is advertised; its zones behave as if it always were.
    """
    return inventory.followed(_advertised, ROUTE_ADVERTISEMENTS, *NETWORK_KINDS)


def _advertised(now: ObservedObjects, _: object) -> frozenset[str]:
    known = [each for each in now.followed(known_advertisements, ROUTE_ADVERTISEMENTS) if each.pod_network]
    if not known:
        return frozenset()
    named = _named(now)
    # one that was accepted and no longer is keeps its routes and its name on attachments
    judged = {each.name for each in known if each.accepted is not None}
    selected = set(_selected(now, [each for each in known if each.accepted])) - named.keys()
    return frozenset(selected | {network for network, names in named.items() if names & judged})


def _named(now: ObservedObjects) -> Mapping[str, set[str]]:
    """The RouteAdvertisements on the attachments of each network that has attachments."""
    rendered = now.followed(declared, *NETWORK_KINDS).rendered
    found: dict[str, set[str]] = {}
    for obj in now.objects(NAD):
        ref, owner = ref_of(obj), rendered.get(id(obj))
        network = owner.network_name if owner is not None else ""
        if owner is None and ref.name == DEFAULT_NETWORK and ref.namespace in OVNKUBE_NAMESPACES:
            network = DEFAULT_NETWORK
        if network:
            found.setdefault(network, set()).update(advertisement_names(obj))
    return found


def advertisement_names(obj: JsonObject) -> Iterator[str]:
    """Iterate over the RouteAdvertisements that the annotation of an attachment contains; none if it is unreadable."""
    text = dig(obj, "metadata", "annotations", NAMED_BY)
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        return
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from (each for each in listed if isinstance(each, str)) if isinstance(listed, list) else ()


def _selected(now: ObservedObjects, accepted: Iterable[RouteAdvertisement]) -> Iterator[str]:
    """The networks that any of ``accepted`` selects."""
    found = tuple(accepted)
    if any(each.selects_default for each in found):
        yield DEFAULT_NETWORK
    for obj in now.objects(CUDN) if found else ():
        labels = labels_of(obj)
        if any(each.selects(labels) for each in found):
            yield f"{CUDN_PREFIX}{ref_of(obj).name}"
