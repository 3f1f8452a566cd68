"""The settings that a RouteAdvertisements still lacks on the nodes.

Source: ovn-kubernetes, ``pkg/clustermanager/routeadvertisements``.
"""

from collections.abc import Iterator, Mapping, Sequence

from ovnguard.validators.network.cluster.route_advertisements import AUTO, GENERATED_PREFIX, RouteAdvertisement
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.frr import refusals
from ovnguard.validators.network.frr.frr_merge import FrrIndex
from ovnguard.validators.network.frr.frr_model import FrrPart
from ovnguard.validators.network.selectors import matches

_SHOWN = 3


def chosen_parts(advertisement: RouteAdvertisement, node: Node, index: FrrIndex) -> list[FrrPart]:
    """Return the FRRConfigurations that a RouteAdvertisements uses on a node; generated ones are never sources."""
    return [
        part
        for part in index.on_node(node.labels)
        if matches(advertisement.frr_selector, part.labels)
        and not part.origin.rpartition("/")[2].startswith(GENERATED_PREFIX)
    ]


def chosen_on(advertisement: RouteAdvertisement, nodes: Sequence[Node], index: FrrIndex) -> Mapping[str, list[FrrPart]]:
    """Return the FRRConfigurations that a RouteAdvertisements uses, by name of every node that it selects."""
    return {
        node.name: chosen_parts(advertisement, node, index)
        for node in nodes
        if matches(advertisement.node_selector, node.labels)
    }


def pending_on(advertisement: RouteAdvertisement, chosen: Mapping[str, Sequence[FrrPart]]) -> Iterator[str]:
    """Iterate over upstream's objections to a RouteAdvertisements and its FRRConfigurations, in upstream's words.

    Objections that depend on the VRF of a network are in `uncovered`.
    """
    if not chosen:
        yield refusals.NO_NODES
        return
    bare = [name for name, parts in chosen.items() if not parts]
    if bare:
        yield f"no FRRConfigurations selected for {named('node', bare)}"
    seen = set()
    for node, parts in chosen.items():
        for part in parts:
            if part.origin not in seen:
                seen.add(part.origin)
                yield from _unusable(advertisement, node, part)


def _unusable(advertisement: RouteAdvertisement, node: str, part: FrrPart) -> Iterator[str]:
    for neighbor in part.dual_stack:
        yield refusals.dual_stack(part.origin, neighbor)
    target = advertisement.target_vrf
    if target != AUTO and part.fault is None and target not in {router.vrf for router in part.routers}:
        yield refusals.no_matching_vrf(part.origin.rpartition("/")[2], node)


def named(kind: str, names: Sequence[str]) -> str:
    """Return ``node a``, or ``nodes a, b, c and 4 more``."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{kind}{'s' if len(names) > 1 else ''} {', '.join(names[:_SHOWN])}{more}"
