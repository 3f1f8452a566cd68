"""What RouteAdvertisements make of FRRConfigurations, and what becomes of them and of other objects."""

from collections.abc import Mapping
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.plan.bgp.routing import Routing, plan_routing
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.reconciler.plan.rows.routing_model import Attachment, RoutingInputs
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.route_advertisements import RouteAdvertisement, route_advertisement
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import ManagedBGP, Network, NoOverlay, ObjectRef, Role, Topology, Transport
from ovnguard.validators.network.model import Routing as Mode
from tests.support.plan_samples import DUAL_DEFAULT, default_network, layer3, node, nodes, sharing, udn

BLUE = layer3("cluster_udn_blue")
GREEN = BLUE._replace(name="cluster_udn_green", source=BLUE.source._replace(name="green"), network_id=4)
LONG = BLUE._replace(name="cluster_udn_a-name-of-17-oct", source=BLUE.source._replace(name="a-name-of-17-oct"))
LAYER2 = udn("cluster_udn_two", source=ObjectRef("k8s.ovn.org/v1", "ClusterUserDefinedNetwork", "", "two"))
MANAGED = NoOverlay(outbound_snat=True, routing=Mode.MANAGED)
DEFAULT = default_network(routing=Mode.UNMANAGED)


def advertisement(name: str = "pods", *, cudns: JsonObject | None = None, **spec: Any) -> RouteAdvertisement:
    """One of all ClusterUserDefinedNetworks, or of the default network without a selector of such."""
    cudn_selector = {"networkSelectionType": "ClusterUserDefinedNetworks"}
    selector = {**cudn_selector, "clusterUserDefinedNetworkSelector": {"networkSelector": cudns}}
    base = {
        "advertisements": ["PodNetwork"],
        "frrConfigurationSelector": {},
        "networkSelectors": [{"networkSelectionType": "DefaultNetwork"} if cudns is None else selector],
        "nodeSelector": {},
    }
    return route_advertisement({"metadata": {"name": name}, "spec": {**base, **spec}})


def peers(name: str = "peers", *addresses: str, vrf: str = "", **neighbor: Any) -> JsonObject:
    """An FRRConfiguration with one router."""
    listed = [{"address": each, "asn": 64513, **neighbor} for each in addresses or ("172.18.0.250",)]
    router = {"asn": 64512, "neighbors": listed, **({"vrf": vrf} if vrf else {})}
    return {
        "apiVersion": "frrk8s.metallb.io/v1beta1",
        "kind": "FRRConfiguration",
        "metadata": {"namespace": "frr", "name": name},
        "spec": {"nodeSelector": {}, "bgp": {"routers": [router]}},
    }


def routing(
    networks: list[Network],
    advertisements: list[RouteAdvertisement],
    configurations: list[JsonObject],
    members: tuple[Node, ...] = (),
    **inputs: Any,
) -> Routing:
    declared = RoutingInputs(advertisements=tuple(advertisements), configurations=tuple(configurations), **inputs)
    ids = {each.name: NetworkIds(each.network_id or 9, 16711700) for each in networks}
    on = members or sharing(nodes(2), *(each for each in networks if not each.is_default))
    return plan_routing(networks, ids, on, Settings(routing=declared))


def routers(plan: Routing, identity: str) -> list[JsonObject]:
    (found,) = [each for each in generated(plan) if identity_of(each) == identity]
    listed: list[JsonObject] = found["spec"]["bgp"]["routers"]
    return listed


def generated(plan: Routing) -> list[JsonObject]:
    return [each for each in plan.documents if each["metadata"]["name"].startswith("ovnk-generated-")]


def identity_of(document: Mapping[str, Any]) -> str:
    return str(document["metadata"]["annotations"]["k8s.ovn.org/route-advertisements"])


def conditions(plan: Routing) -> list[tuple[str, str]]:
    return [(each.condition.reason, each.condition.message) for each in plan.results]


def test_generated_objects_are_identified_by_advertisement_source_and_node() -> None:
    plan = routing([DEFAULT], [advertisement()], [peers(), peers("others", "172.18.0.251")])
    assert [identity_of(each) for each in generated(plan)] == [
        "pods/peers/node1",
        "pods/others/node1",
        "pods/peers/node2",
        "pods/others/node2",
    ]
    document = generated(plan)[0]
    assert document["metadata"]["labels"] == {"k8s.ovn.org/route-advertisements": "pods"}
    assert document["spec"]["nodeSelector"] == {"matchLabels": {"kubernetes.io/hostname": "node1"}}
    again = routing([DEFAULT], [advertisement()], [peers()])
    assert generated(again)[0] == document
    assert conditions(plan) == [
        (
            "Accepted",
            "ovn-kubernetes cluster-manager validated the resource and requested the necessary configuration changes",
        )
    ]


def test_received_prefixes_of_no_overlay_networks_replace_those_of_the_source() -> None:
    theirs = {"allowed": {"mode": "filtered", "prefixes": [{"prefix": "0.0.0.0/0"}]}}
    plan = routing([DEFAULT], [advertisement()], [peers(toReceive=theirs)])
    (router,) = routers(plan, "pods/peers/node1")
    assert router["neighbors"][0]["toReceive"] == {
        "allowed": {"mode": "filtered", "prefixes": [{"prefix": "10.128.0.0/14", "le": 23, "ge": 23}]}
    }
    overlay = DEFAULT._replace(transport=Transport.GENEVE)
    (router,) = routers(routing([overlay], [advertisement()], [peers(toReceive=theirs)]), "pods/peers/node1")
    assert router["neighbors"][0]["toReceive"] == theirs


def test_networks_and_the_target_vrf_import_each_other() -> None:
    plan = routing([BLUE, GREEN], [advertisement(cudns={})], [peers()])
    first, *others = routers(plan, "pods/peers/node1")
    assert first["imports"] == [{"vrf": "blue"}, {"vrf": "green"}]
    assert first["prefixes"] == ["10.20.2.0/24"]
    assert others == [
        {"asn": 64512, "imports": [{"vrf": "default"}], "vrf": "blue"},
        {"asn": 64512, "imports": [{"vrf": "default"}], "vrf": "green"},
    ]


def test_a_network_in_its_own_target_vrf_is_not_imported_again() -> None:
    plan = routing([BLUE, GREEN], [advertisement(cudns={}, targetVRF="blue")], [peers(vrf="blue")])
    first, other = routers(plan, "pods/peers/node1")
    assert (first["vrf"], first["imports"]) == ("blue", [{"vrf": "green"}])
    assert other == {"asn": 64512, "imports": [{"vrf": "blue"}], "vrf": "green"}


def test_auto_advertises_each_network_in_its_own_vrf() -> None:
    plan = routing([LONG], [advertisement(cudns={}, targetVRF="auto")], [peers(vrf="mp3-udn-vrf")])
    (router,) = routers(plan, "pods/peers/node1")
    assert (router["vrf"], router["prefixes"], "imports" in router) == ("mp3-udn-vrf", ["10.20.2.0/24"], False)
    assert generated(plan)[0]["spec"]["raw"]["rawConfig"].startswith("router bgp 64512 vrf mp3-udn-vrf\n")


def test_sessions_carry_the_family_of_their_address_and_unnumbered_ones_both() -> None:
    source = peers("peers", "172.18.0.250", "fc00::250")
    source["spec"]["bgp"]["routers"][0]["neighbors"].append({"interface": "eth9", "asn": 64513})
    plan = routing([DUAL_DEFAULT], [advertisement()], [source], nodes(2, v6=True), bgp=ManagedBGP(64512, "full-mesh"))
    (router,) = routers(plan, "pods/peers/node1")
    sent = [each["toAdvertise"]["allowed"]["prefixes"] for each in router["neighbors"]]
    assert sent == [["10.128.2.0/23"], ["fd01:0:0:1::/64"], ["10.128.2.0/23", "fd01:0:0:1::/64"]]
    (document,) = [each for each in generated(plan) if identity_of(each) == "pods/peers/node1"]
    assert document["spec"]["raw"] == {
        "priority": 10,
        "rawConfig": "router bgp 64512\n"
        " address-family ipv4 unicast\n"
        "  neighbor 172.18.0.250 allowas-in origin\n"
        "  neighbor eth9 allowas-in origin\n"
        " exit-address-family\n"
        " address-family ipv6 unicast\n"
        "  neighbor eth9 allowas-in origin\n"
        "  neighbor fc00::250 allowas-in origin\n"
        " exit-address-family\n"
        "exit\n!\n",
    }


@pytest.mark.parametrize(
    "own",
    [
        {"internal_ips": (ip_address("172.18.0.250"),)},
        {"primary_addresses": (ip_interface("172.18.0.250/16"),)},
        {"host_cidrs": (ip_interface("172.18.0.250/16"),)},
    ],
)
def test_a_node_is_never_its_own_neighbour(own: dict[str, Any]) -> None:
    source = peers("peers", "172.18.0.250", "172.18.0.251")
    plan = routing([DEFAULT], [advertisement()], [source], (node(1, **own), node(2)))
    (mine,), (other,) = routers(plan, "pods/peers/node1"), routers(plan, "pods/peers/node2")
    assert [each["address"] for each in mine["neighbors"]] == ["172.18.0.251"]
    assert [each["address"] for each in other["neighbors"]] == ["172.18.0.250", "172.18.0.251"]


def test_neighbours_are_copied_as_go_encodes_them() -> None:
    source = peers(bfdProfile="fast", ebgpMultiHop=False, password="", toAdvertise={"withLocalPref": []})
    source["spec"]["bgp"]["bfdProfiles"] = [{"name": "fast"}]
    plan = routing([DEFAULT._replace(transport=Transport.GENEVE)], [advertisement()], [source])
    (router,) = routers(plan, "pods/peers/node1")
    assert router["neighbors"] == [
        {
            "address": "172.18.0.250",
            "asn": 64513,
            "bfdProfile": "fast",
            "passwordSecret": {},
            "toAdvertise": {"allowed": {"mode": "filtered", "prefixes": ["10.128.2.0/23"]}, "nextHop": {}},
            "toReceive": {"allowed": {}},
        }
    ]
    assert generated(plan)[0]["spec"]["bgp"]["bfdProfiles"] == [{"name": "fast"}]


def test_egress_addresses_are_advertised_by_the_node_that_holds_them() -> None:
    egress = {"node2": {"default": ("172.18.0.100/32",), "cluster_udn_blue": ("172.18.0.101/32",)}}
    both = advertisement(advertisements=["PodNetwork", "EgressIP"])
    plan = routing([DEFAULT], [both], [peers()], egress=egress)
    assert routers(plan, "pods/peers/node1")[0]["prefixes"] == ["10.128.2.0/23"]
    assert routers(plan, "pods/peers/node2")[0]["prefixes"] == ["10.128.4.0/23", "172.18.0.100/32"]
    alone = routing([DEFAULT], [advertisement(advertisements=["EgressIP"])], [peers()], egress=egress)
    assert [identity_of(each) for each in generated(alone)] == ["pods/peers/node2"]


def test_whole_subnets_of_layer2_networks_are_advertised() -> None:
    plan = routing([LAYER2], [advertisement(cudns={})], [peers()])
    assert routers(plan, "pods/peers/node1")[0]["prefixes"] == ["203.203.0.0/16"]


PENDING, ERROR = "ConfigurationPending", "ConfigurationError"


@pytest.mark.parametrize(
    ("networks", "wanted", "sources", "reason", "text"),
    [
        ([DEFAULT], advertisement(cudns={}), [peers()], PENDING, "configuration pending: no networks selected"),
        (
            [DEFAULT],
            advertisement(advertisements=["EgressIP"], nodeSelector={"matchLabels": {"no": "node"}}),
            [peers()],
            PENDING,
            "configuration pending: no nodes selected",
        ),
        ([DEFAULT], advertisement(), [], PENDING, "configuration pending: no FRRConfigurations selected"),
        (
            [DEFAULT],
            advertisement(advertisements=["EgressIP"], targetVRF="auto"),
            [peers()],
            ERROR,
            "configuration error: advertising EgressIP not supported with TargetVRF set to 'auto'",
        ),
        (
            [BLUE._replace(role=Role.SECONDARY)],
            advertisement(cudns={}),
            [peers()],
            ERROR,
            'configuration error: selected network "cluster_udn_blue" is not the default nor a primary network',
        ),
        (
            [BLUE._replace(topology=Topology.LOCALNET)],
            advertisement(cudns={}),
            [peers()],
            ERROR,
            'configuration error: selected network "cluster_udn_blue" has unsupported topology "localnet"',
        ),
        (
            [LAYER2],
            advertisement(cudns={}, advertisements=["EgressIP"]),
            [peers()],
            ERROR,
            "configuration error: EgressIP advertisement is currently not supported for Layer2 networks, "
            "network: cluster_udn_two",
        ),
        (
            [LONG, LONG._replace(name="cluster_udn_other")],
            advertisement(cudns={}),
            [peers()],
            ERROR,
            'configuration error: vrf "mp3-udn-vrf" found to be mapped to multiple networks '
            "[cluster_udn_a-name-of-17-oct cluster_udn_other]",
        ),
        (
            [DEFAULT],
            advertisement(nodeSelector={"matchLabels": {"some": "node"}}),
            [peers()],
            ERROR,
            "configuration error: node selector has to select all nodes if pod network is advertised",
        ),
        (
            [DEFAULT],
            advertisement(targetVRF="elsewhere"),
            [peers()],
            ERROR,
            'configuration error: FRRConfiguration "peers" selected for node "node1" has no VRF matching '
            "the RouteAdvertisements target VRF or any selected network",
        ),
        (
            [BLUE, GREEN],
            advertisement(cudns={}, targetVRF="auto"),
            [peers(vrf="blue")],
            ERROR,
            'configuration error: selected FRRConfigurations for node "node1" don\'t match all selected networks '
            "with target VRF 'auto'",
        ),
        (
            [DEFAULT],
            advertisement(),
            [peers(dualStackAddressFamily=True)],
            ERROR,
            "configuration error: DualStackAddressFamily==true not supported, "
            "seen on FRRConfiguration frr/peers neighbor 172.18.0.250",
        ),
        (
            [DEFAULT],
            advertisement(),
            [peers("peers", "")],
            ERROR,
            "configuration error: neighbor with neither address nor interface on FRRConfiguration frr/peers",
        ),
        (
            [DEFAULT],
            advertisement(networkSelectors=[{"networkSelectionType": "PrimaryUserDefinedNetworks"}]),
            [peers()],
            ERROR,
            "configuration error: unsupported network selection type PrimaryUserDefinedNetworks",
        ),
    ],
)
def test_why_an_advertisement_is_not_accepted(
    networks: list[Network], wanted: RouteAdvertisement, sources: list[JsonObject], reason: str, text: str
) -> None:
    plan = routing(networks, [wanted], sources)
    assert conditions(plan) == [(reason, text)]
    assert plan.results[0].status == f"Not Accepted: {text}"
    assert generated(plan) == []


def test_what_was_generated_stays_while_its_advertisement_is_refused() -> None:
    before = generated(routing([DEFAULT], [advertisement()], [peers()]))
    refused = routing([DEFAULT], [advertisement(targetVRF="elsewhere")], [peers(), *before])
    assert generated(refused) == before
    pending = routing([DEFAULT], [advertisement(frrConfigurationSelector={"matchLabels": {"no": "one"}})], before)
    assert generated(pending) == []


def many(count: int) -> Routing:
    """The plan of as many networks in one target VRF, on one node."""
    names = [f"cluster_udn_u{number:02}" for number in range(count)]
    networks = [BLUE._replace(name=name, source=BLUE.source._replace(name=name[-3:])) for name in names]
    return routing(networks, [advertisement(cudns={})], [peers()], sharing(nodes(1), *networks))


def test_a_router_too_many_for_the_api_server_is_no_success() -> None:
    """The definition of FRRConfiguration allows 50: the target VRF's own and 49."""
    assert [result.condition.status for result in many(49).results] == [True]
    (document,) = generated(many(49))
    assert len(document["spec"]["bgp"]["routers"]) == 50
    refused = many(50)
    assert generated(refused) == []
    assert conditions(refused) == [
        (
            "InternalError",
            'FRRConfiguration for node "node1" from FRRConfiguration "peers": spec.bgp.routers: Too many: 51: '
            "must have at most 50 items",
        )
    ]


def test_a_node_whose_host_name_is_not_its_name_is_an_error() -> None:
    """Generated FRRConfigurations select the node's name, as OVN-Kubernetes' own do."""
    members = (
        node(1, labels={"kubernetes.io/hostname": "node1.example"}),
        node(2, labels={"kubernetes.io/hostname": "node2"}),
        node(3),
    )
    plan = routing([DEFAULT], [advertisement()], [peers()], members)
    assert [str(error) for error in plan.errors] == [
        "network default, node node1: the node neither announces nor learns pod subnets, because its label "
        "kubernetes.io/hostname is not its name, by which generated FRRConfigurations select it: correct the label"
    ]
    assert routing([DEFAULT], [], [peers()], members).errors == ()


@pytest.mark.parametrize(
    ("subnets", "text"),
    [
        (
            {},
            'will wait for subnet annotation to be set for node "node1" and network "default": configuration error: '
            'waiting for subnet annotation to be set for node "node1": could not find "k8s.ovn.org/node-subnets" '
            "annotation",
        ),
        (
            {"cluster_udn_blue": (ip_network("10.20.2.0/24"),)},
            'will wait for subnet annotation to be set for node "node1" and network "default"',
        ),
    ],
)
def test_a_node_that_waits_for_its_subnet_holds_up_no_other(subnets: dict[str, Any], text: str) -> None:
    plan = routing([DEFAULT], [advertisement()], [peers()], (node(1, host_subnets=subnets), node(2)))
    assert conditions(plan) == [(ERROR, f"configuration error: {text}")]
    assert [identity_of(each) for each in generated(plan)] == ["pods/peers/node2"]


@pytest.mark.parametrize("share", ["10.128.2.0/24", "0.0.0.0/0", "192.168.0.0/23", "fd01::/64"])
def test_only_a_share_of_the_network_is_advertised(share: str) -> None:
    wrong = node(1, host_subnets={"default": (ip_network(share), ip_network("10.128.2.0/23"))})
    plan = routing([DEFAULT], [advertisement()], [peers()], (wrong, node(2)))
    assert routers(plan, "pods/peers/node1")[0]["prefixes"] == ["10.128.2.0/23"]
    assert [str(error) for error in plan.errors] == [
        f"network default, node node1: k8s.ovn.org/node-subnets: {share} is not a node's share of the network's "
        "subnets, so it is not advertised"
    ]


def test_networks_are_advertised_on_nodes_that_use_them() -> None:
    members = sharing(nodes(3), BLUE)
    inputs = RoutingInputs(advertisements=(advertisement(cudns={}),), configurations=(peers(),))
    active = ActiveNodes("cluster_udn_blue", frozenset({"node2"}), frozenset({"node3"}))
    parameters = Settings(routing=inputs, active=(active,))
    plan = plan_routing([BLUE], {BLUE.name: NetworkIds(3, 16711700)}, members, parameters)
    assert [identity_of(each) for each in generated(plan)] == ["pods/peers/node2"]
    assert conditions(plan)[0][0] == "Accepted"


def test_a_new_pod_on_another_node_starts_its_advertisement_and_changes_no_other() -> None:
    """The scenario of the design: accepted with a subset of the nodes, of which the others have no subnet yet."""
    inputs = RoutingInputs(advertisements=(advertisement(cudns={}),), configurations=(peers(),))

    def planned(*used: str) -> Routing:
        members = tuple(
            own if own.name in used else bare for own, bare in zip(sharing(nodes(3), BLUE), nodes(3), strict=True)
        )
        parameters = Settings(routing=inputs, active=(ActiveNodes("cluster_udn_blue", frozenset(used)),))
        return plan_routing([BLUE], {BLUE.name: NetworkIds(3, 16711700)}, members, parameters)

    subset, more = planned("node2"), planned("node2", "node3")
    assert [[reason for reason, _ in conditions(each)] for each in (subset, more)] == [["Accepted"]] * 2
    assert (subset.errors, more.errors) == ((), ())
    first, (again, new) = generated(subset), generated(more)
    assert first == [again]
    assert identity_of(new) == "pods/peers/node3"


def test_a_network_that_no_namespace_has_is_not_there() -> None:
    plan = routing([BLUE], [advertisement(cudns={})], [peers()], unused=frozenset({"cluster_udn_blue"}))
    assert conditions(plan) == [(PENDING, "configuration pending: no networks selected")]


def test_managed_networks_get_the_label_once() -> None:
    managed = BLUE._replace(transport=Transport.NO_OVERLAY, no_overlay=MANAGED)
    fabric = ManagedBGP(64512, "full-mesh")
    plan = routing([managed], [], [], bgp=fabric)
    patch = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": "blue", "labels": {"k8s.ovn.org/managed-bgp": ""}},
    }
    assert plan.patches == (patch,)
    assert [identity_of(each) for each in generated(plan)] == [
        "ovnk-managed-bgp-cudn/ovnk-managed-bgp/node1",
        "ovnk-managed-bgp-cudn/ovnk-managed-bgp/node2",
    ]
    labelled = {"cluster_udn_blue": {"k8s.ovn.org/managed-bgp": ""}}
    assert routing([managed], [], [], bgp=fabric, labels=labelled).patches == ()
    wrong = {"cluster_udn_blue": {"k8s.ovn.org/managed-bgp": "no"}}
    assert routing([managed], [], [], bgp=fabric, labels=wrong).patches == (patch,)


@pytest.mark.parametrize(
    ("named", "patched"),
    [
        (None, '["pods"]'),
        ((), '["pods"]'),
        (("pods",), None),
        (("gone", "pods"), '["pods"]'),
        (("refused",), '["pods","refused"]'),
    ],
)
def test_attachments_name_their_advertisements(named: tuple[str, ...] | None, patched: str | None) -> None:
    attachments = {"cluster_udn_blue": (Attachment("blue", "blue", named),)}
    refused = advertisement("refused", cudns={}, targetVRF="elsewhere")
    plan = routing([BLUE], [advertisement(cudns={}), refused], [peers()], attachments=attachments)
    written = [each["metadata"]["annotations"] for each in plan.patches]
    assert written == ([{"k8s.ovn.org/route-advertisements": patched}] if patched else [])


def test_attachments_of_networks_without_advertisement_say_so_if_they_said_otherwise() -> None:
    attachments = {"cluster_udn_blue": (Attachment("blue", "blue", ("gone",)), Attachment("red", "blue"))}
    plan = routing([BLUE], [], [], attachments=attachments)
    assert [each["metadata"] for each in plan.patches] == [
        {"namespace": "blue", "name": "blue", "annotations": {"k8s.ovn.org/route-advertisements": "[]"}}
    ]


@pytest.mark.parametrize(("known", "namespace"), [("ovn-kubernetes",) * 2, ("", "openshift-ovn-kubernetes")])
def test_the_default_networks_attachment_is_made_once(known: str, namespace: str) -> None:
    plan = routing([DEFAULT], [advertisement()], [peers()], ovnkube_namespace=known)
    (made,) = [each for each in plan.documents if each["kind"] == "NetworkAttachmentDefinition"]
    assert made == {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {
            "namespace": namespace,
            "name": "default",
            "annotations": {"k8s.ovn.org/route-advertisements": '["pods"]'},
        },
        "spec": {"config": '{"cniVersion": "1.1.0", "name": "ovn-kubernetes", "type": "ovn-k8s-cni-overlay"}'},
    }
    there = {"default": (Attachment(namespace, "default", ("pods",)),)}
    again = routing([DEFAULT], [advertisement()], [peers()], attachments=there)
    assert [each["kind"] for each in again.documents] == ["FRRConfiguration"] * 2


def test_nothing_is_made_where_the_cluster_advertises_no_routes() -> None:
    plan = routing([DUAL_DEFAULT], [advertisement()], [peers()], nodes(2, v6=True), enabled=False)
    assert plan == Routing(users=(peers(),))


def test_what_stops_a_managed_advertisement_is_reported_on_its_networks() -> None:
    plan = routing([default_network()], [], [], (node(1, host_subnets={}), node(2)))
    assert [str(note) for note in plan.notes] == [
        "network default: RouteAdvertisements ovnk-managed-bgp-default: configuration error: will wait for subnet "
        'annotation to be set for node "node1" and network "default": configuration error: waiting for subnet '
        'annotation to be set for node "node1": could not find "k8s.ovn.org/node-subnets" annotation'
    ]


def test_router_ids_are_set_only_without_an_ipv4_address() -> None:
    plan = routing([DUAL_DEFAULT], [], [], nodes(2, v4=False, v6=True))
    assert routers(plan, "ovnk-managed-bgp-default/ovnk-managed-bgp/node1")[0]["id"] == "100.64.0.2"
    other = routing([DUAL_DEFAULT], [], [], nodes(2))
    assert "id" not in routers(other, "ovnk-managed-bgp-default/ovnk-managed-bgp/node1")[0]


def changed(one: Routing, other: Routing) -> set[str]:
    """The names, or the identities, of documents that only one of two plans has so."""
    both = ({key(each): each for each in plan.documents} for plan in (one, other))
    before, after = both
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


def key(document: JsonObject) -> str:
    notes = document["metadata"].get("annotations", {})
    is_generated = document["metadata"]["name"].startswith("ovnk-generated-")
    return identity_of(document) if is_generated else f"{document['kind']} {document['metadata']['name']}{len(notes)}"


def test_a_node_more_changes_the_mesh_and_nothing_else() -> None:
    networks, inputs = [default_network(), BLUE], {"bgp": ManagedBGP(64512, "full-mesh")}
    users = [advertisement("blue", cudns={}, frrConfigurationSelector={"matchLabels": {"use": "blue"}})]
    source = peers()
    source["metadata"]["labels"] = {"use": "blue"}
    three, four = (routing(networks, users, [source], sharing(nodes(count), BLUE), **inputs) for count in (3, 4))
    mesh = [f"ovnk-managed-bgp-default/ovnk-managed-bgp/node{number}" for number in (1, 2, 3, 4)]
    assert changed(three, four) == {"FRRConfiguration ovnk-managed-bgp0", *mesh, "blue/peers/node4"}
    assert changed(four, routing(networks, users, [source], sharing(nodes(4), BLUE), **inputs)) == set()


def test_a_client_more_changes_no_other_client() -> None:
    reflected = default_network(managed_bgp=ManagedBGP(64512, "route-reflector"))
    role = {"k8s.ovn.org/internal-bgp-role": "route-reflector"}
    three, four = (
        routing([reflected], [], [], tuple(node(each, labels=role if each == 1 else {}) for each in range(1, count)))
        for count in (4, 5)
    )
    assert changed(three, four) == {
        "FRRConfiguration ovnk-managed-bgp-reflector-node10",
        "ovnk-managed-bgp-default/ovnk-managed-bgp-reflector-node1/node1",
        "ovnk-managed-bgp-default/ovnk-managed-bgp/node4",
    }


@settings(deadline=None)
@given(numbers=st.sets(st.integers(1, 120), min_size=2, max_size=8))
def test_mesh_is_full_and_symmetric(numbers: set[int]) -> None:
    members = tuple(node(number, v6=True) for number in numbers)
    plan = routing([DUAL_DEFAULT], [], [], members)
    everybody = {str(address) for member in members for address in member.internal_ips}
    for member in members:
        (router,) = routers(plan, f"ovnk-managed-bgp-default/ovnk-managed-bgp/{member.name}")
        assert {each["address"] for each in router["neighbors"]} == everybody - set(map(str, member.internal_ips))
