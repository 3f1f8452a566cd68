"""Names of OVN objects begin with the network's name, in which '-' and '/' become '.': these prefixes must differ as
well.

Two networks with the same prefix would overwrite each other's switches and routers. Upstream does not check this.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.network_index import census, mangled, same_source
from ovnguard.validators.network.model import Network, ObjectRef
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import name_path

_NAD = "NetworkAttachmentDefinition"


def applies(ctx: RuleContext) -> bool:
    """Networks with a final name (not generateName)."""
    return ctx.has_final_name


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for a name that another object's network has, one for a name with the same prefix in OVN."""
    network = ctx.own_network
    if network is None:
        return
    known = census(ctx.inventory)
    for other in known.declared.get(network.name, ()):
        if _clash(network, other):
            detail = f'network name "{network.name}" is already the name of {_shown(other.source)}'
            elsewhere = other.source.namespace != network.source.namespace
            public = f'network name "{network.name}" is already the name of 1 network elsewhere' if elsewhere else ""
            yield FieldError(ErrorType.INVALID, name_path(network), network.source.name, detail, public=public)
            break
    prefix = mangled(network.name)
    for similar in known.prefixes.get(prefix, ()):
        if similar == network.name:
            continue
        detail = f'networks "{network.name}" and "{similar}" have the same names in OVN, beginning with "{prefix}"'
        public = f'1 other network has the same names in OVN, beginning with "{prefix}"'
        yield FieldError(ErrorType.INVALID, name_path(network), network.source.name, detail, public=public)
        break


def _clash(network: Network, other: Network) -> bool:
    """Several attachments may belong to one network; another rule checks whether they agree."""
    both_attach = network.source.kind == other.source.kind == _NAD
    return not both_attach and not same_source(network.source, other.source)


def _shown(ref: ObjectRef) -> str:
    return f"{ref.kind} {ref.namespace}/{ref.name}" if ref.namespace else f"{ref.kind} {ref.name}"


RULE = Rule(
    id="OVNG-L2-011",
    kinds=NETWORK_KINDS,
    own_network=True,
    severity=Severity.ERROR,
    design="ovn-kubernetes, util.GetNetworkScopedName; OKEP-5094, names of switches and routers",
    message="network names must be unique, also when '-' and '/' are read as '.'",
    hint="choose another name; names that start with cluster_udn_ or contain <namespace>_<name> belong to (C)UDNs",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
