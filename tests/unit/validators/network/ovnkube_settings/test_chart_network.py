"""The default network of a cluster without a network operator."""

from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.model import Routing, Transport
from ovnguard.validators.network.ovnkube_settings.chart_network import chart_network
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import Option, OvnkubeOptions


def options(**values: str) -> OvnkubeOptions:
    return OvnkubeOptions({name.replace("_", "-"): Option(value, "x") for name, value in values.items()}, known=True)


PODS = {
    "cluster_subnets": "10.244.0.0/16/23, fd00:10:244::/48/64",
    "k8s_service_cidrs": "10.96.0.0/16,fd00:10:96::/112",
}


def test_subnets_mtu_and_gateway_mode() -> None:
    made = chart_network(options(**PODS, mtu="1390", gateway_mode="local"))
    assert made is not None
    assert made["spec"]["defaultNetwork"]["ovnKubernetesConfig"] == {
        "gatewayConfig": {"routingViaHost": True},
        "mtu": 1390,
    }
    network = network_of(made).network
    assert network is not None
    assert [(str(each.cidr), each.host_prefix) for each in network.subnets] == [
        ("10.244.0.0/16", 23),
        ("fd00:10:244::/48", 64),
    ]
    assert list(map(str, network.service_subnets)) == ["10.96.0.0/16", "fd00:10:96::/112"]
    assert network.transport is Transport.GENEVE


def test_without_subnets_there_is_no_network() -> None:
    assert chart_network(OvnkubeOptions()) is None
    assert chart_network(options(cluster_subnets=" , ")) is None


def test_without_a_length_ovnkubes_own_holds() -> None:
    made = chart_network(options(cluster_subnets="10.244.0.0/16"))
    assert made is not None
    assert made["spec"]["clusterNetwork"] == [{"cidr": "10.244.0.0/16"}]


def test_a_network_without_tunnels() -> None:
    made = chart_network(
        options(**PODS, transport="no-overlay", no_overlay_outbound_snat="enabled", no_overlay_routing="managed")
    )
    network = None if made is None else network_of(made).network
    assert network is not None
    assert network.no_overlay is not None
    assert (network.no_overlay.routing, network.no_overlay.outbound_snat) == (Routing.MANAGED, True)
    assert network.managed_bgp is not None
    unmanaged = chart_network(options(**PODS, transport="no-overlay"))
    network = None if unmanaged is None else network_of(unmanaged).network
    assert network is not None
    assert network.no_overlay is not None
    assert (network.no_overlay.routing, network.no_overlay.outbound_snat) == (Routing.UNMANAGED, False)


def test_advertised_routes() -> None:
    made = chart_network(options(**PODS, enable_route_advertisements="true"))
    assert made is not None
    assert made["spec"]["defaultNetwork"]["ovnKubernetesConfig"]["routeAdvertisements"] == "Enabled"
    assert made["spec"]["additionalRoutingCapabilities"] == {"providers": ["FRR"]}
