"""Flags, environment and files of ovnkube, and which nodes networks are on."""

from typing import Any

import pytest

from ovnguard.validators.admission import Operation, Request, has_rules_or_policies_for, judge
from ovnguard.validators.network.cluster.external_services import takes_traffic_everywhere
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from ovnguard.validators.network.ovnkube_settings.active_nodes import active_nodes, speaker_nodes
from ovnguard.validators.network.ovnkube_settings.allocation import allocation
from ovnguard.validators.network.ovnkube_settings.allocation_settings import Setting, Settings, settings_of
from ovnguard.validators.network.ovnkube_settings.option_names import (
    DYNAMIC,
    GRACE,
    INTERCONNECT,
    MULTI_NETWORK,
    SEGMENTATION,
)

AT = "spec.template.spec.containers[0]"


def workload(name: str = "ovnkube-node", kind: str = "DaemonSet", **container: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "ovn-kubernetes"},
        "spec": {"template": {"spec": {"containers": [{"name": "c", **container}]}}},
    }


def options_of(obj: dict[str, Any]) -> dict[str, str | None]:
    return {option: setting.value for each in settings_of(obj) for option, setting in each.by_option.items()}


def test_a_workload_is_read_once_for_each_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted(obj: dict[str, Any]) -> tuple[Settings, ...]:
        read.append(obj)
        return settings_of(obj)

    monkeypatch.setattr("ovnguard.validators.network.ovnkube_settings.allocation.settings_of", counted)
    obj = workload()
    obj["spec"]["template"]["spec"]["containers"] *= 400
    for container in obj["spec"]["template"]["spec"]["containers"]:
        container["args"] = [f"--{DYNAMIC}", f"--{GRACE}=5m"]
    answer = judge(Request(Operation.CREATE, obj), ObjectsView([obj]))
    assert len(answer.errors) == 1200
    assert len(read) < 30


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--enable-dynamic-udn-allocation"], {DYNAMIC: "true"}),
        (["-enable-dynamic-udn-allocation=false"], {DYNAMIC: "false"}),
        (["--dynamic-udn-allocation", "--udn-deletion-grace-period", "60s"], {DYNAMIC: "true", GRACE: "60s"}),
        (["--udn-deletion-grace-period=60s --enable-multi-network"], {GRACE: "60s", MULTI_NETWORK: "true"}),
        (["x --udn-deletion-grace-period '5m' --enable-interconnect;y"], {GRACE: "5m", INTERCONNECT: "true"}),
        (['x --udn-deletion-grace-period "${period}"'], {GRACE: None}),
        (["--udn-deletion-grace-period", "--enable-interconnect"], {GRACE: "--enable-interconnect"}),
        (["x --udn-deletion-grace-period 5m; y"], {GRACE: "5m"}),
        (['--udn-deletion-grace-period="5m"'], {GRACE: "5m"}),
        (["--enable-network-segmentation=${on}"], {SEGMENTATION: None}),
        (["--enable-network-segmentation={{ .Values.on }}"], {SEGMENTATION: None}),
        (["--enable-interconnect-x", "x--enable-interconnect", "--no-enable-multi-network"], {}),
        (["--enable-interconnect=false", "--enable-interconnect"], {INTERCONNECT: "true"}),
        ([1, None, {"--enable-interconnect": 1}], {}),
    ],
)
def test_flags(args: list[Any], expected: dict[str, str | None]) -> None:
    found = options_of(workload(args=args))
    assert {option: value for option, value in found.items() if option in expected or not expected} == expected


def test_a_flag_wins_over_the_environment() -> None:
    env = [
        {"name": "OVN_ENABLE_INTERCONNECT", "value": "false"},
        {"name": "OVN_MULTI_NETWORK_ENABLE", "value": "true"},
        {"name": "OVN_NETWORK_SEGMENTATION_ENABLE", "valueFrom": {"configMapKeyRef": {"name": "x", "key": "y"}}},
        {"name": "DYNAMIC_UDN_ALLOCATION", "value": ""},
        {"name": "OTHER", "value": "true"},
    ]
    (found,) = settings_of(workload(env=env, args=["--enable-interconnect"]))
    assert found.by_option == {
        INTERCONNECT: Setting("true", f"{AT}.args[0]"),
        MULTI_NETWORK: Setting("true", f"{AT}.env[1].value"),
        SEGMENTATION: Setting(None, f"{AT}.env[2].value"),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[OvnKubernetesFeature]\nenable-interconnect = true\n", {INTERCONNECT: "true"}),
        ("[ovnkubernetesfeature]\nenable-interconnect\n# enable-multi-network=true\n", {INTERCONNECT: "true"}),
        ("[ovnkubernetesfeature]\ndynamic-udn-allocation=on\n[default]\nenable-interconnect=1", {DYNAMIC: "on"}),
        ("[default]\nenable-interconnect=true\n", {}),
        ("", {}),
    ],
)
def test_keys_of_a_file(text: str, expected: dict[str, str]) -> None:
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "ovnkube-config", "namespace": "n"},
        "data": {"ovnkube.conf": text, "other": 1},
    }
    assert options_of(obj) == expected


@pytest.mark.parametrize(
    ("value", "is_on"),
    [("true", True), ("1", True), ("T", True), ("false", False), ("0", False), ("", False), (None, None)],
)
def test_boolean_settings(value: str | None, is_on: bool | None) -> None:
    assert Setting(value, "x").is_on is is_on


def test_text_without_end_is_not_read() -> None:
    flag = "--enable-interconnect"
    (found,) = settings_of(workload(args=[flag, "x" * 600_000], env=[{"name": "ENABLE_MULTI_NET", "value": "true"}]))
    assert (set(found.by_option), found.reads_script) == ({MULTI_NETWORK}, True)
    (found,) = settings_of(workload(args=[flag, "x" * 400_000]))
    assert (set(found.by_option), found.reads_script) == ({INTERCONNECT}, False)


def test_settings_are_read_from_ovnkube_workloads_only() -> None:
    assert settings_of(workload("web", args=["--enable-interconnect"])) == ()
    assert settings_of({**workload(args=["--enable-interconnect"]), "kind": "ReplicaSet"}) == ()
    view = ObjectsView([workload("web", args=["--enable-dynamic-udn-allocation"])])
    assert allocation(inventory_of(view)) is None
    view = ObjectsView([workload(args=["--enable-dynamic-udn-allocation"])])
    known = allocation(inventory_of(view))
    assert known is not None
    assert known.is_dynamic
    assert allocation(inventory_of(EmptyView())) is None


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"type": "NodePort"}, True),
        ({"type": "LoadBalancer", "externalTrafficPolicy": "Cluster"}, True),
        ({"type": "LoadBalancer", "externalTrafficPolicy": "Local"}, False),
        ({"externalIPs": ["192.0.2.1"]}, True),
        ({"type": "ClusterIP", "externalIPs": []}, False),
        ({"type": ["NodePort"]}, False),
        (None, False),
    ],
)
def test_services_that_every_node_answers_for(spec: Any, expected: bool) -> None:
    assert takes_traffic_everywhere({"spec": spec}) is expected


def test_a_namespace_whose_network_is_not_known_is_alone() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "red"}, "spec": {"nodeName": "a"}}
    view = ObjectsView([pod])
    assert active_nodes(inventory_of(view), "red") == {"a"}
    assert active_nodes(inventory_of(view), "blue") == set()
    assert speaker_nodes(inventory_of(view)) == set()


def test_the_operators_users_can_be_configured() -> None:
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "ovn-interconnect-configuration", "namespace": "openshift-ovn-kubernetes"},
        "data": {"zone-mode": "singlezone"},
    }
    for operators, refused in ((frozenset({"hosted"}), False), (frozenset({"other"}), True)):
        request = Request(Operation.CREATE, config_map, user="hosted", operators=operators)
        assert ("OVNG-IC-001" in {error.rule for error in judge(request, EmptyView()).errors}) is refused


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("ConfigMap", "ovn-interconnect-configuration", True),
        ("ConfigMap", "ovnkube-config", True),
        ("ConfigMap", "kube-root-ca.crt", False),
        ("Service", "web", False),
    ],
)
def test_most_objects_of_built_in_kinds_are_nothing_to_rules(kind: str, name: str, expected: bool) -> None:
    assert has_rules_or_policies_for({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}) is expected
