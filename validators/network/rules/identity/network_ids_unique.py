"""OVN treats two networks with the same id or tunnel key as one network: traffic of one reaches pods of the other.

The key of a live network never changes, because all nodes would have to change it at the same instant; so the later
network is refused.
"""

from collections.abc import Iterator, Mapping

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.network_keys import recorded_id, recorded_keys
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.network_index import census
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import id_path, keys_path


def applies(ctx: RuleContext) -> bool:
    """Networks with a recorded id or recorded keys, including rendered attachments."""
    network = ctx.network
    return network is not None and not network.is_default and recorded_id(network) is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for an id, or one for each key, that a network of another name holds."""
    network = ctx.network
    if network is None:
        return
    known, number = census(ctx.inventory), recorded_id(network)
    if number is not None and (holder := _holder(known.ids, number, network.name)):
        path = id_path(ctx) if network.network_id is not None else keys_path(ctx)
        yield _held(path, "network id", number, holder)
        return
    for key in recorded_keys(network):
        if holder := _holder(known.keys, key, network.name):
            path = keys_path(ctx) if network.tunnel_keys else id_path(ctx)
            yield _held(path, "tunnel key", key, holder)


def _held(path: str, what: str, number: int, holder: str) -> FieldError:
    detail = f'{what} {number} is already held by network "{holder}"'
    public = f"{what} {number} is already held by another network"
    return FieldError(ErrorType.INVALID, path, number, detail, public=public)


def _holder(held: Mapping[int, tuple[str, ...]], number: int, own: str) -> str:
    return next((name for name in held.get(number, ()) if name != own), "")


RULE = Rule(
    id="OVNG-L2-010",
    kinds=NETWORK_KINDS,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Tunnel keys for the transit switches/routers'",
    message="a network id or tunnel key must belong to one network",
    hint="remove the annotations from manifests: they record what one cluster allocated to one network",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
