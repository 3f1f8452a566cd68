"""Every network needs an id of its own, whatever its topology; there are 4095 beside the default network's.

Without one upstream accepts the network and tries again for ever; no pod ever gets on it.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.addresses.network_keys import USER_NETWORK_IDS, recorded_id
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.cluster.network_index import census
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.network_subject import name_path, subject


def applies(ctx: Context) -> bool:
    """Networks that record no id."""
    network = subject(ctx)
    return network is not None and recorded_id(network) is None


def check(ctx: Context) -> Iterator[FieldError]:
    """One error when the networks of other names leave no id."""
    network = subject(ctx)
    if network is None:
        return
    others = census(ctx.inventory).others(network.name)
    if others >= USER_NETWORK_IDS:
        detail = (
            f"failed to allocate network ID: failed to allocate the id for the resource {network.name}: "
            f"0 of {USER_NETWORK_IDS} network ids are left, {others} other networks are known"
        )
        yield FieldError(ErrorType.INVALID, name_path(network), network.source.name, detail)


RULE = Rule(
    id="OVNG-L2-006",
    kinds=NETWORK_KINDS,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Tunnel keys for the transit switches/routers'; ovn-kubernetes, networkmanager.MaxNetworks",
    message="the network requires a free network id",
    hint="delete unused networks; Localnet networks use ids too",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
