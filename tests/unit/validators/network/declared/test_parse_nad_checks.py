"""What ovn-kubernetes refuses in attachments, in its words."""

import pytest

from ovnguard.validators.network.declared.network_of import network_of
from tests.support.manifests.network_objects import JsonObject, nad


def texts(**changes: object) -> list[str]:
    return [error.detail for error in network_of(nad(**changes)).errors]


IPAM = "IPAM key is not supported. Use OVN-K provided IPAM via the `subnets` attribute"
ONLY = "is only supported for layer2 topology"
LAYER3: JsonObject = {"topology": "layer3", "subnets": "10.41.0.0/16/24"}
LOCALNET: JsonObject = {"topology": "localnet", "role": None, "subnets": "10.41.0.0/16"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"ipam": {"type": "host-local"}},
            IPAM,
        ),
        ({**LAYER3, "allowPersistentIPs": True}, "layer3 topology does not allow persistent IPs"),
        (
            {**LAYER3, "infrastructureSubnets": "10.41.1.0/24"},
            f"infrastructureSubnets {ONLY}",
        ),
        ({**LAYER3, "reservedSubnets": "10.41.1.0/24"}, f"reservedSubnets {ONLY}"),
        ({**LOCALNET, "defaultGatewayIPs": "10.41.0.9"}, f"defaultGatewayIPs {ONLY}"),
        (
            {"excludeSubnets": "10.41.1.0/24,10.42.0.0/24,fd00::/64"},
            "the provided network subnets do not contain excluded subnets 10.42.0.0/24,fd00::/64",
        ),
        (
            {**LOCALNET, "excludeSubnets": "10.0.0.0/8"},
            "the provided network subnets do not contain excluded subnets 10.0.0.0/8",
        ),
        (
            {"reservedSubnets": "10.42.0.0/24"},
            "the provided network subnets do not contain reserved subnets 10.42.0.0/24",
        ),
        (
            {"infrastructureSubnets": "10.42.0.0/24"},
            "the provided network subnets do not contain infrastructure subnets 10.42.0.0/24",
        ),
        (
            {"defaultGatewayIPs": "10.42.0.9"},
            "defaultGatewayIPs must belong to one of the subnets specified in the subnets field: 10.42.0.9",
        ),
        ({"excludeSubnets": "ten"}, "excludeSubnets: must be a subnet such as 10.0.0.0/16 or fd00::/64"),
        (
            {"ipam": "none"},
            "json: cannot unmarshal string into Go struct field NetConf.NetConf.ipam of type types.IPAM",
        ),
        (
            {"subnets": ["10.41.0.0/16"]},
            "json: cannot unmarshal array into Go struct field NetConf.subnets of type string",
        ),
        ({"mtu": "1400"}, "json: cannot unmarshal string into Go struct field NetConf.mtu of type int"),
        ({"transport": "geneve"}, 'invalid transport "geneve": must be one of ["no-overlay" "evpn"]'),
        (
            {**LAYER3, "subnets": "fd00::/48/80"},
            "subnets: IPv6 only supports /64 host subnets",
        ),
        ({**LAYER3, "subnets": "10.41.0.0/16/"}, "subnets: must be a prefix length from 1 to 32"),
        ({"subnets": "::ffff:10.0.0.0/104"}, "subnets: must be a subnet such as 10.0.0.0/16 or fd00::/64"),
    ],
)
def test_one_error_each(changes: JsonObject, expected: str) -> None:
    assert texts(**changes) == [expected]


@pytest.mark.parametrize(
    "changes",
    [
        {"ipam": {}, "allowPersistentIPs": True, "vlanID": 0, "evpn": {}},
        {
            "excludeSubnets": "10.41.0.0/16",
            "reservedSubnets": "10.41.8.0/24",
            "infrastructureSubnets": "10.41.0.0/24",
            "defaultGatewayIPs": "10.41.0.9",
        },
        {**LOCALNET, "excludeSubnets": "10.41.0.0/24", "physicalNetworkName": "p", "vlanID": 7},
        {**LAYER3, "allowPersistentIPs": False},
    ],
)
def test_what_goes_together(changes: JsonObject) -> None:
    assert texts(**changes) == []


def test_errors_that_follow_from_an_unreadable_value_are_not_reported() -> None:
    assert texts(subnets="10.41.0.0", excludeSubnets="10.41.0.0/24") == [
        "subnets: must be a subnet such as 10.0.0.0/16 or fd00::/64"
    ]
