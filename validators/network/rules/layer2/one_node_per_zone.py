"""The transit router joins zones of one node each: every node has its own gateway address .1 and port key 1.

Without OVN interconnect all nodes are in zone global, and the network has no path between nodes.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.node_index import node_index
from ovnguard.validators.network.declared.parse_paths import block_path
from ovnguard.validators.network.list_text import counted, shortlist
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error about the first zone of several nodes."""
    network = ctx.own_network
    zones = node_index(ctx.inventory).zones
    shared = min((zone for zone, names in zones.items() if len(names) > 1), default="")
    if network is not None and shared:
        text = "a primary Layer2 network needs OVN interconnect with one node in each zone"
        names = zones[shared]
        yield FieldError(
            ErrorType.INVALID,
            block_path(network),
            detail=f'nodes {shortlist(names)} are in zone "{shared}": {text}',
            public=f"{counted(len(names), 'node')} are in one zone: {text}",
        )


RULE = Rule(
    id="OVNG-L2-026",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2,),
    role=Role.PRIMARY,
    own_network=True,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Transit router'; interconnect with one node in each zone",
    message="a primary Layer2 network requires OVN interconnect with one node in each zone",
    hint="use a Layer3 network, or change the cluster to interconnect with a zone for every node",
    check=check,
    needs=(Need.ZONES,),
)
