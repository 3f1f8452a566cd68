"""Policies that exempt traffic inside the cluster, and replies of served pods, from egress policies.

Source: ovn-kubernetes ``pkg/ovn/egressip.go``, "no reroute" policies.
"""

from collections.abc import Iterable
from typing import Final

from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.common_rows import Owned, match_name
from ovnguard.reconciler.plan.topology.database_ids import egress_ids
from ovnguard.validators.network.model import IPNetwork, Network

INSIDE: Final = 102
REPLY_MARK: Final = 42


def internal_policies(
    router: Owned, network: Network, source: IPNetwork, targets: Iterable[IPNetwork], settings: Settings
) -> Iterable[Row]:
    """Return the policies for packets from ``source`` to pods in ``targets`` and to the default join subnet."""
    ip = match_name(source.version)
    joins = [net for net in settings.default_join_subnets if net.version == source.version]
    kinds = [(target, "EIP-No-Reroute-Pod-To-Pod") for target in targets]
    for target, name in (*kinds, *((join, "EIP-No-Reroute-Pod-To-Join") for join in joins)):
        extra = egress_ids(network.name, INSIDE, name, ip)
        yield router.allow(INSIDE, f"{ip}.src == {source} && {ip}.dst == {target}", extra=extra, labelled=False)


def reply_policy(router: Owned, network: Network) -> Row:
    """Return the policy for replies of served pods to connections from outside, which bear a mark."""
    extra = egress_ids(network.name, INSIDE, "EIP-No-Reroute-reply-traffic", "ip")
    return router.allow(INSIDE, f"pkt.mark == {REPLY_MARK}", extra=extra, labelled=False)
