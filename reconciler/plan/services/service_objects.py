"""Service objects and their EndpointSlices, as inputs of a plan.

These objects are untrusted input: invalid parts are left out and reported. A service belongs to the primary network of
its namespace.

Source: ovn-kubernetes ``pkg/ovn/controller/services/services_controller.go``.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.reconciler.plan.rows.service_model import LONGEST_AFFINITY, PROTOCOLS, Service, ServicePort
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.services.endpoint_slices import (
    ENDPOINT_SLICE,
    Endpoint,
    EndpointSlice,
    SliceKey,
    address_of,
    backends,
    is_port,
    key_of,
    mappings,
    servers,
    slice_of,
)
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.object_names import is_dns1123_label
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory, inventory_of
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primaries
from ovnguard.validators.network.cluster_view import NAMESPACE, SERVICE, ClusterView
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, Network
from ovnguard.validators.network.parse_values import dig, mapping, text_of

_WITH_ADDRESSES: Final = ("ClusterIP", "NodePort", "LoadBalancer")
_DEFAULT_AFFINITY: Final = 10_800
_SHOWN: Final = 63
# The end of the annotation of an idle service. Source: ovn-kubernetes ``pkg/ovn/controller/unidling``.
_IDLED: Final = "/idled-at"
# The networks of namespaces decide which network a service is on.
_READ: Final = (SERVICE, ENDPOINT_SLICE, NAMESPACE, *NETWORK_KINDS)
# Limits the rows of one service: every server is named once for every address and port.
_MAX_TARGETS: Final = 200_000
_WITHOUT_SLICES: Final = Remark("load balancers of services have no servers: there is no EndpointSlice")


@dataclass(frozen=True, slots=True)
class Services:
    """Services by network, in the order of their names. ``notes`` are about those that miss something."""

    by_network: Mapping[str, tuple[Service, ...]] = field(default_factory=dict, hash=False)
    notes: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """What one service says, and the objects that say it."""

    obj: JsonObject
    slices: tuple[JsonObject, ...]
    network: str
    service: Service | None
    notes: tuple[Remark, ...]

    def holds(self, obj: JsonObject, slices: Sequence[JsonObject], network: str) -> bool:
        if self.obj is not obj or self.network != network or len(self.slices) != len(slices):
            return False
        return all(one is two for one, two in zip(self.slices, slices, strict=True))


@dataclass(slots=True)
class ServiceMemo:
    """Earlier services, for one caller: an unchanged one is not parsed again and stays the same object.

    While a live view returns the same objects of all kinds that count, nothing is looked at again.
    """

    read: dict[tuple[str, str], _Read] = field(default_factory=dict)
    seen: tuple[Sequence[JsonObject] | None, ...] = ()
    services: Services = Services()


def services_of(view: ClusterView, memo: ServiceMemo | None = None) -> Services:
    """Return the known services of ``view`` that have cluster addresses; ``memo`` makes the next call cheap.

    A service in a namespace that waits for its primary network has none. Without any EndpointSlice, load balancers
    reject all connections, as those of OVN-Kubernetes do.
    """
    objects, slices = view.objects(SERVICE) or (), view.objects(ENDPOINT_SLICE)
    if not objects:
        return Services()
    memo = ServiceMemo() if memo is None else memo
    seen = tuple(view.objects(kind) for kind in _READ)
    # for a list, identity proves nothing
    if len(seen) == len(memo.seen) and all(
        one is two and (one is None or isinstance(one, tuple)) for one, two in zip(seen, memo.seen, strict=True)
    ):
        return memo.services
    found = _services(view, objects, slices or (), memo)
    if slices is None and found.by_network:
        found = replace(found, notes=(_WITHOUT_SLICES, *found.notes))
    memo.services, memo.seen = found, seen
    return found


def _services(
    view: ClusterView, objects: Sequence[JsonObject], slices: Sequence[JsonObject], memo: ServiceMemo
) -> Services:
    network_of, by_key = _networks(inventory_of(view)), _by_key(slices)
    read: dict[tuple[str, str], _Read] = {}
    for obj in objects:
        key = _key(obj)
        network = network_of(key[0])
        # of two objects with the same name, possible only in files, the later one is ignored
        if key in read or not network or not _is_balanced(obj):
            continue
        found = by_key.get(SliceKey(*key, network), ())
        # without mirrored slices, the original ones decide whether that is worth a note
        seen = found or by_key.get(SliceKey(*key, DEFAULT_NETWORK), ())
        known = memo.read.get(key)
        if known is None or not known.holds(obj, seen, network):
            known = _read(obj, seen, network, is_mirrored=bool(found))
        read[key] = known
    memo.read = read
    by_network: dict[str, list[Service]] = {}
    notes: list[Remark] = []
    for key in sorted(read):
        each = read[key]
        notes += each.notes
        if each.service is not None:
            by_network.setdefault(each.network, []).append(each.service)
    return Services({network: tuple(each) for network, each in by_network.items()}, tuple(notes))


def services_notes(services: Services, networks: Iterable[Network], settings: Settings) -> tuple[Remark, ...]:
    """Return the notes about ``services``, also about those of networks that are not among ``networks``.

    Of the services that ``settings`` names, other networks need only the addresses.
    """
    known = {network.name for network in networks}
    return (*services.notes, *_strays(services, known, {*settings.allowed_services, settings.dns_service}))


def _strays(services: Services, known: Collection[str], used: Collection[str]) -> Iterator[Remark]:
    for network, found in services.by_network.items():
        left = [each.name for each in found if each.name not in used]
        if network not in known and left:
            more = f" and {len(left) - 1} more services" if len(left) > 1 else ""
            yield Remark(f"no load balancers of {left[0]}{more}: the network is not planned", network)


def _networks(inventory: Inventory) -> Callable[[str], str]:
    """A function from a namespace to the network of its services, '' while it waits for its primary network."""
    known = namespaces(inventory).by_name

    def network_of(name: str) -> str:
        namespace = known.get(name)
        if namespace is not None and not namespace.has_primary_label:
            return DEFAULT_NETWORK
        # without the Namespace its label is not known, but a declared network counts
        if networks := primaries(inventory).get(name, ()):
            return networks[0].name
        return DEFAULT_NETWORK if namespace is None else ""

    return network_of


def _by_key(slices: Sequence[JsonObject]) -> Mapping[SliceKey, list[JsonObject]]:
    found: dict[SliceKey, list[JsonObject]] = {}
    for obj in slices:
        key = key_of(obj)
        if key is not None:
            found.setdefault(key, []).append(obj)
    return found


def _key(obj: JsonObject) -> tuple[str, str]:
    metadata = obj.get("metadata")
    return text_of(dig(metadata, "namespace") or "default"), text_of(dig(metadata, "name"))


def _is_balanced(obj: JsonObject) -> bool:
    """Whether a service has cluster addresses; it has none before the API server assigns them, and without a head."""
    spec = mapping(obj, "spec")
    address = spec.get("clusterIP") or next(iter(_list(spec.get("clusterIPs"))), None)
    return (spec.get("type") or "ClusterIP") in _WITH_ADDRESSES and address not in (None, "", "None")


def _read(obj: JsonObject, slices: Sequence[JsonObject], network: str, *, is_mirrored: bool) -> _Read:
    notes = _Notes("/".join(each[:_SHOWN] for each in _key(obj)), network)
    is_served = is_mirrored or network == DEFAULT_NETWORK
    service = _service(obj, slices if is_served else (), notes)
    if service is not None and not is_served and any(mappings(each.get("endpoints")) for each in slices):
        notes.add("it has no mirrored EndpointSlices, so its load balancers have no servers")
    return _Read(obj, tuple(slices), network, service, tuple(notes.remarks))


@dataclass(slots=True)
class _Notes:
    """Notes about one service, each only once."""

    service: str
    network: str
    remarks: dict[Remark, None] = field(default_factory=dict)

    def add(self, text: str) -> None:
        self.remarks[Remark(f"service {self.service}: {text}", self.network)] = None


def _service(obj: JsonObject, slices: Sequence[JsonObject], notes: _Notes) -> Service | None:
    if not all(map(is_dns1123_label, _key(obj))):
        notes.add("no load balancers: namespace and name must be DNS-1123 labels")
        return None
    spec = mapping(obj, "spec")
    addresses = tuple(_addresses(_list(spec.get("clusterIPs")) or [spec.get("clusterIP")], notes))
    external = (*_addresses(_list(spec.get("externalIPs")), notes), *_addresses(_ingress(obj), notes))
    read = [slice_of(each) for each in slices]
    for each in read:
        for fault in each.faults:
            notes.add(fault)
    # every server is named at most once for each address
    size = (len(addresses) + len(external)) * sum(len(each.endpoints) * len(each.ports) for each in read)
    if size > _MAX_TARGETS:
        notes.add(f"no load balancers: {size} servers of addresses and ports are more than {_MAX_TARGETS}")
        return None
    external_local = spec.get("externalTrafficPolicy") == "Local"
    internal_local = spec.get("internalTrafficPolicy") == "Local"
    return Service(
        "/".join(_key(obj)),
        addresses,
        tuple(_ports(spec, read, external_local or internal_local, notes)),
        tuple(dict.fromkeys(external)),
        external_local,
        internal_local,
        _affinity(spec, notes),
        any(key.endswith(_IDLED) for key in mapping(mapping(obj, "metadata"), "annotations")),
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _ingress(obj: JsonObject) -> list[object]:
    """The addresses of a load balancer outside the cluster; some have only a name."""
    if dig(obj, "spec", "type") != "LoadBalancer":
        return []
    ingress = mappings(dig(obj, "status", "loadBalancer", "ingress"))
    return [each["ip"] for each in ingress if each.get("ip")]


def _addresses(texts: Sequence[object], notes: _Notes) -> Iterator[IPAddress]:
    for text in texts:
        address = address_of(text) if isinstance(text, str) else None
        if address is None:
            notes.add("one of its addresses is left out: it is no IP address")
        else:
            yield address


def _ports(
    spec: Mapping[str, object], slices: Sequence[EndpointSlice], is_local: bool, notes: _Notes
) -> Iterator[ServicePort]:
    publishes_all = spec.get("publishNotReadyAddresses") is True
    for entry in mappings(spec.get("ports")):
        protocol, port, node_port = entry.get("protocol") or PROTOCOLS[0], entry.get("port"), entry.get("nodePort") or 0
        if protocol not in PROTOCOLS or not is_port(port) or not (node_port == 0 or is_port(node_port)):
            notes.add("a port is left out: it has no valid number or protocol")
            continue
        name = text_of(entry.get("name"))
        by_port = servers(slices, protocol, name)
        if not by_port:
            yield ServicePort(protocol, port, node_port)
            continue
        # upstream supports only one
        target = min(by_port)
        if len(by_port) > 1:
            notes.add(f"only servers on port {target} take connections to its port {port}: OVN-Kubernetes plans one")
        found = by_port[target]
        by_node: dict[str, list[Endpoint]] = {}
        for each in found if is_local else ():
            by_node.setdefault(each.node, []).append(each)
        on_nodes = {
            node: backends(those, target, publishes_all=publishes_all) for node, those in by_node.items() if node
        }
        yield ServicePort(protocol, port, node_port, backends(found, target, publishes_all=publishes_all), on_nodes)


def _affinity(spec: Mapping[str, object], notes: _Notes) -> int:
    if spec.get("sessionAffinity") != "ClientIP":
        return 0
    seconds = dig(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds")
    if seconds is None:
        return _DEFAULT_AFFINITY
    if isinstance(seconds, int) and not isinstance(seconds, bool) and 1 <= seconds <= LONGEST_AFFINITY:
        return seconds
    notes.add(f"its session affinity lasts {_DEFAULT_AFFINITY} seconds: timeoutSeconds is not valid")
    return _DEFAULT_AFFINITY
