"""What a rollout waits for, by node and pod."""

import pytest

from ovnguard.reconciler.rollout.plan.stalls import Stall, stalls_of
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload

NODE = Workload("DaemonSet", "ns", "ovnkube-node", desired=2)
PLANE = Workload("Deployment", "ns", "ovnkube-control-plane", desired=2)
OBJECT = {"spec": {"template": {"spec": {"nodeSelector": {"os": "linux"}}}}}
DOWN = {"type": "Ready", "status": "Unknown", "lastTransitionTime": "2026-01-01T00:00:00Z", "message": "no heartbeat"}


def node(name="a", ready=None, *, cordoned=False, **labels):
    conditions = [ready] if ready else [{"type": "Ready", "status": "True"}]
    metadata = {"name": name, "labels": {"os": "linux", **labels}}
    return {"metadata": metadata, "spec": {"unschedulable": cordoned}, "status": {"conditions": conditions}}


def pod(place="a", app="ovnkube-node", conditions=(), waiting=None, restarts=0):
    statuses = [{"name": "nbdb", "restartCount": restarts, "state": {"waiting": waiting}}] if waiting else []
    status = {"conditions": [*conditions], "containerStatuses": statuses}
    return {"metadata": {"name": f"{app}-x", "labels": {"app": app}}, "spec": {"nodeName": place}, "status": status}


READY = pod(conditions=[{"type": "Ready", "status": "True"}])


@pytest.mark.parametrize(
    ("pods", "nodes", "expected"),
    [
        pytest.param([READY], [node()], [], id="all is well"),
        pytest.param([READY], [node(), node("b")], ["node b: no pod of ovnkube-node is there"], id="no pod"),
        pytest.param([READY], [node(), node("b", os="windows")], [], id="a node of another kind"),
        pytest.param(
            [],
            [node(cordoned=True)],
            ["node a: the node is cordoned, and no pod of ovnkube-node is there"],
            id="cordoned",
        ),
        pytest.param(
            [pod()],
            [node(ready=DOWN)],
            ["node a, pod ovnkube-node-x: the node is not ready since 2026-01-01T00:00:00Z: no heartbeat"],
            id="a node is down",
        ),
        pytest.param(
            [],
            [node(ready={"type": "Ready", "status": "False"})],
            ["node a: the node is not ready"],
            id="a node is down and its pod is gone",
        ),
        pytest.param(
            [pod(waiting={"reason": "CrashLoopBackOff"}, restarts=7)],
            [node()],
            ["node a, pod ovnkube-node-x: container nbdb is in CrashLoopBackOff after 7 restarts"],
            id="a container crashes",
        ),
        pytest.param(
            [pod(waiting={"reason": "ContainerCreating"})],
            [node()],
            ["node a, pod ovnkube-node-x: is not ready"],
            id="a container starts",
        ),
    ],
)
def test_nodes_and_pods_are_named(pods, nodes, expected):
    assert list(map(str, stalls_of([NODE], {str(NODE): OBJECT}, pods, nodes))) == expected


def test_a_pod_without_a_node_says_why():
    scheduled = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes\nare available"}
    found = stalls_of([PLANE], {}, [pod("", "ovnkube-control-plane", [scheduled])], [])
    assert found == (
        Stall(
            "Deployment ovnkube-control-plane",
            "",
            "ovnkube-control-plane-x",
            "is not scheduled: 0/3 nodes are available",
        ),
    )


def test_a_container_that_crashes_needs_somebody_unless_its_node_is_down():
    crashing = pod(waiting={"reason": "CrashLoopBackOff"})
    assert [each.crashing for each in stalls_of([NODE], {str(NODE): OBJECT}, [crashing], [node()])] == [True]
    assert [each.crashing for each in stalls_of([NODE], {str(NODE): OBJECT}, [crashing], [node(ready=DOWN)])] == [False]
    assert [each.crashing for each in stalls_of([NODE], {str(NODE): OBJECT}, [pod()], [node()])] == [False]


def test_finished_rollouts_and_pods_of_others_are_not_asked():
    assert stalls_of([], {}, [pod()], [node()]) == ()
    assert stalls_of([PLANE], {}, [pod()], [node()]) == ()


@pytest.mark.parametrize(
    "strange", [{}, {"metadata": 3}, {"metadata": {"labels": {"app": "ovnkube-node"}}, "status": []}]
)
def test_shapeless_objects_raise_nothing(strange):
    for each in stalls_of([NODE], {str(NODE): strange}, [strange], [strange]):
        assert str(each)
