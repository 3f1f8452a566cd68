"""Rules about BGP in large clusters, and when anything at all stands where it should not."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.network_objects import JsonObject, advertisement, frr, layer3, nad, operator
from tests.support.soak import examples

NO_OVERLAY: dict[str, Any] = {"transport": "NoOverlay", "noOverlay": {"outboundSNAT": "Enabled", "routing": "Managed"}}
FABRIC = {"routeAdvertisements": "Enabled", "bgpManagedConfig": {"asNumber": 64512, "bgpTopology": "FullMesh"}}


def _node(number: int, *addresses: str) -> JsonObject:
    listed = [{"type": "InternalIP", "address": address} for address in addresses]
    labels = {"kubernetes.io/hostname": f"n{number}"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{number}", "labels": labels},
        "status": {"addresses": listed},
    }


@pytest.mark.parametrize(
    ("count", "families", "sessions"),
    [(251, 1, 31_375), (251, 2, 62_750), (500, 1, 124_750), (500, 2, 249_500)],
)
def test_sessions_are_counted_for_each_family(count: int, families: int, sessions: int) -> None:
    nodes = [
        _node(number, *(f"192.0.{number // 250}.{number % 250 + 1}", f"2001:db8::{number + 1:x}")[:families])
        for number in range(count)
    ]
    answer = judge(
        Request(Operation.CREATE, layer3("10.40.0.0/16", **NO_OVERLAY), None), ObjectsView([*nodes, operator(FABRIC)])
    )
    details = [each.detail for each in answer.warnings if each.rule == "OVNG-NET-046"]
    assert details == [f"{count} nodes make {sessions} BGP sessions in a full mesh"]


def test_a_contradiction_with_a_large_mesh_is_reported_once() -> None:
    nodes = [_node(number, f"192.0.2.{number + 1}") for number in range(60)]
    neighbors = [{"address": f"192.0.2.{number + 1}", "asn": 64512} for number in range(60)]
    base = frr({"asn": 64512, "neighbors": neighbors}, name="ovnk-managed-bgp")
    view = ObjectsView([*nodes, base, *map(_generated, range(60))])
    answer = judge(Request(Operation.CREATE, frr({"asn": 65000}), None), view)
    assert [(each.rule, each.detail) for each in answer.errors] == [
        ("OVNG-NET-033", "different asns (64512 != 65000) specified for same vrf: ; resource is invalid for node n0")
    ]


def _generated(number: int) -> JsonObject:
    obj = frr({"asn": 64512, "prefixes": [f"10.128.{number}.0/24"]}, name=f"ovnk-generated-{number}")
    obj["metadata"]["labels"] = {"k8s.ovn.org/route-advertisements": "ra"}
    obj["spec"]["nodeSelector"] = {"matchLabels": {"kubernetes.io/hostname": f"n{number}"}}
    return obj


def _world() -> list[JsonObject]:
    conditions = {"conditions": [{"type": "Accepted", "status": "False"}]}
    selector = {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}
    meta = {"name": "red", "labels": {"a": "b"}, "annotations": {"k8s.ovn.org/multicast-enabled": "true"}}
    listed = {
        "neighbors": [
            {
                "address": "192.0.2.1",
                "asn": 64512,
                "bfdProfile": "fast",
                "holdTime": "90s",
                "keepaliveTime": "30s",
                "toAdvertise": {
                    "allowed": {"mode": "filtered", "prefixes": ["10.0.0.0/24"]},
                    "withLocalPref": [{"localPref": 100, "prefixes": ["10.0.0.0/24"]}],
                    "withCommunity": [{"community": "1:1", "prefixes": ["10.0.0.0/24"]}],
                    "nextHop": {"ipv4": "192.0.2.2"},
                },
                "toReceive": {"allowed": {"prefixes": [{"prefix": "10.0.0.0/8", "ge": 16, "le": 24}]}},
            }
        ],
        "prefixes": ["10.0.0.0/24"],
        "imports": [{"vrf": "red"}],
    }
    blue = layer3("10.40.0.0/16", **NO_OVERLAY)
    blue["metadata"]["labels"] = {"a": "b"}
    red = copy.deepcopy(blue)
    red["metadata"]["name"] = "red"
    mtu = {"namespace": "openshift-network-operator", "name": "mtu"}
    config = {
        **FABRIC,
        "transport": "NoOverlay",
        "noOverlayConfig": {"outboundSNAT": "Enabled", "routing": "Unmanaged"},
    }
    return [
        operator(config, additionalRoutingCapabilities={"providers": ["FRR"]}),
        blue,
        red,
        {**advertisement({"a": "b"}), "status": conditions},
        frr({"asn": 64512, **listed}, {"asn": 1, "vrf": "red"}, bfdProfiles=[{"name": "fast", "echoMode": True}]),
        frr({"asn": 64512, **listed}, {"asn": 1, "vrf": "red"}, bfdProfiles=[{"name": "fast"}], name="other"),
        _node(1, "192.0.2.1"),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": meta},
        nad(topology="layer3", role="primary", subnets="10.41.0.0/16", transport="no-overlay", outboundSNAT="enabled"),
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": mtu, "data": {"mtu": "1500"}},
        {
            "apiVersion": "k8s.ovn.org/v1",
            "kind": "EgressIP",
            "metadata": {"name": "e"},
            "spec": {"egressIPs": [], **selector},
        },
        {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressService", "metadata": {"name": "e", "namespace": "red"}},
        {
            "apiVersion": "config.openshift.io/v1",
            "kind": "ClusterVersion",
            "metadata": {"name": "version"},
            "status": {"conditions": [{"type": "Progressing", "status": "True"}]},
        },
        {
            "apiVersion": "config.openshift.io/v1",
            "kind": "Infrastructure",
            "metadata": {"name": "cluster"},
            "status": {"platformStatus": {"type": "AWS"}},
        },
    ]


WORLD = _world()
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2**33)
    | st.floats(allow_nan=False)
    | st.text(max_size=3)
    | st.just("::/0"),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["name", "key", "mtu"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path and path not in ((0,), ("apiVersion",), ("kind",)) else []
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*found, *(place for key, inner in steps for place in _places(inner, (*path, key)))]


PLACES = [(index, place) for index, obj in enumerate(WORLD) for place in _places(obj)]


def _with(index: int, place: tuple[Any, ...], junk: Any) -> list[JsonObject]:
    world = copy.deepcopy(WORLD)
    inner: Any = world[index]
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = junk
    return world


@settings(max_examples=examples(20))
@given(st.sampled_from(PLACES), JUNK)
def test_any_value_may_be_anywhere_in_the_cluster(where: tuple[int, tuple[Any, ...]], junk: Any) -> None:
    world = _with(*where, junk)
    view = ObjectsView(world)
    for stored, obj in zip(WORLD, world, strict=True):
        for request in (
            Request(Operation.CREATE, copy.deepcopy(stored), None),
            Request(Operation.UPDATE, copy.deepcopy(stored), obj),
            Request(Operation.UPDATE, obj, copy.deepcopy(stored)),
            Request(Operation.DELETE, None, obj),
        ):
            answer = judge(request, view)
            assert answer.allowed == (not answer.errors)
