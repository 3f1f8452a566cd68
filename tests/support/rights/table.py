"""The whole table, from the constants of the code that asks."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from tests.support.rights import dns_rights, reconciler_rights, rollout_rights, webhook_rights
from tests.support.rights.model import Mount, Right

_PARTS: Final = (webhook_rights, reconciler_rights, dns_rights, rollout_rights)


def _once(rights: Iterable[Right]) -> Iterator[Right]:
    """Each right once, with all modules that ask for it."""
    askers: dict[Right, list[str]] = {}
    for each in rights:
        askers.setdefault(each._replace(asker=""), []).append(each.asker)
    for right, found in askers.items():
        yield right._replace(asker=", ".join(dict.fromkeys(found)))


RIGHTS: Final = tuple(_once(right for part in _PARTS for right in part.rights()))
MOUNTS: Final = tuple(mount for part in _PARTS for mount in part.mounts())


def rights_with(components: Collection[str]) -> list[Right]:
    """The rights that a kustomization of these components gives."""
    return [each for each in RIGHTS if each.component in components and not set(each.without) & set(components)]


def mounts_with(components: Iterable[str]) -> dict[tuple[str, str], Mount]:
    """The mounts of a kustomization by workload and path; later components replace those of earlier ones."""
    order = list(components)
    found = (each for each in MOUNTS if each.component in order)
    return {(each.workload, each.path): each for each in sorted(found, key=lambda each: order.index(each.component))}
