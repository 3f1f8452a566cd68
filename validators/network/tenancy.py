"""Which namespaces networks reach: what a namespaceSelector selects, and whose primary network a namespace has.

Namespaces are indexed by label, so that thousands of selectors can be held against thousands of namespaces.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from validators.json_types import JsonObject
from validators.network.census import rendered_name
from validators.network.inventory import NETWORK_KINDS, Inventory, is_rendered
from validators.network.model import DEFAULT_NETWORK, PRIMARY, Network, ObjectRef
from validators.network.parse import network_of
from validators.network.parse_operator import ref_of
from validators.network.parse_udn import CUDN_PREFIX
from validators.network.parse_values import dig, mapping, text_of
from validators.network.selectors import labels_of, matches
from validators.network.view import CUDN, NAD, NAMESPACE, UDN, GroupKind
from validators.records import dataclass

PRIMARY_LABEL: Final = "k8s.ovn.org/primary-user-defined-network"
NAME_LABEL: Final = "kubernetes.io/metadata.name"
# A second owner is what rules look for; more would only take room.
_MOST_OWNERS: Final = 2


@dataclass(frozen=True, slots=True)
class Namespace:
    """One namespace. The API server gives every one the label of its name, manifests rarely show it."""

    name: str
    labels: Mapping[str, str]

    @property
    def has_primary_label(self) -> bool:
        """Whether its pods may be on a primary user-defined network."""
        return PRIMARY_LABEL in self.labels


def namespace_of(obj: JsonObject) -> Namespace:
    """Return the namespace that a core/v1 Namespace describes."""
    name = ref_of(obj).name
    return Namespace(name, {NAME_LABEL: name, **labels_of(obj)})


class Namespaces:
    """All known namespaces but those that are going away, which no network selects any more."""

    def __init__(self, objects: Sequence[JsonObject]) -> None:
        alive = (namespace_of(obj) for obj in objects if dig(obj, "metadata", "deletionTimestamp") is None)
        self.by_name: Final = {each.name: each for each in alive if each.name}
        self._all = frozenset(self.by_name)
        self._with: dict[tuple[str, str | None], set[str]] = {}
        for namespace in self.by_name.values():
            for key, value in namespace.labels.items():
                self._with.setdefault((key, value), set()).add(namespace.name)
                self._with.setdefault((key, None), set()).add(namespace.name)
        self._last: tuple[object, tuple[Namespace, ...]] = (None, ())

    def selected_by(self, selector: object) -> tuple[Namespace, ...]:
        """Return the namespaces that ``selector`` selects, by name; several rules ask the same one after another."""
        last = self._last
        if last[0] == selector:
            return last[1]
        found = tuple(map(self.by_name.__getitem__, sorted(self.names(selector, frozenset()))))
        self._last = (selector, found)
        return found

    def names(self, selector: object, without: Set[str]) -> list[str]:
        """Return names of the namespaces that ``selector`` selects, but those in ``without``, in no order."""
        found: Set[str] = self._all
        for pairs, wanted in _requirements(selector):
            having: Set[str] = set().union(*(self._with.get(pair, ()) for pair in pairs))
            found = found & having if wanted else found - having
        return [name for name in found - without if matches(selector, self.by_name[name].labels)]


def namespaces(inventory: Inventory) -> Namespaces:
    """Return the known namespaces, none when they are not known."""
    return inventory.derived(_namespaces, NAMESPACE)


def primaries(inventory: Inventory) -> Mapping[str, tuple[Network, ...]]:
    """Return, per namespace, at most two of the primary networks there, those of CUDNs last.

    What CUDNs select is in it as far as namespaces are known. The name of a network's source is that of the attachment
    in the namespace as well.
    """
    return inventory.derived(_primaries, NAMESPACE, *NETWORK_KINDS)


def selector_of(obj: JsonObject) -> object:
    """Return the namespaceSelector of a ClusterUserDefinedNetwork."""
    return dig(obj, "spec", "namespaceSelector")


def is_primary(network: Network | None) -> bool:
    """Whether this is a primary network beside the default one."""
    return network is not None and network.role is PRIMARY and network.name != DEFAULT_NETWORK


def owned_by(obj: JsonObject, ref: ObjectRef) -> bool:
    """Whether a rendered attachment was made for the (C)UDN ``ref``."""
    owners = dig(obj, "metadata", "ownerReferences")
    return isinstance(owners, list) and any(
        dig(owner, "controller") is True
        and text_of(dig(owner, "kind")) == ref.kind
        and text_of(dig(owner, "name")) == ref.name
        for owner in owners
    )


def attachments(inventory: Inventory) -> Mapping[str, Mapping[str, JsonObject]]:
    """Return all attachments, by name and then by namespace."""
    return inventory.derived(_attachments, NAD)


def namespaced_networks(inventory: Inventory) -> Mapping[str, Mapping[str, JsonObject]]:
    """Return all UserDefinedNetworks, by name and then by namespace."""
    return inventory.derived(_udns, UDN)


def _requirements(selector: object) -> Iterator[tuple[list[tuple[str, str | None]], bool]]:
    """Labels (None: of any value) of which a selected namespace has at least one, or has none.

    What cannot be read is left out: whoever asks must still hold the selector against what remains.
    """
    for key, value in mapping(selector, "matchLabels").items():
        yield [(key, text_of(value))], True
    expressions = dig(selector, "matchExpressions")
    for expression in expressions if isinstance(expressions, list) else ():
        key, operator, values = text_of(dig(expression, "key")), dig(expression, "operator"), dig(expression, "values")
        if operator in ("Exists", "DoesNotExist"):
            yield [(key, None)], operator == "Exists"
        elif operator in ("In", "NotIn") and isinstance(values, list):
            yield [(key, text_of(value)) for value in values], operator == "In"


def _namespaces(inventory: Inventory) -> Namespaces:
    return Namespaces(inventory.objects(NAMESPACE) or ())


def _attachments(inventory: Inventory) -> Mapping[str, Mapping[str, JsonObject]]:
    return _by_name(inventory.objects(NAD) or ())


def _udns(inventory: Inventory) -> Mapping[str, Mapping[str, JsonObject]]:
    return _by_name(inventory.objects(UDN) or ())


def _by_name(objects: Sequence[JsonObject]) -> Mapping[str, Mapping[str, JsonObject]]:
    found: dict[str, dict[str, JsonObject]] = {}
    for obj in objects:
        ref = ref_of(obj)
        found.setdefault(ref.name, {})[ref.namespace or "default"] = obj
    return found


def _primaries(inventory: Inventory) -> Mapping[str, tuple[Network, ...]]:
    owners: dict[str, tuple[Network, ...]] = {}
    full: set[str] = set()

    def own(namespace: str, network: Network) -> None:
        held = owners.get(namespace, ())
        if len(held) < _MOST_OWNERS:
            owners[namespace] = (*held, network)
        else:
            full.add(namespace)

    found = [network for network in inventory.networks() or () if is_primary(network)]
    for network in (*found, *_unexplained(inventory)):
        if network.source.kind != CUDN.kind:
            own(network.source.namespace or "default", network)
    selectors = {ref_of(obj).name: selector_of(obj) for obj in inventory.objects(CUDN) or ()}
    for network in found:
        if network.source.kind == CUDN.kind:
            for name in namespaces(inventory).names(selectors.get(network.source.name), full):
                own(name, network)
    return owners


def _unexplained(inventory: Inventory) -> Iterator[Network]:
    """Primary networks of rendered attachments whose owners are not known: else those speak for them."""
    for obj in inventory.objects(NAD) or ():
        if is_rendered(obj) and not inventory.knows(_owner_kind(obj)):
            network = network_of(obj).network
            if network is not None and is_primary(network):
                yield network


def _owner_kind(obj: JsonObject) -> GroupKind:
    return CUDN if rendered_name(obj).startswith(CUDN_PREFIX) else UDN
