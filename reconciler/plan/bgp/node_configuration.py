"""The FRR configuration of one node, from all FRRConfigurations that select it.

frr-k8s merges them on the node and, when one of them is invalid or contradicts another, keeps the configuration that it
had. Here such a node has no configuration but errors.
Source: frr-k8s, ``internal/controller/frrconfiguration_controller.go`` and ``api_to_config.go``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import AddressError, nth_address
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.frr.frr_merge import contradicted, merged
from ovnguard.validators.network.frr.frr_model import BfdProfile, Fault, FrrPart, Raw, Router
from ovnguard.validators.network.frr.frr_parse import frr_part
from ovnguard.validators.network.frr.frr_secrets import StoredPassword, stored_in, unread
from ovnguard.validators.network.frr.frr_values import address_of
from ovnguard.validators.network.model import IPNetwork
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.selectors import is_valid, matches, or_everything

_HOSTNAME: Final = "kubernetes.io/hostname"
_KIND: Final = "FRRConfiguration"


@dataclass(frozen=True, slots=True)
class NodeConfiguration:
    """What frr.conf of one node contains: routers by VRF, BFD profiles by name, raw lines in their order.

    With ``errors``, the rest is empty and the node keeps the configuration that it has.
    """

    node: str
    routers: tuple[Router, ...] = ()
    bfd_profiles: tuple[BfdProfile, ...] = ()
    raw: tuple[Raw, ...] = ()
    errors: tuple[Remark, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to configure."""
        return not (self.routers or self.bfd_profiles or self.raw)

    @property
    def unknown_passwords(self) -> tuple[str, ...]:
        """The ids of neighbours with passwords that are known only to exist."""
        neighbors = (neighbor for router in self.routers for neighbor in router.neighbors)
        return tuple(each.id for each in neighbors if each.session.password and not each.session.password.is_known)


class FrrConfigurations:
    """All FRRConfigurations of a cluster. Those that may select several nodes are parsed once, when they do.

    ``secrets`` are the Secrets with passwords by name, of frr-k8s' namespace; None leaves passwords unknown.
    """

    def __init__(self, documents: Iterable[JsonObject], secrets: Mapping[str, JsonObject] | None = None) -> None:
        self._stored: StoredPassword = unread if secrets is None else stored_in(secrets)
        self._by_host: dict[str, list[JsonObject]] = {}
        self._others: list[JsonObject] = []
        # Parsed ones of the others, by index.
        self._parts: dict[int, FrrPart] = {}
        self._unselectable: list[str] = []
        for document in documents:
            if document.get("kind", _KIND) == _KIND:
                self._add(document)

    def _add(self, document: JsonObject) -> None:
        selector = _selector(document)
        if not is_valid(selector):
            self._unselectable.append(_name(document))
            return
        host = dig(selector, "matchLabels", _HOSTNAME)
        bucket = self._by_host.setdefault(host, []) if isinstance(host, str) else self._others
        bucket.append(document)

    def on(self, node: Node, join_subnets: Sequence[IPNetwork] = ()) -> NodeConfiguration:
        """Return the configuration of a node. Never raises.

        A node without the host name label has its name as host name. An address of the node is not its neighbour:
        frr-k8s would configure the session, and FRR refuse it. A node without IPv4 InternalIP has its address of the
        first IPv4 subnet of ``join_subnets`` as router id, because FRR has none to derive it from.
        """
        if self._unselectable:
            lead = f"could not parse nodeSelector for {_KIND} "
            errors = tuple(Remark(lead + name, node=node.name) for name in sorted(self._unselectable))
            return NodeConfiguration(node.name, errors=errors)
        parts = self._selecting(node)
        routers = merged(parts)
        if isinstance(routers, Fault):
            text = f"{routers.text} ({_named(routers.origin, contradicted(parts, routers))})"
            return NodeConfiguration(node.name, errors=(Remark(text, node=node.name),))
        fallback = _router_id(node, join_subnets)
        profiles = {profile for part in parts for profile in part.bfd_profiles}
        return NodeConfiguration(
            node=node.name,
            routers=tuple(_at(router, node, fallback) for router in routers),
            bfd_profiles=tuple(sorted(profiles, key=lambda profile: profile.name)),
            raw=tuple(sorted(part.raw for part in parts if part.raw is not None)),
        )

    def _selecting(self, node: Node) -> list[FrrPart]:
        """The FRRConfigurations of a node by namespace and name."""
        labels = {_HOSTNAME: node.name, **node.labels}
        own = self._by_host.get(labels[_HOSTNAME], ())
        chosen = [frr_part(each, self._stored) for each in own if matches(_selector(each), labels)]
        for index, each in enumerate(self._others):
            if matches(_selector(each), labels):
                if index not in self._parts:
                    self._parts[index] = frr_part(each, self._stored)
                chosen.append(self._parts[index])
        return sorted(chosen, key=lambda part: part.origin)


def _at(router: Router, node: Node, fallback: str) -> Router:
    own = node.own_addresses
    texts = {str(address) for address in own}
    # Only an IPv6 address has several notations.
    neighbors = tuple(
        each
        for each in router.neighbors
        if not (each.address in texts or (":" in each.address and address_of(each.address) in own))
    )
    return replace(router, neighbors=neighbors, router_id=router.router_id or fallback)


def _router_id(node: Node, join_subnets: Sequence[IPNetwork]) -> str:
    if node.node_id is None or any(address.version == 4 for address in node.internal_ips):
        return ""
    join = next((subnet for subnet in join_subnets if subnet.version == 4), None)
    address = nth_address(join, node.node_id) if join else None
    return "" if address is None or isinstance(address, AddressError) else str(address)


def _selector(document: JsonObject) -> object:
    return or_everything(dig(document, "spec", "nodeSelector"))


def _name(document: JsonObject) -> str:
    return f"{dig(document, 'metadata', 'namespace') or ''}/{dig(document, 'metadata', 'name') or ''}"


def _named(origin: str, other: str) -> str:
    return f"{_KIND}s {other} and {origin}" if other else f"{_KIND} {origin}"
