"""Add one pod to the existing pods of a switch."""

from collections.abc import Collection, Iterable

from ovnguard.reconciler.plan.numbers.pod_addresses import PodAddresses, Pool, SwitchAddresses
from ovnguard.validators.network.addresses.addressing import AddressError
from ovnguard.validators.network.model import IPAddress


def place_pod(
    pools: Iterable[Pool],
    held: Iterable[PodAddresses],
    *,
    wanted: Iterable[IPAddress] = (),
    keys: Collection[int] | None = None,
) -> PodAddresses | AddressError:
    switch = SwitchAddresses(pools, keys)
    for pod in held:
        switch.hold(pod)
    return switch.give(wanted)
