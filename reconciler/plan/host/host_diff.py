"""From observed to desired state of a host: operations in the order of their dependencies.

Deletions come first, dependents before their dependencies, then creations in order. nftables is one last step, because
the kernel replaces the whole table in one transaction.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ovnguard.reconciler.plan.host.host_plan import HostPlan
from ovnguard.reconciler.plan.host.items import KINDS, Item, Link, Route, Rule, Sysctl
from ovnguard.reconciler.plan.host.nft import NftChain, NftSet

Op: TypeAlias = Literal["insert", "update", "delete"]
_RANK: Final = {kind: rank for rank, kind in enumerate(KINDS)}
_SIGNS: Final = {"insert": "+", "update": "~", "delete": "-"}


@dataclass(frozen=True, slots=True)
class HostOperation:
    """One step: ``before`` is None for a creation, ``after`` for a deletion."""

    before: Item | NftSet | NftChain | None
    after: Item | NftSet | NftChain | None

    @property
    def op(self) -> Op:
        """The kind of the step."""
        if self.before is None:
            return "insert"
        return "delete" if self.after is None else "update"

    @property
    def subject(self) -> Item | NftSet | NftChain:
        """The affected item: the state after, or before a deletion."""
        subject = self.after if self.after is not None else self.before
        assert subject is not None, "an operation is about something"
        return subject

    def __str__(self) -> str:
        each = self.subject
        if isinstance(each, NftSet):
            text = f"nft set {each.name}"
        elif isinstance(each, NftChain):
            text = f"nft chain {each.name}"
        else:
            text = f"{each.kind} {each}"
        return f"{_SIGNS[self.op]} {text}"


def host_diff(observed: HostPlan, desired: HostPlan) -> tuple[HostOperation, ...]:
    """Return the operations from ``observed`` to ``desired``; none when they are equal."""
    before = {(item.kind, item.key): item for item in observed.items}
    after = {(item.kind, item.key): item for item in desired.items}
    # a link and its parameters are removed together with their port
    gone = [
        HostOperation(item, None)
        for key, item in before.items()
        if key not in after and not isinstance(item, (Link, Sysctl))
    ]
    made = [
        HostOperation(before.get(key), item) for key, item in after.items() if key not in before or before[key] != item
    ]
    gone.sort(key=_order, reverse=True)
    made.sort(key=_order)
    return (*gone, *made, *_named(observed.sets, desired.sets), *_named(observed.chains, desired.chains))


def host_as_text(operations: Iterable[HostOperation]) -> str:
    """Return one line per operation."""
    return "".join(f"  {each}\n" for each in operations)


def order_of(item: Item) -> tuple[int, int, bool, tuple[str, ...]]:
    """Sort key of items: the order of creation, IPv4 first where a kind has versions, then the key.

    Routes through a next hop come after the routes that reach the next hop.
    """
    version, later = 0, False
    if isinstance(item, Route):
        version, later = item.prefix.version, item.via is not None
    elif isinstance(item, Rule):
        version = item.version
    return _RANK[item.kind], version, later, item.key


def _order(operation: HostOperation) -> tuple[int, int, bool, tuple[str, ...]]:
    subject = operation.subject
    assert not isinstance(subject, (NftSet, NftChain)), "nftables has its own order"
    return order_of(subject)


def _named(
    observed: Iterable[NftSet] | Iterable[NftChain], desired: Iterable[NftSet] | Iterable[NftChain]
) -> list[HostOperation]:
    before = {each.name: each for each in observed}
    after = {each.name: each for each in desired}
    return [
        HostOperation(before.get(name), after.get(name))
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]
