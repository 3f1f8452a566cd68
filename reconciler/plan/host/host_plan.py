"""The host part of a node's plan, and the abilities of a host."""

from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass, replace
from ipaddress import ip_network
from typing import Final

from ovnguard.reconciler.plan.host.items import Flow, Item
from ovnguard.reconciler.plan.host.nft import NftChain, NftSet, elements_of
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.validators.network.addresses.addressing import DEFAULT_MASQUERADE_SUBNETS
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPNetwork

# Elements of this set are subnets of several networks; all other sets and chains are the default network's.
_PATCH: Final = "in_port={patch-"
ISOLATED: Final = "advertised-udn-subnets-v"


@dataclass(frozen=True, slots=True)
class Abilities:
    """The abilities of the node's kernel; ``vrf``: it supports VRF devices."""

    vrf: bool = True


ALL_ABILITIES: Final = Abilities()


@dataclass(frozen=True, slots=True)
class HostPlan:
    """The desired or observed state of a node, in the order of creation; ``notes`` name omitted parts.

    ``sets`` and ``chains`` are those of ovnguard's nftables table, sorted by name. ``masquerades`` are the cluster's
    masquerade subnets: addresses in them are ovnguard's on any device.
    """

    node: str
    items: tuple[Item, ...] = ()
    sets: tuple[NftSet, ...] = ()
    chains: tuple[NftChain, ...] = ()
    notes: tuple[Remark, ...] = ()
    masquerades: tuple[IPNetwork, ...] = DEFAULT_MASQUERADE_SUBNETS


def keeping(desired: HostPlan, observed: HostPlan, doubtful: Container[str]) -> HostPlan:
    """Return ``desired`` with all items of ``observed`` for networks that cannot be planned now.

    This keeps the state of a network whose object is currently refused or lacks an annotation. An empty name in
    ``doubtful`` keeps items whose network is unknown.
    """
    planned = {(item.kind, item.key) for item in desired.items}
    kept = [item for item in observed.items if item.network in doubtful and (item.kind, item.key) not in planned]
    desired = replace(desired, items=_reaching(desired.items, kept))
    whole = DEFAULT_NETWORK in doubtful
    users = any(item.network != DEFAULT_NETWORK for item in kept)
    sets = [each for each in observed.sets if whole or (users and each.name.startswith(ISOLATED))]
    names = {f"@{each.name}" for each in sets}
    chains = {each.name: each for each in observed.chains if whole or _uses(each, names)}
    chains |= {each.name: each for each in desired.chains}
    return replace(
        desired,
        items=(*desired.items, *kept),
        sets=_merged(desired.sets, sets),
        chains=tuple(chains[name] for name in sorted(chains)),
    )


def _reaching(items: tuple[Item, ...], kept: Iterable[Item]) -> tuple[Item, ...]:
    """Return ``items`` with the flow for the node's MAC extended to the ports of ``kept`` flows."""
    ports = dict.fromkeys(
        port for item in kept if isinstance(item, Flow) for port in item.match.split(",") if port.startswith(_PATCH)
    )
    outputs = [f"output:{port.removeprefix('in_port=')}," for port in ports]

    def reaching(item: Item) -> Item:
        if not isinstance(item, Flow) or item.table or not item.actions.endswith("NORMAL") or not item.is_shared:
            return item
        missing = "".join(output for output in outputs if output not in item.actions)
        return replace(item, actions=f"{item.actions.removesuffix('NORMAL')}{missing}NORMAL")

    return tuple(reaching(item) for item in items) if outputs else items


def _uses(chain: NftChain, sets: Collection[str]) -> bool:
    return any(match.right in sets for rule in chain.rules for match in rule.matches)


def _merged(desired: Iterable[NftSet], observed: Iterable[NftSet]) -> tuple[NftSet, ...]:
    """Sets of both, with the elements of both where they are of one type."""
    merged = {each.name: each for each in desired}
    for each in observed:
        known = merged.get(each.name, replace(each, elements=()))
        if known.version == each.version:
            both = (ip_network(text) for text in (*known.elements, *each.elements))
            merged[each.name] = replace(known, elements=elements_of(both)) if each.version else each
    return tuple(merged[name] for name in sorted(merged))
