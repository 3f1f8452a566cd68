"""What the inputs of a plan keep where objects cannot be read, and the first few of many texts."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from ovnguard.reconciler.plan.rows.model import PodPort

# The maximum number of pods with unreadable records, and of services with notes, that messages name.
_NAMED: Final = 20


def first(each: Sequence[object], what: str) -> tuple[str, ...]:
    """Return the first few as texts, and the number of the others."""
    more = len(each) - _NAMED
    return (*map(str, each[:_NAMED]), *([f"and {more} more {what}"] if more > 0 else []))


def with_earlier(
    ports: Mapping[str, tuple[PodPort, ...]], before: Mapping[str, tuple[PodPort, ...]], pods: Collection[str]
) -> Mapping[str, tuple[PodPort, ...]]:
    """Return ``ports`` and the earlier ports of ``pods``: a record that cannot be read removes no port."""
    kept = {network: [port for port in each if port.title in pods] for network, each in before.items()}
    names = dict.fromkeys((*ports, *(network for network, each in kept.items() if each)))
    return {network: (*kept.get(network, ()), *ports.get(network, ())) for network in names}
