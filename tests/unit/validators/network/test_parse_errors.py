"""Errors about unreadable values have stable ids, which are those of no rule."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.bundled.rule_ids import cases
from ovnguard.validators.network import parse_errors
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.parse_errors import all_parse_errors
from ovnguard.validators.network.rules import all_rules
from tests.support.manifests.network_objects import JsonObject, operator

IDS = [error.id for error in all_parse_errors()]
L2: JsonObject = {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.0.0.0/16"]}}


def cudn(network: JsonObject, **annotations: str) -> JsonObject:
    noted = {f"ovnguard.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    metadata = {"name": "blue", "annotations": noted}
    api = "k8s.ovn.org/v1"
    return {"apiVersion": api, "kind": "ClusterUserDefinedNetwork", "metadata": metadata, "spec": {"network": network}}


def layer2(**values: Any) -> JsonObject:
    return cudn({"topology": "Layer2", "layer2": {**L2["layer2"], **values}})


def layer3(subnet: JsonObject) -> JsonObject:
    return cudn({"topology": "Layer3", "layer3": {"role": "Primary", "subnets": [subnet]}})


def nad(config: Any) -> JsonObject:
    text = config if isinstance(config, str) else json.dumps({"type": "ovn-k8s-cni-overlay", **config})
    metadata = {"name": "a", "namespace": "red"}
    api = "k8s.cni.cncf.io/v1"
    return {"apiVersion": api, "kind": "NetworkAttachmentDefinition", "metadata": metadata, "spec": {"config": text}}


GOOD = {"name": "n", "netAttachDefName": "red/a", "topology": "layer2"}


@pytest.mark.parametrize(
    ("name", "obj"),
    [
        ("subnet-unreadable", layer2(subnets=["10.0.0.0"])),
        ("subnet-host-bits", layer2(reservedSubnets=["10.0.0.1/24"])),
        (
            "subnet-ip-family",
            operator({"ipv4": {"internalJoinSubnet": "fd00::/64"}}),
        ),
        ("address-unreadable", layer2(defaultGatewayIPs=["x"])),
        ("host-subnet-invalid", layer3({"cidr": "10.0.0.0/16", "hostSubnet": 16})),
        ("list-unreadable", layer2(subnets="10.0.0.0/16")),
        ("number-out-of-range", layer2(mtu=70000)),
        ("transit-subnets-unreadable", cudn(L2, transit_subnets="100.70.0.0/16,100.71.0.0/16")),
        ("network-id-unreadable", cudn(L2, network_id="x")),
        ("tunnel-keys-unreadable", cudn(L2, tunnel_keys="x")),
        ("network-name-missing", {**cudn(L2), "metadata": {}}),
        ("topology-unknown", cudn({"topology": "Layer4"})),
        ("role-invalid", layer2(role="x")),
        ("cni-config-unreadable", nad("{")),
        ("cni-config-repeated-key", nad('{"type":"ovn-k8s-cni-overlay","TYPE":"ovn-k8s-cni-overlay"}')),
        ("cni-config-names", nad({**GOOD, "netAttachDefName": "red/b"})),
        ("cni-config-transport", nad({**GOOD, "transport": "x"})),
        ("cni-config-conflict", nad({**GOOD, "ipam": {"type": "static"}})),
    ],
)
def test_ids(name: str, obj: JsonObject) -> None:
    assert [error.rule for error in network_of(obj).errors] == [name]


def test_ids_are_those_of_no_other_rule() -> None:
    others = {rule.id for rule in all_rules()} | {entry["id"] for entry in cases()}
    assert len(set(IDS)) == len(IDS)
    assert not others & set(IDS)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", name) for name in IDS)


@pytest.mark.parametrize("error", all_parse_errors(), ids=IDS)
def test_each_names_its_line(error: parse_errors.ParseError) -> None:
    lines = Path(parse_errors.__file__).read_text(encoding="utf-8").splitlines()
    assert f'"{error.id}",' in lines[error.line - 1]
    assert error.message
    assert error.hint
