"""Nodes of one zone share their OVN databases: a network absent on one node is absent on all of them."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.node_index import node_index
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.ovnkube_settings.allocation import effective
from ovnguard.validators.network.ovnkube_settings.option_names import DYNAMIC
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.dynamic.ovnkube_rule import allocates, ovnkube_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error about the first zone of several nodes."""
    zones = node_index(ctx.inventory).zones
    shared = min((zone for zone, names in zones.items() if len(names) > 1), default="")
    for each in effective(ctx) if shared else ():
        detail = f'{RULE.message}: nodes {shortlist(zones[shared])} are in zone "{shared}"'
        yield FieldError(ErrorType.INVALID, each.by_option[DYNAMIC].field, detail=detail)
        return


RULE = ovnkube_rule(
    id="OVNG-DYN-004",
    severity=Severity.ERROR,
    design="OKEP-5552, 'Risks, Known Limitations and Mitigations'",
    message="the Dynamic UDN Allocation feature requires a zone for every node",
    hint="change the cluster to interconnect with one node in each zone",
    applies=allocates,
    check=check,
    needs=(Need.ZONES,),
)
