"""How far the Nodes have come with transit routers, and the end of the annotations that say so."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ovnguard.reconciler.apply.kube_report import KEY, node_of_report
from ovnguard.reconciler.loop.status.zone_report import supports_legacy
from ovnguard.reconciler.plan.topology.layer2_upgrade import is_upgraded, legacy_nodes
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.declared.node import ROUTER_PORT_KEYS, TOPOLOGY_VERSION, Node, node_of

TRANSIT_ROUTER: Final = "transit-router"
LEGACY: Final = "legacy"
UNKNOWN: Final = "unknown"


class Ending(NamedTuple):
    """The removal of annotations from Nodes, by index, and the nodes whose zones still need them."""

    patches: Mapping[int, JsonObject]
    needed_by: tuple[str, ...] = ()


def counts_of(nodes: Sequence[Node]) -> Mapping[str, int]:
    """Return the numbers of nodes by topology; an unknown one is of a node whose zone has not decided yet."""
    upgraded, legacy = sum(map(is_upgraded, nodes)), len(legacy_nodes(nodes))
    return {TRANSIT_ROUTER: upgraded, LEGACY: legacy, UNKNOWN: len(nodes) - upgraded - legacy}


def ending(objects: Sequence[JsonObject], reports: Iterable[JsonObject]) -> Ending:
    """Return the unneeded annotations of the earlier topology; ``reports`` are those of the zones.

    A zone that supports the earlier topology takes a node without annotations for one that has not decided, and
    removes its ports. So all annotations stay while one node has the earlier topology, or one zone supports it.
    """
    found = [_annotations(obj) for obj in objects]
    if not any(found):
        return Ending({})
    nodes = [node for obj in objects if (node := node_of(obj).node) is not None]
    if legacy := legacy_nodes(nodes):
        return Ending({}, legacy)
    done = {node_of_report(obj) for obj in reports if not supports_legacy((obj.get("data") or {}).get(KEY))}
    waiting = tuple(sorted(node.name for node in nodes if node.name not in done))
    if waiting or len(nodes) < len(objects):
        return Ending({}, waiting)
    gone = {index: dict.fromkeys(keys) for index, keys in enumerate(found) if keys}
    return Ending({index: {"metadata": {"annotations": nulls}} for index, nulls in gone.items()})


def _annotations(obj: JsonObject) -> tuple[str, ...]:
    """The annotations of the earlier topology that a Node has."""
    found = obj["metadata"].get("annotations") or {}
    return tuple(key for key in (TOPOLOGY_VERSION, ROUTER_PORT_KEYS) if key in found)
