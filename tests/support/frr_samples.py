"""FRRConfigurations that select a node, by what they show; their frr.conf is in tests/golden/frr."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ovnguard.reconciler.plan.bgp.node_configuration import FrrConfigurations, NodeConfiguration
from ovnguard.validators.network.declared.node import Node
from tests.support.manifests.network_objects import JsonObject, frr
from tests.support.plan_samples import node

V4, V6 = "10.128.0.0/14", "fd01::/48"
P, Q, R = "10.0.0.0/24", "10.1.0.0/24", "fd00:1::/64"
PEER = "192.0.2.1"


class Sample(NamedTuple):
    """FRRConfigurations and the node whose frr.conf follows from them."""

    documents: tuple[JsonObject, ...]
    node: Node


def neighbor(address: str = PEER, asn: int = 64512, **more: Any) -> JsonObject:
    """A neighbour of the same AS, unless an ``asn`` says otherwise."""
    return {"address": address, "asn": asn, **more}


def router(*neighbors: JsonObject, asn: int = 64512, **more: Any) -> JsonObject:
    return {"asn": asn, "neighbors": list(neighbors), **more}


def filtered(*prefixes: Any) -> JsonObject:
    return {"allowed": {"mode": "filtered", "prefixes": list(prefixes)}}


def with_raw(obj: JsonObject, text: str, priority: int = 0) -> JsonObject:
    return {**obj, "spec": {**obj["spec"], "raw": {"rawConfig": text, "priority": priority}}}


def on_node(obj: JsonObject, name: str) -> JsonObject:
    return {**obj, "spec": {**obj["spec"], "nodeSelector": {"matchLabels": {"kubernetes.io/hostname": name}}}}


def mesh(count: int, *, v4: bool = True, v6: bool = False, number: int = 1) -> tuple[JsonObject, ...]:
    """The two objects with which the cluster manager makes a full mesh of ``count`` nodes on node ``number``."""
    hosts = [f"172.18.0.{each + 1}" for each in range(1, count + 1)] * v4
    hosts += [f"fc00::{each + 1:x}" for each in range(1, count + 1)] * v6
    own = {f"172.18.0.{number + 1}", f"fc00::{number + 1:x}"}
    shares = {4: f"10.128.{2 * number}.0/23", 6: f"fd01:0:0:{number:x}::/64"}
    taken = {4: {"prefix": V4, "ge": 23, "le": 23}, 6: {"prefix": V6, "ge": 64, "le": 64}}
    others = []
    for host in hosts:
        if host not in own:
            version = 6 if ":" in host else 4
            sent, received = filtered(shares[version]), filtered(taken[version])
            others.append(neighbor(host, toAdvertise=sent, toReceive=received))
    prefixes = [shares[4]] * v4 + [shares[6]] * v6
    base = frr(router(*map(neighbor, hosts)), name="ovnk-managed-bgp")
    generated = frr(router(*others, prefixes=prefixes), name=f"ovnk-generated-{number}")
    return base, on_node(generated, f"node{number}")


_SITE = neighbor("192.0.2.10", 65001, toReceive={"allowed": {"mode": "all"}})
_CLIENT = frr(router(neighbor("172.18.0.3"), neighbor("172.18.0.4")), name="ovnk-managed-bgp")
_VALUED = router(
    neighbor(
        asn=65001,
        toAdvertise={
            "allowed": {"mode": "all"},
            "withLocalPref": [{"localPref": 200, "prefixes": [Q, P]}, {"localPref": 100, "prefixes": [R]}],
            "withCommunity": [
                {"community": "64512:0100", "prefixes": [P]},
                {"community": "large:64512:1:2", "prefixes": [P, R]},
            ],
            "nextHop": {"ipv4": "192.0.2.254", "ipv6": "2001:db8::fe"},
        },
        dualStackAddressFamily=True,
    ),
    prefixes=[Q, P, R],
)
_EVPN = router(
    neighbor(addressFamilies=["unicast", "evpn"]),
    neighbor("192.0.2.2", addressFamilies=["evpn"]),
    evpn={
        "advertiseVNIs": "All",
        "advertiseSVI": True,
        "l2vnis": [{"vni": 200}, {"vni": 100, "rd": "64512:100", "importRTs": ["*:100"], "exportRTs": ["64512:100"]}],
    },
)
_IP_VRF = {"asn": 64512, "vrf": "red", "evpn": {"l3vni": {"vni": 300, "advertisePrefixes": ["unicast"], "rd": "1:300"}}}
_VRFS = (
    router(_SITE, prefixes=[P], imports=[{"vrf": "blue"}]),
    router(
        neighbor("198.51.100.1", 65002, toAdvertise=filtered(Q, P)),
        vrf="blue",
        prefixes=[Q],
        imports=[{"vrf": "default"}],
        id="10.1.0.1",
    ),
)
_BFD = frr(
    router(neighbor(bfdProfile="fast"), neighbor("192.0.2.2", bfdProfile="plain")),
    bfdProfiles=[
        {"name": "plain"},
        {
            "name": "fast",
            "receiveInterval": 100,
            "transmitInterval": 150,
            "detectMultiplier": 5,
            "echoMode": True,
            "echoInterval": 50,
            "passiveMode": True,
            "minimumTtl": 250,
        },
    ],
)

SAMPLES: Final = {
    "mesh-ipv4": Sample(mesh(3), node(1)),
    "mesh-ipv6": Sample(mesh(3, v4=False, v6=True), node(1, v4=False, v6=True)),
    "mesh-dual": Sample(mesh(3, v6=True), node(1, v6=True)),
    "mesh-of-one": Sample(mesh(1), node(1)),
    "reflector-client": Sample(
        (with_raw(_CLIENT, "router bgp 64512\n  bgp cluster-id 172.18.0.3\n", 10), mesh(3)[1]), node(1)
    ),
    "vrfs-and-imports": Sample((frr(*_VRFS),), node(1)),
    "bfd": Sample((_BFD,), node(1)),
    "preferences-and-communities": Sample((frr(_VALUED),), node(1)),
    "unnumbered": Sample(
        (frr(router({"interface": "eth0", "dynamicASN": "external", "toAdvertise": filtered(P, R)}, prefixes=[P, R])),),
        node(1),
    ),
    "ebgp-multihop": Sample(
        (frr(router(neighbor("2001:db8::1", 65001, ebgpMultiHop=True, localASN=65010, port=1179))),), node(1)
    ),
    "ebgp-single-hop": Sample(
        (frr(router(neighbor("2001:db8::1", 65001), {"address": "2001:db8::2", "dynamicASN": "external"})),), node(1)
    ),
    "timers": Sample(
        (frr(router(neighbor(holdTime="90s", keepaliveTime="30s", connectTime="10s", enableGracefulRestart=True))),),
        node(1),
    ),
    "timers-of-frr": Sample(
        (frr(router(neighbor(holdTime="3m", keepaliveTime="60s", connectTime="1m", port=179))),), node(1)
    ),
    "password-and-source": Sample(
        (frr(router(neighbor(password="open-sesame", sourceaddress="192.0.2.9"))),),
        node(1),
    ),
    "receive-all": Sample((frr(router(neighbor(toReceive={"allowed": {"mode": "all"}}))),), node(1)),
    "receive-ranges": Sample(
        (
            frr(
                router(
                    neighbor(
                        dualStackAddressFamily=True,
                        toReceive=filtered(
                            {"prefix": Q},
                            {"prefix": "10.0.0.0/8", "ge": 16},
                            {"prefix": "10.0.0.0/8", "le": 24},
                            {"prefix": "10.0.0.0/8", "le": 9},
                            {"prefix": "fd00::/8", "ge": 16, "le": 64},
                        ),
                    )
                )
            ),
        ),
        node(1),
    ),
    "mesh-and-site": Sample(
        (
            *mesh(3),
            frr(router(_SITE, neighbor("172.18.0.3", toReceive=filtered({"prefix": P})), prefixes=[P]), name="site"),
        ),
        node(1),
    ),
    "evpn": Sample((frr(_EVPN, _IP_VRF),), node(1)),
    "raw": Sample(
        (
            with_raw(frr(name="last"), "ip route 203.0.113.0/24 Null0\n", 20),
            with_raw(frr(name="b"), "router bgp 64512\n  neighbor 192.0.2.1 password open-sesame\n", 10),
            with_raw(frr(name="a"), "router bgp 64512\n  neighbor 192.0.2.1 remote-as 65001", 10),
        ),
        node(1),
    ),
    "other-node": Sample((on_node(frr(router(neighbor())), "node2"),), node(1)),
}


def node_configuration(
    documents: Iterable[JsonObject], node: Node, secrets: Mapping[str, JsonObject] | None = None
) -> NodeConfiguration:
    """Return the configuration of one node."""
    return FrrConfigurations(documents, secrets).on(node)
