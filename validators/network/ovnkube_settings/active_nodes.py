"""The nodes of a network under dynamic allocation, and the nodes on which MetalLB answers.

Source: OKEP-5552, 'Implementation Details': a node has a network while an incomplete pod of it is scheduled there, or
while an EgressIP of one of its namespaces is assigned to the node.
"""

from collections.abc import Iterator, Mapping, Set
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primaries
from ovnguard.validators.network.cluster_view import DAEMON_SET, EGRESS_IP, NAMESPACE, NODE, POD, SERVICE
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import ObjectRef
from ovnguard.validators.network.parse_values import MAX_ITEMS, dig, mapping, text_of
from ovnguard.validators.network.selectors import labels_of, matches

_COMPLETED: Final = frozenset({"Succeeded", "Failed"})
_NO_NODES: Final = frozenset[str]()
_SPEAKERS: Final = frozenset({"speaker", "metallb-speaker"})
_COMPONENTS: Final = ("app.kubernetes.io/component", "component")
_APPLICATIONS: Final = ("app.kubernetes.io/name", "app")


def active_nodes(inventory: Inventory, namespace: str) -> Set[str]:
    """Return the nodes with the primary network of ``namespace``, counting pods of all namespaces of that network."""
    shared = inventory.derived(_by_network, POD, EGRESS_IP, NAMESPACE, *NETWORK_KINDS)
    found = shared.get(namespace)
    return _own_nodes(inventory, namespace) if found is None else found


def _own_nodes(inventory: Inventory, namespace: str) -> Set[str]:
    pods, addresses = inventory.derived(_by_pods, POD), inventory.derived(_by_addresses, EGRESS_IP, NAMESPACE)
    return {*pods.get(namespace, ()), *addresses.get(namespace, ())}


def _by_network(inventory: Inventory) -> Mapping[str, Set[str]]:
    """The same for every namespace with a known network: one shared set for all namespaces of a network."""
    nodes: dict[ObjectRef, set[str]] = {}
    found: dict[str, Set[str]] = {}
    known = namespaces(inventory).by_name
    for namespace, networks in primaries(inventory).items():
        found[namespace] = nodes.setdefault(networks[0].source, set())
        # pods of a namespace without the label are on the default network
        if not inventory.knows(NAMESPACE) or (namespace in known and known[namespace].has_primary_label):
            nodes[networks[0].source] |= _own_nodes(inventory, namespace)
    return found


def _by_pods(inventory: Inventory) -> Mapping[str, Set[str]]:
    found: dict[str, set[str]] = {}
    for pod in inventory.objects(POD) or ():
        spec = mapping(pod, "spec")
        node = text_of(spec.get("nodeName"))
        if node and not _completed(pod) and spec.get("hostNetwork") is not True:
            found.setdefault(text_of(dig(pod, "metadata", "namespace")), set()).add(node)
    return found


def _by_addresses(inventory: Inventory) -> Mapping[str, Set[str]]:
    found: dict[str, set[str]] = {}
    known = namespaces(inventory)
    for address in inventory.objects(EGRESS_IP) or ():
        items = dig(address, "status", "items")
        listed = items[:MAX_ITEMS] if isinstance(items, list) else ()
        nodes = {node for node in (text_of(dig(each, "node")) for each in listed) if node}
        for name in known.names(dig(address, "spec", "namespaceSelector"), _NO_NODES) if nodes else ():
            found.setdefault(name, set()).update(nodes)
    return found


def speaker_nodes(inventory: Inventory) -> Set[str]:
    """Return the nodes on which MetalLB's speakers run or may be placed by labels; empty when no speaker is known."""
    return inventory.derived(_speaker_nodes, POD, DAEMON_SET, NODE)


def _speaker_nodes(inventory: Inventory) -> Set[str]:
    pods = filter(_speaks, inventory.objects(POD) or ())
    running = {text_of(dig(pod, "spec", "nodeName")) for pod in pods if not _completed(pod)} - {""}
    speakers = filter(_speaks, inventory.objects(DAEMON_SET) or ())
    placed = [mapping(each, "spec", "template", "spec") for each in speakers]
    nodes = [(text_of(dig(node, "metadata", "name")), labels_of(node)) for node in inventory.objects(NODE) or ()]
    return running | {name for name, labels in nodes if name and any(_runs_on(spec, labels) for spec in placed)}


def _speaks(obj: JsonObject) -> bool:
    """Whether a DaemonSet or Pod is MetalLB's speaker, by its labels or by the name in its manifests."""
    labels = labels_of(obj)
    is_speaker = any(labels.get(key) == "speaker" for key in _COMPONENTS)
    is_metallb = any(labels.get(key) == "metallb" for key in _APPLICATIONS)
    return (is_speaker and is_metallb) or text_of(dig(obj, "metadata", "name")) in _SPEAKERS


def _completed(pod: JsonObject) -> bool:
    return text_of(dig(pod, "status", "phase")) in _COMPLETED


def unreached_services(inventory: Inventory) -> tuple[str, ...]:
    """Return, as ``namespace/name``, LoadBalancer Services of primary networks that some speaker's node lacks."""
    speakers = speaker_nodes(inventory)
    return tuple(sorted(_unreached(inventory, speakers))) if speakers else ()


def _unreached(inventory: Inventory, speakers: Set[str]) -> Iterator[str]:
    known = namespaces(inventory).by_name
    for service in inventory.objects(SERVICE) or ():
        ref = ref_of(service)
        namespace = known.get(ref.namespace)
        if namespace is None or not namespace.has_primary_label or dig(service, "spec", "type") != "LoadBalancer":
            continue
        if not speakers <= active_nodes(inventory, namespace.name):
            yield f"{namespace.name}/{ref.name}"


def _runs_on(spec: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a node with ``labels`` meets a pod's nodeSelector and required node affinity."""
    exact = mapping(spec, "nodeSelector")
    terms = dig(
        spec,
        "affinity",
        "nodeAffinity",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "nodeSelectorTerms",
    )
    if any(labels.get(key) != value for key, value in exact.items()):
        return False
    return not isinstance(terms, list) or any(matches(term, labels) for term in _readable(terms[:MAX_ITEMS]))


def _readable(terms: list[object]) -> Iterator[Mapping[str, object]]:
    """Terms by labels; one without labels selects nothing."""
    for term in terms:
        expressions = dig(term, "matchExpressions")
        if isinstance(expressions, list) and expressions:
            yield {"matchExpressions": expressions}
