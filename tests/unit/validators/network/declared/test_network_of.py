import copy
import json
from ipaddress import ip_address, ip_interface
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network import parse_errors
from ovnguard.validators.network.addresses.addressing import DEFAULT_JOIN_SUBNETS, DEFAULT_UDN_JOIN_SUBNETS
from ovnguard.validators.network.declared.network_of import Parsed, network_of
from ovnguard.validators.network.declared.parse_operator import no_overlay_choice
from ovnguard.validators.network.model import (
    ManagedBGP,
    Network,
    NoOverlay,
    ObjectRef,
    Role,
    Routing,
    Subnet,
    Topology,
    Transport,
)
from ovnguard.validators.network.parse_values import Reader, invalid
from tests.support.manifests.network_objects import OVN, cudn, layer2, layer3, nad, nets, operator, udn

PROPOSED = {
    "mtu": 9000,
    "routeAdvertisements": "Enabled",
    "defaultNetworkTransport": "NoOverlay",
    "defaultNetworkNoOverlayOptions": {"outboundSNAT": "Disable", "routing": "Managed"},
    "bgpManagedConfig": {"asNumber": 64600, "bgpTopology": "fullMesh"},
}
RELEASED = {
    "mtu": 9000,
    "routeAdvertisements": "Enabled",
    "transport": "NoOverlay",
    "noOverlayConfig": {"outboundSNAT": "Disabled", "routing": "Managed"},
    "bgpManagedConfig": {"asNumber": 64600, "bgpTopology": "FullMesh"},
}


def network(obj: dict[str, Any]) -> Network:
    parsed = network_of(obj)
    assert parsed.errors == ()
    assert parsed.network is not None
    return parsed.network


def texts(obj: dict[str, Any]) -> list[str]:
    parsed = network_of(obj)
    assert parsed.network is None
    return [error.text for error in parsed.errors]


def test_both_spellings_of_the_default_network_mean_the_same() -> None:
    assert network(operator(PROPOSED)) == network(operator(RELEASED))
    assert network(operator(PROPOSED)) == Network(
        name="default",
        source=ObjectRef("operator.openshift.io/v1", "Network", "", "cluster"),
        topology=Topology.LAYER3,
        role=Role.PRIMARY,
        transport=Transport.NO_OVERLAY,
        subnets=(Subnet(nets("10.128.0.0/14")[0], 23),),
        join_subnets=DEFAULT_JOIN_SUBNETS,
        service_subnets=nets("172.30.0.0/16"),
        mtu=9000,
        no_overlay=NoOverlay(outbound_snat=False, routing=Routing.MANAGED),
        managed_bgp=ManagedBGP(64600, "full-mesh"),
    )


@pytest.mark.parametrize(
    ("bgp", "expected"),
    [
        ({"bgpTopology": "FullMesh"}, ManagedBGP(64512, "full-mesh")),
        ({"bgpTopology": "fullMesh"}, None),
        ({}, None),
        ({"asNumber": 7}, ManagedBGP(7, "full-mesh")),
        ({"asNumber": 7, "bgpTopology": "routeReflector"}, ManagedBGP(7, "route-reflector")),
        ({"bgpTopology": "routeReflector"}, None),
        ({"asNumber": 7, "bgpTopology": "star"}, ManagedBGP(7, "star")),
        ({"asNumber": True}, None),
        (None, None),
    ],
)
def test_only_the_released_api_has_a_default_as_number(bgp: Any, expected: ManagedBGP | None) -> None:
    assert network(operator({"bgpManagedConfig": bgp})).managed_bgp == expected


def test_internal_subnets_of_the_default_network() -> None:
    config = {"ipv4": {"internalJoinSubnet": "100.66.0.0/16"}, "v4InternalSubnet": "100.67.0.0/16"}
    assert network(operator(config)).join_subnets == nets("100.66.0.0/16,fd98::/64")
    former = {"v4InternalSubnet": "100.67.0.0/16", "v6InternalSubnet": "fd55::/64"}
    assert network(operator(former)).join_subnets == nets("100.67.0.0/16,fd55::/64")


@pytest.mark.parametrize(
    "obj",
    [
        {"apiVersion": "v1", "kind": "ConfigMap"},
        {"apiVersion": "config.openshift.io/v1", "kind": "Network", "spec": {"clusterNetwork": [{"cidr": "x"}]}},
        {},
        {"apiVersion": None, "kind": 7},
        {"apiVersion": "operator.openshift.io/v1", "kind": "Network", "spec": {}},
        {"apiVersion": "operator.openshift.io/v1", "kind": "Network"},
        operator(defaultNetwork={"type": "OpenShiftSDN"}),
        nad("")["spec"] | {"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition"},
        nad('{"type":"macvlan","name":"x"}'),
        nad('{"type":"ovn-k8s-cni-overlay","name":"default","netAttachDefName":"red/blue"}'),
        nad('{"name":"x","plugins":[{"type":"macvlan"},{"type":"tuning"}]}'),
        nad('{"cniVersion":"0.4.0","name":"ovn-kubernetes","type":"ovn-k8s-cni-overlay"}'),
        nad('{"name":"ovn-primary","type":"ovn-k8s-cni-overlay","logFile":"/var/log/x.log","logfile-maxsize":100}'),
    ],
)
def test_what_declares_no_network_gives_no_error(obj: dict[str, Any]) -> None:
    assert network_of(obj) == Parsed(None)


def test_a_primary_layer2_network() -> None:
    obj = layer2(
        "10.41.0.0/16",
        "fd41::/64",
        transit="100.88.0.0/16,fd97::/64",
        joinSubnets=["fd70::/64"],
        infrastructureSubnets=["10.41.0.0/28"],
        reservedSubnets=["10.41.8.0/24"],
        defaultGatewayIPs=["10.41.0.5", "fd41::5"],
        mtu=1400,
    )
    obj["metadata"]["annotations"] |= {"ovnguard.io/network-id": "7", "ovnguard.io/tunnel-keys": "[16711690,16715780]"}
    assert network(obj) == Network(
        name="cluster_udn_blue",
        source=ObjectRef("k8s.ovn.org/v1", "ClusterUserDefinedNetwork", "", "blue"),
        topology=Topology.LAYER2,
        role=Role.PRIMARY,
        subnets=tuple(Subnet(net) for net in nets("10.41.0.0/16,fd41::/64")),
        join_subnets=nets("100.65.0.0/16,fd70::/64"),
        transit_subnets=nets("100.88.0.0/16,fd97::/64"),
        default_gateway_ips=(ip_address("10.41.0.5"), ip_address("fd41::5")),
        infrastructure_subnets=nets("10.41.0.0/28"),
        reserved_subnets=nets("10.41.8.0/24"),
        mtu=1400,
        network_id=7,
        tunnel_keys=(16711690, 16715780),
    )


def test_a_layer3_network_in_both_spellings() -> None:
    proposed = layer3(
        "10.40.0.0/16",
        "fd40::/48",
        transport="NoOverlay",
        noOverlayOptions={"outboundSNAT": "Enable", "routing": "Managed"},
    )
    released = layer3(
        "10.40.0.0/16", "fd40::/48", transport="NoOverlay", noOverlay={"outboundSNAT": "Enabled", "routing": "Managed"}
    )
    assert network(proposed) == network(released)
    assert network(proposed).subnets == (Subnet(nets("10.40.0.0/16")[0], 24), Subnet(nets("fd40::/48")[0], 64))
    assert network(proposed).no_overlay == NoOverlay(outbound_snat=True, routing=Routing.MANAGED)
    assert network(layer3("10.40.0.0/16/25", transport="Geneve")).subnets[0].host_prefix == 25
    assert network(layer3("10.40.0.0/16", transport="EVPN")).transport is Transport.EVPN


def test_a_secondary_network_has_join_subnets_and_a_localnet_has_none() -> None:
    secondary = network(udn(topology="Layer2", layer2={"role": "Secondary", "ipam": {"mode": "Disabled"}}))
    assert (secondary.name, secondary.subnets, secondary.join_subnets) == ("red_blue", (), DEFAULT_UDN_JOIN_SUBNETS)
    localnet = cudn(None, topology="Localnet", localnet={"role": "Secondary", "physicalNetworkName": "p"})
    assert network(localnet).join_subnets == ()


@pytest.mark.parametrize(
    ("vlan", "expected"), [(None, 0), ({"mode": "Access", "access": {"id": 204}}, 204), ({"mode": "Access"}, 0)]
)
def test_a_localnet_has_its_physical_network_and_vlan(vlan: object, expected: int) -> None:
    block = {"role": "Secondary", "physicalNetworkName": "storage", **({"vlan": vlan} if vlan else {})}
    found = network(cudn(None, topology="Localnet", localnet=block))
    assert (found.physical_network, found.vlan) == ("storage", expected)
    changes = {"topology": "localnet", "role": None, "physicalNetworkName": "storage", "vlanID": expected}
    attached = network(nad(**changes))
    assert (attached.physical_network, attached.vlan) == ("storage", expected)
    other = network(cudn(None, topology="Layer2", layer2={"role": "Secondary", "ipam": {"mode": "Disabled"}}))
    assert (other.physical_network, other.vlan) == ("", 0)


def test_a_primary_network_names_its_uplink() -> None:
    def uplink_of(obj: dict[str, Any]) -> str:
        found = network_of(obj).network
        assert found is not None
        return found.uplink

    network = layer2("10.41.0.0/16")
    for listed, expected in ((["blue"], "blue"), ([], ""), ([7], ""), ("blue", ""), (None, "")):
        assert uplink_of({**network, "spec": {**network["spec"], "uplinks": listed}}) == expected
    assert uplink_of(nad(uplink="blue")) == "blue"
    assert uplink_of(nad(uplink="blue", role="secondary")) == ""


def test_a_vlan_is_one_that_there_is() -> None:
    block = {"role": "Secondary", "vlan": {"mode": "Access", "access": {"id": 4095}}}
    path = "spec.network.localnet.vlan.access.id"
    assert texts(cudn(None, topology="Localnet", localnet=block)) == [
        f"{path}: Invalid value: 4095: must be a whole number from 1 to 4094"
    ]


def test_a_recorded_transit_subnet_counts_only_where_one_is_needed() -> None:
    obj = layer3("10.40.0.0/16")
    obj["metadata"]["annotations"] = {"ovnguard.io/transit-subnets": "nonsense"}
    assert network(obj).transit_subnets == ()


def test_a_name_that_is_yet_to_be_generated() -> None:
    obj = layer2("10.41.0.0/16")
    obj["metadata"] = {"generateName": "blue-"}
    assert network(obj).name == "cluster_udn_blue-"


def test_attachment_declares_topology_role_mtu_subnets_and_ids() -> None:
    obj = nad(
        subnets="10.41.0.0/16,fd41::/64", joinSubnet="100.70.0.0/16", transitSubnet="100.88.0.0/16,fd97::/64", mtu=1400
    )
    obj["metadata"]["annotations"] = {"k8s.ovn.org/network-id": "3", "k8s.ovn.org/tunnel-keys": "[16711686,16715779]"}
    found = network(obj)
    assert (found.name, found.topology, found.role, found.mtu) == ("red_blue", Topology.LAYER2, Role.PRIMARY, 1400)
    assert found.join_subnets == nets("100.70.0.0/16,fd99::/64")
    assert found.transit_subnets == nets("100.88.0.0/16,fd97::/64")
    assert (found.network_id, found.tunnel_keys) == (3, (16711686, 16715779))
    obj["metadata"]["annotations"]["ovnguard.io/network-id"] = "4"
    assert network(obj).network_id == 4


def test_keys_in_another_case_declare_the_network_that_ovn_kubernetes_configures() -> None:
    plain = {**json.loads(nad()["spec"]["config"]), "name": "cluster_udn_other-tenant", "mtu": 1300}
    shouted = {key.upper(): value for key, value in plain.items()}
    found = network(nad(json.dumps(shouted)))
    assert found == network(nad(json.dumps(plain)))
    assert (found.name, found.role, found.mtu) == ("cluster_udn_other-tenant", Role.PRIMARY, 1300)


@pytest.mark.parametrize("key", ["SUBNETS", "subnets", "\u017fubnets"])
def test_two_keys_of_one_field_are_refused_whichever_counts(key: str) -> None:
    text = nad()["spec"]["config"].replace("}", f', "{key}": "10.42.0.0/16"}}')
    parsed = network_of(nad(text))
    assert [(error.rule, error.detail) for error in parsed.errors] == [
        ("cni-config-repeated-key", f'subnets: only the last of the keys "subnets", "{key}" counts')
    ]


def test_two_keys_of_no_field_are_refused_if_they_fold_to_one() -> None:
    parsed = network_of(nad(nad()["spec"]["config"].replace("}", ', "Vendor": 1, "other": 1, "VENDOR": 2}')))
    assert [(error.rule, error.detail) for error in parsed.errors] == [
        ("cni-config-repeated-key", 'Vendor: only the last of the keys "Vendor", "VENDOR" counts')
    ]


def test_a_stored_text_with_two_keys_declares_what_ovn_kubernetes_reads() -> None:
    parsed = network_of(nad(nad()["spec"]["config"].replace("}", ', "subnets": "10.42.0.0/16"}')))
    assert parsed.network is not None
    assert parsed.network.subnets == (Subnet(nets("10.42.0.0/16")[0]),)


def test_an_attachment_in_a_plugin_list() -> None:
    plugin = json.loads(nad()["spec"]["config"])
    plugin.pop("name")
    assert network(nad(json.dumps({"name": "red_blue", "plugins": [plugin]}))) == network(nad())
    chained = json.dumps({"name": "red_blue", "plugins": [plugin, {"type": "tuning"}]})
    assert texts(nad(chained))[0].endswith(": CNI plugin chaining is not supported")


def test_a_layer3_attachment_without_overlay() -> None:
    obj = nad(topology="layer3", subnets="10.40.0.0/16/25,fd40::/48", transport="no-overlay", outboundSNAT="disabled")
    found = network(obj)
    assert found.subnets == (Subnet(nets("10.40.0.0/16")[0], 25), Subnet(nets("fd40::/48")[0], 64))
    assert found.no_overlay == NoOverlay(outbound_snat=False, routing=Routing.UNMANAGED)


L2 = "spec.network.layer2"
L3 = "spec.network.layer3"
TRANSIT = "metadata.annotations[ovnguard.io/transit-subnets]"
NETWORK_ID = "metadata.annotations[ovnguard.io/network-id]"
MASQUERADE = f"{OVN}.gatewayConfig.ipv6.internalMasqueradeSubnet"
SUBNET = "must be a subnet such as 10.0.0.0/16 or fd00::/64"
KEYS = "must be a JSON list of at most two tunnel keys, such as [16711684,16715780]"
NEVER_PRIMARY = (
    'unexpected network field "role" primary for "localnet" topology, localnet topology does not allow network roles '
    "to be set since its always a secondary network"
)
SHARE = (
    "cannot use a host subnet length mask shorter than or equal to the cluster subnet mask. "
    "host subnet length: 24, cluster subnet length: 24"
)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (
            layer2("10.41.0.0/16", reservedSubnets=["10.41.8.1/24"]),
            f'{L2}.reservedSubnets[0]: Invalid value: "10.41.8.1/24": has host bits set; the subnet is 10.41.8.0/24',
        ),
        (
            layer2("10.0.0.0/8", infrastructureSubnets=["10.4.8.1/8"]),
            f'{L2}.infrastructureSubnets[0]: Invalid value: "10.4.8.1/8": has host bits set; the subnet is 10.0.0.0/8',
        ),
        (layer2("x"), f'{L2}.subnets[0]: Invalid value: "x": {SUBNET}'),
        (layer2("10.41.0.0"), f'{L2}.subnets[0]: Invalid value: "10.41.0.0": {SUBNET}'),
        (layer2("fe80::%eth0/64"), f'{L2}.subnets[0]: Invalid value: "fe80::%eth0/64": {SUBNET}'),
        (layer2("10.41.0.0/255.255.0.0"), f'{L2}.subnets[0]: Invalid value: "10.41.0.0/255.255.0.0": {SUBNET}'),
        (
            layer2("10.41.0.0/16", defaultGatewayIPs=["10.41.0.1/16"]),
            f'{L2}.defaultGatewayIPs[0]: Invalid value: "10.41.0.1/16": must be an IP address',
        ),
        (layer2("10.41.0.0/16", mtu=100), f"{L2}.mtu: Invalid value: 100: must be a whole number from 576 to 65536"),
        (layer2("10.41.0.0/16", subnets={"a": 1}), f'{L2}.subnets: Invalid value: {{"a":1}}: must be a list'),
        (layer2("10.41.0.0/16", subnets=["x"] * 401), f"{L2}.subnets: Invalid value: 401: must have at most 400 items"),
        (layer2("10.41.0.0/16", role="Master"), f'{L2}.role: Invalid value: "Master": must be Primary or Secondary'),
        (
            layer2("10.41.0.0/16", transit="100.88.0.0/16,100.89.0.0/16"),
            f'{TRANSIT}: Invalid value: "100.88.0.0/16,100.89.0.0/16": must have at most one subnet of each IP family',
        ),
        (
            layer2("10.41.0.0/16", transit="100.88.0.1/16"),
            f'{TRANSIT}: Invalid value: "100.88.0.1/16": has host bits set; the subnet is 100.88.0.0/16',
        ),
        (
            cudn({"ovnguard.io/network-id": "-1"}, topology="Layer3", layer3={"role": "Primary", "subnets": []}),
            f'{NETWORK_ID}: Invalid value: "-1": must be a decimal network id from 1 to 4095',
        ),
        (
            cudn({"ovnguard.io/tunnel-keys": "[1]"}, topology="Layer3", layer3={"role": "Primary", "subnets": []}),
            f'metadata.annotations[ovnguard.io/tunnel-keys]: Invalid value: "[1]": {KEYS}',
        ),
        (cudn(None), "spec.network.topology: Required value: must be Layer2, Layer3 or Localnet"),
        (layer3("10.40.0.0/24"), f'{L3}.subnets[0].cidr: Invalid value: "10.40.0.0/24": {SHARE}'),
        (layer3("10.40.0.0/24/24"), f"{L3}.subnets[0].hostSubnet: Invalid value: 24: {SHARE}"),
        (
            layer3("10.40.0.0/24/32"),
            f"{L3}.subnets[0].hostSubnet: Invalid value: 32: invalid host subnet, IPv4 subnet must be < 32",
        ),
        (
            layer3("10.40.0.0/24/33"),
            f"{L3}.subnets[0].hostSubnet: Invalid value: 33: must be a prefix length from 1 to 32",
        ),
        (
            operator({"ipv4": {"internalJoinSubnet": "fd98::/64"}}),
            f'{OVN}.ipv4.internalJoinSubnet: Invalid value: "fd98::/64": must be an IPv4 subnet',
        ),
        (
            operator({"v6InternalSubnet": "100.64.0.0/16"}),
            f'{OVN}.v6InternalSubnet: Invalid value: "100.64.0.0/16": must be an IPv6 subnet',
        ),
        (operator(clusterNetwork=[{"hostPrefix": 23}]), f"spec.clusterNetwork[0].cidr: Required value: {SUBNET}"),
        (
            operator(clusterNetwork=[{"cidr": "10.0.0.0/24", "hostPrefix": 24}]),
            f"spec.clusterNetwork[0].hostPrefix: Invalid value: 24: {SHARE}",
        ),
    ],
)
def test_one_error_with_its_exact_field(obj: dict[str, Any], expected: str) -> None:
    assert texts(obj) == [expected]


@pytest.mark.parametrize(
    ("obj", "field", "value", "masked"),
    [
        (layer2("10.41.0.1/16"), f"{L2}.subnets[0]", "10.41.0.1/16", "10.41.0.0/16"),
        (layer2("10.41.0.0/16", joinSubnets=["fd70::1/64"]), f"{L2}.joinSubnets[0]", "fd70::1/64", "fd70::/64"),
        (
            operator({"gatewayConfig": {"ipv6": {"internalMasqueradeSubnet": "fd69::1/112"}}}),
            MASQUERADE,
            "fd69::1/112",
            "fd69::/112",
        ),
        (operator(serviceNetwork=["172.30.0.1/16"]), "spec.serviceNetwork[0]", "172.30.0.1/16", "172.30.0.0/16"),
    ],
)
def test_host_bits_are_cleared_with_a_warning(obj: dict[str, Any], field: str, value: str, masked: str) -> None:
    parsed = network_of(obj)
    detail = f"has host bits set; the subnet is {masked}"
    assert parsed.network is not None
    assert (parsed.errors, parsed.warnings) == ((), (invalid(field, value, detail, parse_errors.HOST_BITS.id),))


def test_host_bits_in_a_configuration_are_cleared_with_a_warning() -> None:
    parsed = network_of(nad(subnets="10.41.0.1/16"))
    assert parsed.network is not None
    assert [str(subnet.cidr) for subnet in parsed.network.subnets] == ["10.41.0.0/16"]
    text = 'spec.config: Invalid value: "10.41.0.1/16": subnets: has host bits set; the subnet is 10.41.0.0/16'
    assert [warning.text for warning in parsed.warnings] == [text]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{", '"{": unexpected end of JSON input'),
        (" ", '" ": unexpected end of JSON input'),
        ("[1]", '"[1]": json: cannot unmarshal array into Go value of type types.NetConf'),
        ("null", '"null": ovnkube crashes: panic: runtime error: invalid memory address or nil pointer dereference'),
        ('{"a":NaN}', '"{\\"a\\":NaN}": invalid character \'N\' looking for beginning of value'),
        ("[" * 10_001, '"' + "[" * 120 + "...\": invalid character '[' exceeded max depth"),
        (" " * 65530 + '{"a":1}', '"' + " " * 120 + '...": must not be longer than 65536 characters'),
    ],
)
def test_a_configuration_that_cannot_be_read(config: str, expected: str) -> None:
    assert texts(nad(config)) == [f"spec.config: Invalid value: {expected}"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"joinSubnet": "x"}, ['"x": joinSubnet: must be a subnet such as 10.0.0.0/16 or fd00::/64']),
        (
            {"transitSubnet": "100.88.0.0/16,100.89.0.0/16"},
            ['"100.88.0.0/16,100.89.0.0/16": transitSubnet: must have at most one subnet of each IP family'],
        ),
        ({"defaultGatewayIPs": "10.41"}, ['"10.41": defaultGatewayIPs: must be an IP address']),
        ({"mtu": 70000}, ["70000: mtu: must be a whole number from 0 to 65536"]),
        ({"transport": "vxlan"}, ['"vxlan": invalid transport "vxlan": must be one of ["no-overlay" "evpn"]']),
        ({"outboundSNAT": "enabled"}, ['"enabled": outboundSNAT is only valid when transport is "no-overlay"']),
        (
            {"transport": "no-overlay"},
            ['"": transport "no-overlay" requires outboundSNAT: one of ["enabled" "disabled"]'],
        ),
    ],
)
def test_a_bad_key_of_a_configuration_is_named(changes: dict[str, Any], expected: list[str]) -> None:
    assert texts(nad(**changes)) == [f"spec.config: Invalid value: {each}" for each in expected]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"netAttachDefName": None}, "missing NADName in secondary network netconf red_blue"),
        ({"netAttachDefName": "red/green"}, "net-attach-def name (red/blue) is inconsistent with config (red/green)"),
        ({"name": "ovn-kubernetes"}, "invalid name in in secondary network netconf (ovn-kubernetes)"),
        ({"topology": "layer4"}, 'topology: "layer4" must be layer2, layer3 or localnet'),
        ({"role": "master"}, "invalid network role value master"),
        ({"topology": "localnet"}, NEVER_PRIMARY),
        ({"subnets": None}, "the subnet attribute must be defined for layer2 primary user defined networks"),
        (
            {"topology": "localnet", "role": None, "joinSubnet": "100.70.0.0/16"},
            "joinSubnet: localnet topology does not allow specifying join-subnet as services are not supported",
        ),
    ],
)
def test_what_is_wrong_with_a_configuration_in_upstreams_words(changes: dict[str, Any], expected: str) -> None:
    parsed = network_of(nad(**changes))
    assert parsed.network is None
    assert expected in [error.detail for error in parsed.errors]
    assert {error.field for error in parsed.errors} == {"spec.config"}


_ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("10.0.0.0/16"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_SEEDS = (
    operator(PROPOSED),
    operator(RELEASED),
    layer2("10.41.0.0/16", "fd41::/64", transit="100.88.0.0/16,fd97::/64", joinSubnets=["fd70::/64"]),
    layer3("10.40.0.0/16/24"),
    udn(topology="Layer2", layer2={"role": "Primary", "subnets": ["10.41.0.0/16"], "defaultGatewayIPs": ["10.41.0.1"]}),
    nad(),
)


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, child in children for place in _places(child, (*at, key)))][0 if at else 1 :]


@given(st.data())
def test_nonsense_anywhere_never_raises(data: st.DataObject) -> None:
    obj = copy.deepcopy(data.draw(st.sampled_from(_SEEDS)))
    *way, last = data.draw(st.sampled_from(_places(obj)))
    target = obj
    for step in way:
        target = target[step]
    target[last] = data.draw(_ANY_JSON)
    parsed = network_of(obj)
    assert parsed.network is None or parsed.errors == ()
    assert all(error.text for error in parsed.errors)
    assert no_overlay_choice(obj).transport in Transport


_KEYS = st.sampled_from(["name", "type", "plugins", "topology", "role", "subnets", "mtu", "transport"])
_CONFIGS = st.recursive(
    st.none() | st.integers() | st.text(max_size=9),
    lambda inner: st.dictionaries(_KEYS, inner) | st.lists(inner, max_size=3),
    max_leaves=8,
)


@given(_CONFIGS)
def test_any_configuration_is_read_or_refused(config: Any) -> None:
    if isinstance(config, dict):
        config["type"] = "ovn-k8s-cni-overlay"
    parsed = network_of(nad(json.dumps(config)))
    assert all(error.field == "spec.config" and error.text for error in parsed.errors)


_PARTS = st.sampled_from(
    ["0", "00", "01", "1", "9", "10", "99", "100", "199", "249", "250", "255", "256", "1000", "x", ""]
)
_LENGTHS = st.sampled_from(["0", "8", "08", "9", "19", "24", "30", "31", "32", "33", "032", "132", ""])


@given(st.lists(_PARTS, min_size=3, max_size=5), _LENGTHS)
def test_subnets_are_read_as_the_standard_library_reads_them(parts: list[str], length: str) -> None:
    text = f"{'.'.join(parts)}/{length}"
    reader = Reader()
    found = reader.cidr("at", text)
    try:
        interface = ip_interface(text)
    except ValueError:
        assert found is None
        assert reader.errors == [invalid("at", text, SUBNET, parse_errors.SUBNET.id)]
        return
    if interface.ip == interface.network.network_address:
        assert (found, reader.errors) == (interface.network, [])
        return
    fault = invalid("at", text, f"has host bits set; the subnet is {interface.network}", parse_errors.HOST_BITS.id)
    assert (found, reader.errors, reader.warnings) == (interface.network, [], [fault])
    assert Reader().cidr("at", text, strict=True) is None
