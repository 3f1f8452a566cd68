"""The policies of each network: objects and annotations that OVN-Kubernetes turns into rows, and ovnguard does not.

A policy is about the pods of its namespace, so about the primary network of that namespace: a user-defined one, else
the default network. Policies of the whole cluster are about the namespaces that their subject selects.

Source: ovn-kubernetes ``pkg/networkmanager``, GetActiveNetworkForNamespace; ``policy.networking.k8s.io/v1alpha1``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonMapping, JsonObject
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory
from ovnguard.validators.network.cluster.namespace_index import Namespace
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primaries
from ovnguard.validators.network.cluster_view import (
    ADMIN_NETWORK_POLICY,
    BASELINE_ADMIN_NETWORK_POLICY,
    EGRESS_FIREWALL,
    EGRESS_QOS,
    NAMESPACE,
    NETWORK_POLICY,
)
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import DEFAULT_NETWORK
from ovnguard.validators.network.parse_values import dig, text_of

MULTICAST: Final = "k8s.ovn.org/multicast-enabled"
"""The annotation of a Namespace whose pods may send multicast to each other."""
UNENFORCED_KINDS: Final = (
    NETWORK_POLICY,
    ADMIN_NETWORK_POLICY,
    BASELINE_ADMIN_NETWORK_POLICY,
    EGRESS_FIREWALL,
    EGRESS_QOS,
)
_OF_NAMESPACES: Final = (NETWORK_POLICY, EGRESS_FIREWALL, EGRESS_QOS)
_OF_CLUSTER: Final = (ADMIN_NETWORK_POLICY, BASELINE_ADMIN_NETWORK_POLICY)


class Policy(NamedTuple):
    """One policy. ``created`` is the time of its creation; an annotation has none."""

    kind: str
    namespace: str
    name: str
    created: str = ""

    def __str__(self) -> str:
        if self.kind == NAMESPACE.kind:
            return f"annotation {MULTICAST} of {self.kind} {self.name}"
        return f"{self.kind} {f'{self.namespace}/' if self.namespace else ''}{self.name}"


def has_multicast(namespace: JsonMapping) -> bool:
    """Whether multicast is turned on in a namespace."""
    return dig(namespace, "metadata", "annotations", MULTICAST) == "true"


def policies_by_network(inventory: Inventory) -> Mapping[str, tuple[Policy, ...]]:
    """Return the policies about each network, by its name: annotations first, then the newest object first.

    Terminating namespaces, and those that wait for their primary network, are on no network.
    """
    return inventory.derived(_by_network, NAMESPACE, *NETWORK_KINDS, *UNENFORCED_KINDS)


def _by_network(inventory: Inventory) -> Mapping[str, tuple[Policy, ...]]:
    found: dict[str, dict[Policy, None]] = {}
    for policy, spaces in _policies(inventory):
        for space in spaces:
            network = _network_of(inventory, space)
            if network is not None:
                found.setdefault(network, {})[policy] = None
    return {network: tuple(sorted(sorted(each), key=_created, reverse=True)) for network, each in found.items()}


def _created(policy: Policy) -> tuple[bool, str]:
    return not policy.created, policy.created


def _policies(inventory: Inventory) -> Iterator[tuple[Policy, Sequence[Namespace]]]:
    """Each policy with the namespaces that it is about."""
    known = namespaces(inventory)
    for obj in inventory.objects(NAMESPACE) or ():
        if has_multicast(obj) and (name := ref_of(obj).name) in known.by_name:
            yield Policy(NAMESPACE.kind, name, name), (known.by_name[name],)
    for kind in _OF_NAMESPACES:
        for obj in inventory.objects(kind) or ():
            own = known.by_name.get(ref_of(obj).namespace)
            # of manifests, many lack their Namespace
            missing = None if inventory.knows(NAMESPACE) else Namespace(ref_of(obj).namespace, {})
            space = own or missing
            yield _policy(kind.kind, obj), () if space is None else (space,)
    for kind in _OF_CLUSTER:
        for obj in inventory.objects(kind) or ():
            yield _policy(kind.kind, obj), known.selected_by(_selector(obj))


def _policy(kind: str, obj: JsonObject) -> Policy:
    ref = ref_of(obj)
    return Policy(kind, ref.namespace, ref.name, text_of(dig(obj, "metadata", "creationTimestamp")))


def _selector(obj: JsonObject) -> object:
    """The selector of the namespaces of a subject, also where it selects some of their pods."""
    subject = dig(obj, "spec", "subject")
    pods = dig(subject, "pods")
    return dig(subject, "namespaces") if pods is None else dig(pods, "namespaceSelector")


def _network_of(inventory: Inventory, space: Namespace) -> str | None:
    """The network of the default route of a namespace's pods, None while there is none."""
    found = primaries(inventory).get(space.name, ())
    if not inventory.knows(NAMESPACE):
        return found[0].name if found else DEFAULT_NETWORK
    if not space.has_primary_label:
        return DEFAULT_NETWORK
    return found[0].name if found else None
