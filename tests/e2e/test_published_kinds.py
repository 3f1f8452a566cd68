"""Every object that makes routes is accepted by a real API server with the released definitions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from ipaddress import ip_network
from typing import NamedTuple

import pytest

from ovnguard.reconciler.plan.bgp.routing import plan_routing
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.routing_model import RoutingInputs
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.cluster.route_advertisements import RouteAdvertisement, route_advertisement
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import ManagedBGP, Network, NoOverlay, Routing, Subnet, Transport
from tests.support.deployed.fabric_api import ADVERTISEMENTS, FRR, FRR_NAMESPACE, NADS, place, served
from tests.support.frr_samples import SAMPLES, filtered, neighbor, router
from tests.support.manifests.network_objects import JsonObject, frr
from tests.support.plan_samples import DUAL_DEFAULT, LAYER3_DUAL, default_network, layer3, nodes, sharing
from tests.testbed.apiserver import ApiServer

pytestmark = pytest.mark.e2e

PATHS = {"FRRConfiguration": FRR, "RouteAdvertisements": ADVERTISEMENTS, "NetworkAttachmentDefinition": NADS}
USED = {"matchLabels": {"use": "peers"}}
ROLE = {"k8s.ovn.org/internal-bgp-role": "route-reflector"}
MESH, REFLECTED = (ManagedBGP(64512, topology) for topology in ("full-mesh", "route-reflector"))
V6_DEFAULT = default_network(Subnet(ip_network("fd01::/48"), 64))
UNMANAGED = default_network(routing=Routing.UNMANAGED)
V4, V6, DUAL = (nodes(3, v4=v4, v6=v6) for v4, v6 in ((True, False), (False, True), (True, True)))


def cudn(name: str, number: int, *subnets: Subnet, routing: Routing = Routing.MANAGED) -> Network:
    options = NoOverlay(outbound_snat=True, routing=routing)
    network = layer3(f"cluster_udn_{name}", *subnets, network_id=number)
    return network._replace(transport=Transport.NO_OVERLAY, no_overlay=options, managed_bgp=None)


BLUE, GREEN = cudn("blue", 3), cudn("green", 4, *LAYER3_DUAL)
RED = cudn("red", 5, routing=Routing.UNMANAGED)


def reflecting(members: Sequence[Node]) -> tuple[Node, ...]:
    """Two of three nodes reflect."""
    return tuple(each._replace(labels={**each.labels, **(ROLE if each is not members[2] else {})}) for each in members)


def advertised(name: str, *types: str, vrf: str = "") -> RouteAdvertisement:
    """A user's object for networks of these types."""
    every: JsonObject = {"clusterUserDefinedNetworkSelector": {"networkSelector": {}}}
    selectors: list[JsonObject] = [
        {"networkSelectionType": each, **(every if "Cluster" in each else {})} for each in types
    ]
    spec = {"advertisements": ["PodNetwork"], "frrConfigurationSelector": USED, "networkSelectors": selectors}
    return route_advertisement({"metadata": {"name": name}, "spec": {**spec, "nodeSelector": {}, "targetVRF": vrf}})


def peers(**more: str) -> JsonObject:
    """A user's FRRConfiguration with most of what a neighbour can have."""
    site = neighbor(
        "192.0.2.1",
        65001,
        holdTime="90s",
        keepaliveTime="30s",
        connectTime="10s",
        ebgpMultiHop=True,
        toReceive=filtered({"prefix": "203.0.113.0/24", "le": 28}),
    )
    made = frr({**router(site), **more}, bfdProfiles=[{"name": "fast", "receiveInterval": 100}], name="peers")
    return {**made, "metadata": {**made["metadata"], "namespace": FRR_NAMESPACE, "labels": USED["matchLabels"]}}


class Case(NamedTuple):
    """A cluster, and how many objects it makes: of the fabric, for RouteAdvertisements, generated ones."""

    networks: Sequence[Network]
    members: Sequence[Node]
    counts: tuple[int, int, int]
    bgp: ManagedBGP | None = None
    advertisements: tuple[RouteAdvertisement, ...] = ()
    configurations: tuple[JsonObject, ...] = ()


CASES = {
    "mesh-ipv4": Case([default_network()], V4, (1, 1, 3)),
    "mesh-ipv6": Case([V6_DEFAULT], V6, (1, 1, 3)),
    "mesh-dual": Case([DUAL_DEFAULT], DUAL, (1, 1, 3)),
    "reflectors-ipv4": Case([default_network(managed_bgp=REFLECTED)], reflecting(V4), (3, 1, 3)),
    "reflectors-ipv6": Case([V6_DEFAULT._replace(managed_bgp=REFLECTED)], reflecting(V6), (3, 1, 3)),
    "reflectors-dual": Case([DUAL_DEFAULT._replace(managed_bgp=REFLECTED)], reflecting(DUAL), (3, 1, 3)),
    "cudns": Case([BLUE, GREEN], sharing(DUAL, BLUE, GREEN), (1, 1, 3), MESH),
    "cudns-reflected": Case([BLUE], sharing(reflecting(V4), BLUE), (3, 1, 3), REFLECTED),
    "default-and-cudns": Case([DUAL_DEFAULT, BLUE, GREEN], sharing(DUAL, BLUE, GREEN), (1, 2, 6)),
    "unmanaged": Case([UNMANAGED], V4, (0, 0, 3), None, (advertised("all", "DefaultNetwork"),), (peers(),)),
    "unmanaged-cudn-in-its-vrf": Case(
        [RED],
        sharing(V4, RED),
        (0, 0, 3),
        None,
        (advertised("red", "ClusterUserDefinedNetworks", vrf="auto"),),
        (peers(vrf="red"),),
    ),
    "both-unmanaged-in-the-default-vrf": Case(
        [UNMANAGED, RED],
        sharing(V4, RED),
        (0, 0, 3),
        None,
        (advertised("all", "DefaultNetwork", "ClusterUserDefinedNetworks"),),
        (peers(),),
    ),
    "managed-next-to-a-user's": Case(
        [default_network(), RED],
        sharing(V4, RED),
        (1, 1, 6),
        None,
        (advertised("red", "ClusterUserDefinedNetworks", vrf="auto"),),
        (peers(vrf="red"),),
    ),
}


@pytest.fixture(scope="module")
def api(apiserver: ApiServer) -> Iterator[ApiServer]:
    with served(apiserver):
        yield apiserver


def made(case: Case) -> list[JsonObject]:
    """The documents of a plan without errors, whose RouteAdvertisements are accepted."""
    inputs = RoutingInputs(
        bgp=case.bgp,
        advertisements=case.advertisements,
        configurations=case.configurations,
        frr_namespace=FRR_NAMESPACE,
        ovnkube_namespace="ovn-kubernetes",
    )
    ids = {each.name: NetworkIds(each.network_id or 9, 16711700) for each in case.networks}
    plan = plan_routing(case.networks, ids, case.members, Settings(routing=inputs))
    assert plan.errors == ()
    assert {each.condition.status for each in plan.results} == {True}
    return list(plan.documents)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_published_is_accepted(case: Case, api: ApiServer) -> None:
    documents = made(case)
    generated = [each for each in documents if each["metadata"]["name"].startswith("ovnk-generated-")]
    kinds = Counter(each["kind"] for each in documents)
    counts = (kinds["FRRConfiguration"] - len(generated), kinds["RouteAdvertisements"], len(generated))
    assert counts == case.counts
    for document in documents:
        assert lost(document, stored(api, document)) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_merged_and_written_to_frr_conf_is_accepted(name: str, api: ApiServer) -> None:
    for sample in SAMPLES[name].documents:
        document = {**sample, "metadata": {**sample["metadata"], "namespace": FRR_NAMESPACE}}
        assert lost(document, stored(api, document)) == []


def stored(api: ApiServer, document: JsonObject) -> JsonObject:
    """What the server would store, with its defaults; it knows every field."""
    where = place(PATHS[document["kind"]], document).rpartition("/")[0]
    status, answer = api.request("POST", f"{where}?dryRun=All&fieldValidation=Strict", document)
    assert status == 201, (document["metadata"], answer)
    found: JsonObject = answer
    return found


def lost(given: object, found: object, path: str = "") -> list[str]:
    """The places where a given value is not what the server has."""
    if isinstance(given, dict) and isinstance(found, dict):
        return [each for key, value in given.items() for each in lost(value, found.get(key), f"{path}.{key}")]
    if isinstance(given, list) and isinstance(found, list) and len(given) == len(found):
        pairs = enumerate(zip(given, found, strict=True))
        return [each for index, (one, other) in pairs for each in lost(one, other, f"{path}[{index}]")]
    return [] if given == found else [path]
