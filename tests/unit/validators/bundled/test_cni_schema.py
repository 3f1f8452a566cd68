"""The CNI configuration inside an attachment: what its own schema adds to the words of OVN-Kubernetes."""

import json
from typing import Any

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.bundled.cni_schema import KIND
from ovnguard.validators.network.cluster_view import EmptyView

CATALOG = Catalog()
CONFIG = {
    "cniVersion": "1.1.0",
    "type": "ovn-k8s-cni-overlay",
    "name": "blue",
    "netAttachDefName": "red/blue",
    "topology": "layer2",
    "role": "primary",
    "subnets": "10.41.0.0/16",
}


def attachment(config: Any) -> dict[str, Any]:
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": "blue", "namespace": "red"},
        "spec": {"config": config if isinstance(config, str) else json.dumps(config)},
    }


def texts(config: Any, old: Any = None) -> list[str]:
    operation = Operation.CREATE if old is None else Operation.UPDATE
    request = Request(operation, attachment(config), None if old is None else attachment(old))
    judgement = judge(request, EmptyView(), CATALOG)
    assert judgement.allowed is not bool(judgement.errors)
    return [error.text for error in judgement.errors]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"role": None, "allowPersistentIPs": None, "evpn": {"vtep": None}}, []),
        ({"ipam": {}, "capabilities": {"mac": True}, "logLevel": "4"}, []),
        ({"vlanID": 4095}, ["4095: vlanID: should be less than or equal to 4094"]),
        ({"vlanID": -1}, ["-1: vlanID: should be greater than or equal to 0"]),
        ({"evpn": {"macVRF": {"vni": 0}}}, ["0: evpn.macVRF.vni: should be greater than or equal to 1"]),
        # In the words of OVN-Kubernetes, and once.
        ({"mtu": -1}, ["-1: mtu: must be a whole number from 0 to 65536"]),
        ({"transport": "vxlan"}, ['"vxlan": invalid transport "vxlan": must be one of ["no-overlay" "evpn"]']),
        ({"outboundSNAT": "enabled"}, ['"enabled": outboundSNAT is only valid when transport is "no-overlay"']),
        (
            {"mtu": -1, "vlanID": -7},
            [
                "-1: mtu: must be a whole number from 0 to 65536",
                "-7: vlanID: should be greater than or equal to 0",
            ],
        ),
    ],
)
def test_every_key_is_judged_once(changes: dict[str, Any], expected: list[str]) -> None:
    assert texts(CONFIG | changes) == [f"spec.config: Invalid value: {each}" for each in expected]


def test_what_the_schema_says_has_an_id() -> None:
    judgement = judge(Request(Operation.CREATE, attachment(CONFIG | {"vlanID": 4095})), EmptyView(), CATALOG)
    assert [error.rule for error in judgement.errors] == ["cni-config-value"]


def test_values_are_judged_under_whatever_key_ovn_kubernetes_reads_them() -> None:
    assert texts(CONFIG | {"VLANID": 4095}) == [
        "spec.config: Invalid value: 4095: vlanID: should be less than or equal to 4094"
    ]


def test_what_is_missing_inside_a_key_is_required() -> None:
    assert texts(CONFIG | {"evpn": {"ipVRF": {}}}) == ["spec.config: Required value: evpn.ipVRF.vni"]


@pytest.mark.parametrize("key", ["topology", "role", "netAttachDefName"])
def test_keys_that_ovn_kubernetes_refuses_in_words_of_its_own_are_named_once(key: str) -> None:
    assert len(texts(CONFIG | {key: "X"})) == 1


def test_a_text_other_than_a_configuration_is_reported_once() -> None:
    assert len(texts("{")) == 1
    assert texts('{"type": "macvlan", "vlanID": "x"}') == []
    assert texts("") == []


def test_what_is_stored_already_is_not_held_against_an_update() -> None:
    stored = CONFIG | {"vlanID": 4095}
    assert texts(stored | {"mtu": 1300}, old=stored) == []
    changed = texts(CONFIG | {"vlanID": 4096}, old=stored)
    assert changed == ["spec.config: Invalid value: 4096: vlanID: should be less than or equal to 4094"]


def test_an_invalid_configuration_stays_only_as_it_is() -> None:
    # the network of an invalid configuration is not judged, so it cannot change into another invalid one
    stored = json.dumps(CONFIG | {"a": "x" * 200}).replace("{", '{"MTU": 1300, "mtu": 1300, ', 1)
    assert texts(stored, old=stored) == []
    taken = stored.replace('"layer2"', '"layer3"')
    errors = texts(taken, old=stored)
    assert len(errors) == 1
    assert errors[0].endswith('mtu: only the last of the keys "MTU", "mtu" counts')


def test_a_chained_list_of_one_plugin_is_judged_too() -> None:
    plugins = {"cniVersion": "1.1.0", "name": "blue", "plugins": [CONFIG | {"vlanID": 4095}]}
    assert texts(plugins) == ["spec.config: Invalid value: 4095: vlanID: should be less than or equal to 4094"]


def test_the_schema_is_one_of_the_embedded_ones_and_judges_no_manifest() -> None:
    assert KIND in crd_schemas.embedded()
    assert CATALOG.embedded(KIND).kind == "OVNKubernetesConfig"
    manifest = {"apiVersion": "k8s.cni.cncf.io/v1", "kind": "OVNKubernetesConfig", "spec": {"type": "x"}}
    assert CATALOG.choose(manifest) is None
