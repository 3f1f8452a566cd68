from typing import Any

import pytest

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.workloads import containers, texts
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.operators import DEFAULT_OPERATORS, is_operator
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import observed, workload_of

NAMESPACE = "openshift-ovn-kubernetes"
SETTLED = {"desiredNumberScheduled": 20, "updatedNumberScheduled": 20, "numberAvailable": 20}
HUNG = {"networkoperator.openshift.io/rollout-hung": ""}


def workload(kind: str, name: str, status: Any = None, annotations: Any = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE, "annotations": annotations},
        "spec": spec,
        "status": status,
    }


def template(*listed: Any) -> dict[str, Any]:
    return {"spec": {"containers": list(listed)}}


@pytest.mark.parametrize(
    ("change", "annotations", "expected"),
    [
        ({}, None, ""),
        ({"updatedNumberScheduled": 18}, None, "18 out of 20 updated"),
        ({"updatedNumberScheduled": 18}, HUNG, ""),
        ({"updatedNumberScheduled": 17}, HUNG, "17 out of 20 updated"),
        ({"numberUnavailable": 1, "numberAvailable": 19}, None, "19 out of 20 available"),
        ({"numberAvailable": 0}, None, "0 out of 20 available"),
        ({"updatedNumberScheduled": "20"}, None, "0 out of 20 updated"),
        ({"updatedNumberScheduled": True}, None, "0 out of 20 updated"),
    ],
)
def test_the_rollout_of_a_daemon_set(change: dict[str, Any], annotations: Any, expected: str) -> None:
    obj = workload("DaemonSet", "ovnkube-node", {**SETTLED, **change}, annotations)
    assert workload_of(obj, "DaemonSet").rolling == expected


def test_only_where_it_counts_a_hung_rollout_is_over() -> None:
    obj = workload("DaemonSet", "ovnkube-master", {**SETTLED, "updatedNumberScheduled": 19}, HUNG)
    assert workload_of(obj, "DaemonSet").rolling == "19 out of 20 updated"


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        ({"replicas": 3}, {"updatedReplicas": 3, "availableReplicas": 3}, ""),
        ({}, {"updatedReplicas": 1, "availableReplicas": 1}, ""),
        ({}, {}, "0 out of 1 updated"),
        ({"replicas": 3}, {"updatedReplicas": 3, "availableReplicas": 2}, "2 out of 3 available"),
        ({"replicas": 3}, None, "0 out of 3 updated"),
        ({"replicas": "3"}, None, "0 out of 0 available"),
    ],
)
def test_the_rollout_of_a_deployment(spec: dict[str, Any], status: Any, expected: str) -> None:
    assert workload_of(workload("Deployment", "x", status, **spec), "Deployment").rolling == expected


@pytest.mark.parametrize("broken", [None, [], 1, {"spec": []}, workload("DaemonSet", "x", template=template(1, None))])
def test_an_invalid_workload_has_no_containers(broken: object) -> None:
    assert list(containers(broken)) == []


def test_texts_are_commands_and_arguments_in_order() -> None:
    container = {"command": ["a", 1, "b"], "args": ["c"]}
    assert list(texts(container)) == [("command[0]", "a"), ("command[2]", "b"), ("args[0]", "c")]
    assert list(texts({"command": "a", "args": None})) == []


def test_a_stateful_master_runs_interconnect_by_its_flag_alone() -> None:
    script = {"name": "ovnkube-master", "command": ["/bin/bash", "-c", ". /ovnkube-lib/ovnkube-lib.sh"]}
    flag = {"name": "ovnkube-master", "args": ["--enable-interconnect"]}
    for container, expected in ((script, False), (flag, True)):
        obj = workload("StatefulSet", "ovnkube-master", {}, template=template(container))
        view = ObjectsView([obj])
        master = observed(inventory_of(view)).master
        assert master is not None
        assert (str(master), master.interconnect, master.multizone) == ("StatefulSet ovnkube-master", expected, False)
        assert master.rolling == "0 out of 1 updated"


@pytest.mark.parametrize(
    ("user", "operators", "expected"),
    [
        ("system:serviceaccount:openshift-network-operator:default", DEFAULT_OPERATORS, True),
        ("system:serviceaccount:openshift-network-operator-x:default", DEFAULT_OPERATORS, False),
        ("kube:admin", DEFAULT_OPERATORS, False),
        ("hypershift", frozenset({"hypershift"}), True),
        ("hypershift-x", frozenset({"hypershift"}), False),
        ("anybody", frozenset({""}), False),
        ("", frozenset({""}), False),
    ],
)
def test_users_that_act_for_the_operator(user: str, operators: frozenset[str], expected: bool) -> None:
    assert is_operator(user, operators) is expected
