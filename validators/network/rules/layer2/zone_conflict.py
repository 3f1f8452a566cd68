"""A second node in a zone breaks primary Layer2 networks: both nodes would have the same gateway address and port key.

A second node in a zone shares its databases with the first: neither can lack a network that the other has.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.network_index import layer2_primaries
from ovnguard.validators.network.cluster.node_index import node_index
from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.node import ZONE_NAME, node_of
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.ovnkube_settings.allocation import allocation
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Nodes that are in a zone."""
    node = node_of(ctx.object).node
    return node is not None and bool(node.zone)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning when another node is in the zone and there are primary Layer2 networks."""
    node = node_of(ctx.object).node
    if node is None:
        return
    others = [name for name in node_index(ctx.inventory).zones.get(node.zone, ()) if name != node.name]
    networks = layer2_primaries(ctx.inventory) if others else ()
    if networks:
        detail = f"node {others[0]} is in the zone as well, which cuts primary Layer2 networks: {shortlist(networks)}"
        yield FieldError(ErrorType.INVALID, f"metadata.annotations[{ZONE_NAME}]", node.zone, detail)


_RULE = Rule(
    id="OVNG-L2-027",
    kinds=(NODE,),
    severity=Severity.WARNING,
    design="OKEP-5094, 'Transit router'; interconnect with one node in each zone",
    message="a zone should have one node while there are primary Layer2 networks",
    hint="give every node its own zone",
    applies=applies,
    check=check,
    needs=(Need.NODES, Need.NETWORKS),
    subresources=frozenset({"", "status"}),
)


def check_dynamic(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning when another node is in the zone and networks are allocated dynamically."""
    node, known = node_of(ctx.object).node, allocation(ctx.inventory)
    if node is None or known is None or not known.is_dynamic:
        return
    others = [name for name in node_index(ctx.inventory).zones.get(node.zone, ()) if name != node.name]
    if others:
        detail = f"{_RULE_DYNAMIC.message}: node {others[0]} is in the zone as well"
        yield FieldError(ErrorType.INVALID, f"metadata.annotations[{ZONE_NAME}]", node.zone, detail)


_RULE_DYNAMIC = Rule(
    id="OVNG-DYN-010",
    kinds=(NODE,),
    severity=Severity.WARNING,
    design="OKEP-5552, 'Risks, Known Limitations and Mitigations'",
    message="a zone should have one node while networks are allocated dynamically",
    hint="give every node its own zone",
    applies=applies,
    check=check_dynamic,
    needs=(
        Need.ZONES,
        Need.ALLOCATION,
    ),
    subresources=frozenset({"", "status"}),
)


RULES = (_RULE, _RULE_DYNAMIC)
