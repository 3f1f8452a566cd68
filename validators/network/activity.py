"""On which nodes a network is while networks are allocated dynamically, and on which MetalLB answers.

Source: OKEP-5552, 'Implementation Details': a node has a network while a pod of it is scheduled there that has not
completed, or an EgressIP of one of its namespaces is assigned to the node.
"""

from collections.abc import Iterator, Mapping, Set
from typing import Any, Final

from validators.json_types import JsonObject
from validators.network.inventory import NETWORK_KINDS, Inventory
from validators.network.parse_values import MAX_ITEMS, dig, mapping, text_of
from validators.network.selectors import labels_of, matches
from validators.network.tenancy import namespaces, primaries
from validators.network.view import DAEMON_SET, EGRESS_IP, NAMESPACE, NODE, POD

_COMPLETED: Final = frozenset({"Succeeded", "Failed"})
_NO_NODES: Final = frozenset[str]()
_SPEAKERS: Final = frozenset({"speaker", "metallb-speaker"})
_COMPONENTS: Final = ("app.kubernetes.io/component", "component")


def active_nodes(inventory: Inventory, namespace: str) -> Set[str]:
    """Return the nodes that have the primary network of ``namespace``, by the pods of all its namespaces."""
    pods, addresses = inventory.derived(_by_pods, POD), inventory.derived(_by_addresses, EGRESS_IP, NAMESPACE)
    found: set[str] = set()
    for each in _sharing(inventory, namespace):
        found |= pods.get(each, _NO_NODES)
        found |= addresses.get(each, _NO_NODES)
    return found


def _sharing(inventory: Inventory, namespace: str) -> tuple[str, ...]:
    """The namespaces of the network of one."""
    owners = primaries(inventory).get(namespace, ())
    if not owners:
        return (namespace,)
    owner = owners[0].source
    return inventory.derived(_by_owner, NAMESPACE, *NETWORK_KINDS).get((owner.kind, owner.name, owner.namespace), ())


def _by_owner(inventory: Inventory) -> Mapping[tuple[str, str, str], tuple[str, ...]]:
    listed: dict[tuple[str, str, str], list[str]] = {}
    for namespace, networks in primaries(inventory).items():
        for network in networks:
            source = network.source
            listed.setdefault((source.kind, source.name, source.namespace), []).append(namespace)
    return {owner: tuple(names) for owner, names in listed.items()}


def _by_pods(inventory: Inventory) -> Mapping[str, Set[str]]:
    found: dict[str, set[str]] = {}
    for pod in inventory.objects(POD) or ():
        spec = mapping(pod, "spec")
        node = text_of(spec.get("nodeName"))
        completed = text_of(dig(pod, "status", "phase")) in _COMPLETED
        if node and not completed and spec.get("hostNetwork") is not True:
            found.setdefault(text_of(dig(pod, "metadata", "namespace")) or "default", set()).add(node)
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
    """Return the nodes that MetalLB's speakers are scheduled to by labels; none where no speakers are known."""
    return inventory.derived(_speaker_nodes, DAEMON_SET, NODE)


def _speaker_nodes(inventory: Inventory) -> Set[str]:
    speakers = filter(_speaks, inventory.objects(DAEMON_SET) or ())
    placed = [mapping(each, "spec", "template", "spec") for each in speakers]
    nodes = [(text_of(dig(node, "metadata", "name")), labels_of(node)) for node in inventory.objects(NODE) or ()]
    return {name for name, labels in nodes if name and any(_runs_on(spec, labels) for spec in placed)}


def _speaks(daemon_set: JsonObject) -> bool:
    labels = labels_of(daemon_set)
    named = text_of(dig(daemon_set, "metadata", "name")) in _SPEAKERS
    return named or any(labels.get(key) == "speaker" for key in _COMPONENTS)


def _runs_on(spec: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a node with ``labels`` is one of those that a pod's nodeSelector and required node affinity ask for."""
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
    """Terms by labels; one without any selects nothing."""
    for term in terms:
        expressions = dig(term, "matchExpressions")
        if isinstance(expressions, list) and expressions:
            yield {"matchExpressions": expressions}
