"""The cluster network operator is found by its replicas and by its managed fields, not by what objects say."""

from typing import Any

import pytest

from ovnguard.reconciler.rollout.plan.other_writers import (
    is_operator_manager,
    new_writes,
    operator_deployment,
    operator_writes,
    running_operator,
)

NONE = {"replicas": 0}
EARLIER, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:00:09Z"


def deployment(spec: dict[str, Any], status: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    place = {"namespace": "openshift-network-operator", "name": "network-operator"}
    return {"kind": "Deployment", "metadata": {**place, **metadata}, "spec": spec, "status": status}


def daemon_set(*entries: tuple[str, str]) -> dict[str, Any]:
    fields = [{"manager": manager, "operation": "Apply", "time": time} for manager, time in entries]
    return {"kind": "DaemonSet", "metadata": {"namespace": "ovn", "name": "ovnkube-node", "managedFields": fields}}


@pytest.mark.parametrize(
    ("spec", "status", "counts"),
    [
        ({"replicas": 1}, {"replicas": 1, "readyReplicas": 1}, (1, 1)),
        ({"replicas": 1}, {}, (1, 0)),
        ({"replicas": 0}, {"replicas": 1}, (0, 1)),
        ({}, {}, (1, 0)),
        ({"replicas": "0"}, {"replicas": []}, (1, 1)),
    ],
)
def test_an_operator_with_replicas_is_a_problem(spec, status, counts):
    found = running_operator(deployment(spec, status, annotations={"stopped": "true"}, labels={"replicas": "0"}))
    assert str(found) == (
        f"Deployment openshift-network-operator/network-operator: spec.replicas is {counts[0]} and status.replicas is "
        f"{counts[1]}: the cluster network operator would undo what --mode own writes; "
        "scale it to 0, or use --mode audit"
    )


@pytest.mark.parametrize("stopped", [None, deployment(NONE, {}), deployment(NONE, NONE)])
def test_an_operator_without_replicas_does_not_run(stopped):
    assert running_operator(stopped) is None


def test_the_operator_of_a_hosted_cluster_is_next_to_its_control_plane():
    assert operator_deployment("") == ("openshift-network-operator", "network-operator")
    assert operator_deployment("clusters-blue") == ("clusters-blue", "cluster-network-operator")


@pytest.mark.parametrize(
    ("manager", "expected"),
    [
        ("cluster-network-operator", True),
        ("cluster-network-operator/operconfig", True),
        ("cluster-network-operators", False),
        ("ovnguard-rollout", False),
    ],
)
def test_its_field_managers_begin_with_its_name(manager, expected):
    assert is_operator_manager(manager) is expected


def test_what_it_has_written_since_is_a_problem():
    before = operator_writes([daemon_set(("cluster-network-operator", EARLIER)), None])
    assert before == {"DaemonSet ovn/ovnkube-node": f"cluster-network-operator wrote it at {EARLIER}"}
    assert list(new_writes(before, before)) == []
    now = operator_writes(
        [daemon_set(("cluster-network-operator/operconfig", LATER), ("cluster-network-operator", EARLIER), ("we", "9"))]
    )
    assert [str(each) for each in new_writes(before, now)] == [
        f"DaemonSet ovn/ovnkube-node: cluster-network-operator/operconfig wrote it at {LATER}: "
        "the cluster network operator would undo what --mode own writes; "
        "stop the operator, then start this process again"
    ]
    assert list(new_writes(before, {})) == [], "the object, or its entry, is gone"


@pytest.mark.parametrize("fields", [None, 3, [None, 3, {"manager": 3}, {"manager": "we", "time": EARLIER}]])
def test_managed_fields_of_others_are_ignored(fields):
    obj = daemon_set()
    obj["metadata"]["managedFields"] = fields
    assert operator_writes([obj]) == {}
