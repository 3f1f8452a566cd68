"""One pass after the other, on objects in memory: what is written, marked, reported and announced."""

import json

import pytest

from ovnguard.reconciler.rollout.loop.rollout_reader import master_addresses
from ovnguard.reconciler.rollout.loop.rollout_resources import PODS
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError
from ovnguard.validators.network.cluster_view import NODE
from tests.support.rollout.rollout_world import APPS, CONFIG_MAP, HUNG, MASTER, OVN, World


@pytest.fixture
def world() -> World:
    return World()


def test_the_first_pass_creates_the_config_map_and_pulls_the_image(world):
    assert world.controller.tick() == ()
    assert world.api.objects[CONFIG_MAP]["data"] == {"zone-mode": "singlezone"}
    assert world.written()[:3] == ["configmaps", "settings", "ovnkube-upgrades-prepuller"]
    assert "4.13.9" in json.dumps(world.api.objects[f"{APPS}/daemonsets/ovnkube-node"])
    assert world.controller.tick() == ()
    assert world.written() == [], "what is as decided is not written again"


def test_every_phase_writes_what_is_next_also_after_a_restart(world):
    world.controller.tick()
    world.written()
    phases = []
    for _ in range(12):
        world.roll()
        world.controller = world.restarted()
        assert world.controller.tick() == ()
        phases.append((world.report()["phase"], world.written()))
    assert [
        (phase, [name for name in names if "kube" in name or "config" in name]) for phase, names in phases if names
    ] == [
        ("S1", ["ovnkube-node", "ovnkube-upgrades-prepuller"]),
        ("S3", ["ovnkube-master"]),
        ("S4", ["ovn-interconnect-configuration", "ovn-kubernetes-control-plane", "ovnkube-node", "ovnkube-db"]),
        ("S6", ["ovnkube-control-plane"]),
        ("S8", ["ovn-interconnect-configuration", "ovnkube-node", "ovn-kubernetes-master", "ovnkube-master"]),
        ("S9", ["ovn-kubernetes-control-plane", "ovnkube-control-plane", "ovnkube-node"]),
    ]
    assert phases[-1] == ("S9", [])
    assert world.report()["levelReached"] is True
    assert CONFIG_MAP not in world.api.objects


def test_a_rollout_without_progress_is_marked_and_goes_on_later(world):
    world.controller.tick()
    world.roll()
    world.controller.tick()
    world.roll(2, 6)
    world.view.listed[PODS.group_kind] = [
        {"metadata": {"name": "ovnkube-node-x", "labels": {"app": "ovnkube-node"}}, "spec": {"nodeName": "m"}}
    ]
    world.controller.tick()
    assert world.controller.due() == 600.0
    world.now += 601.0
    # another process leads: the time of the last change outlives this one
    world.controller = world.restarted()
    assert world.controller.tick() == ()
    node = world.api.objects[f"{APPS}/daemonsets/ovnkube-node"]
    assert node["metadata"]["annotations"][HUNG] == ""
    assert [(reason, kind) for reason, kind, _ in world.notes()][-1] == ("RolloutHung", "Warning")
    message = (
        'DaemonSet "openshift-ovn-kubernetes/ovnkube-node" rollout is not making progress - '
        "last change 1970-01-01T00:16:40Z (2 of 6 updated, 2 of 6 available)"
    )
    assert world.notes()[-1][2].startswith(message)
    assert "; " in world.notes()[-1][2], "the masters hang, too"
    assert ": node m, pod ovnkube-node-x: is not ready, " in world.notes()[-1][2]
    world.controller.tick()
    conditions = {each["type"]: (each["status"], each["reason"]) for each in world.report()["conditions"]}
    assert conditions == {"Progressing": ("True", "Deploying"), "Degraded": ("True", "RolloutHung")}
    assert [each["message"].splitlines()[0] for each in world.report()["conditions"]][1] == message
    assert world.report()["stalls"] == [
        {"workload": "DaemonSet ovnkube-node", "node": "m", "pod": "ovnkube-node-x", "reason": "is not ready"},
        {"workload": "DaemonSet ovnkube-master", "node": "m", "pod": "", "reason": "no pod of ovnkube-master is there"},
    ]
    text = world.metrics.exposition()[1].decode()
    assert "ovnk_reconcile_rollout_hung 2.0" in text
    assert 'ovnk_reconcile_rollout_phase{phase="S2"} 1.0' in text
    world.roll(3, 6)
    assert world.controller.tick() == ()
    assert HUNG not in world.api.objects[f"{APPS}/daemonsets/ovnkube-node"]["metadata"]["annotations"]


def test_a_container_that_crashes_is_a_degradation_at_once(world):
    begun(world)
    status = {"containerStatuses": [{"name": "ovnkube-node", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}
    metadata = {"name": "ovnkube-node-x", "labels": {"app": "ovnkube-node"}}
    world.view.listed[PODS.group_kind] = [{"metadata": metadata, "spec": {"nodeName": "m"}, "status": status}]
    assert world.controller.tick() == ()
    degraded = next(each for each in world.report()["conditions"] if each["type"] == "Degraded")
    assert (degraded["status"], degraded["reason"], degraded["message"]) == (
        "True",
        "RolloutHung",
        "DaemonSet ovnkube-node rollout is not making progress: node m, pod ovnkube-node-x: "
        "container ovnkube-node is in CrashLoopBackOff",
    )


def test_the_mark_of_a_state_that_is_over_ends_no_phase(world):
    world.controller.tick()
    world.roll()
    world.controller.tick()
    world.roll(1)
    world.controller.tick()
    world.now += 601.0
    world.controller.tick()
    node = f"{APPS}/daemonsets/ovnkube-node"
    assert HUNG in world.api.objects[node]["metadata"]["annotations"]
    # one node goes on, and one is left, which merely has not had its turn yet
    world.roll(2)
    world.controller.tick()
    assert HUNG not in world.api.objects[node]["metadata"]["annotations"]
    assert world.report()["phase"] == "S2"
    assert "4.14.20" not in json.dumps(world.api.objects[f"{APPS}/daemonsets/ovnkube-master"])


def test_conditions_keep_the_time_of_their_transition_over_a_change_of_the_leader(world):
    world.controller.tick()
    before = world.report()["conditions"]
    world.now += 60
    world.roll()
    world.controller = world.restarted()
    world.controller.tick()
    assert {each["type"]: each["lastTransitionTime"] for each in world.report()["conditions"]} == {
        each["type"]: each["lastTransitionTime"] for each in before
    }


def test_a_failure_ends_the_pass_and_is_a_degradation(world):
    failed = f"{APPS}/daemonsets/ovnkube-upgrades-prepuller"
    world.api.failures["PATCH", failed] = ApiStatusError(422, "Invalid", "spec is wrong")
    assert world.controller.tick() == ("422 Invalid: spec is wrong",)
    assert world.written() == ["configmaps", "settings"], "nothing after the step that failed"
    degraded = next(each for each in world.report()["conditions"] if each["type"] == "Degraded")
    assert (degraded["status"], degraded["reason"], degraded["message"]) == (
        "True",
        "StepFailed",
        "422 Invalid: spec is wrong",
    )
    assert ("RolloutStepFailed", "Warning", "422 Invalid: spec is wrong") in world.notes()
    world.api.failures.clear()
    assert world.controller.tick() == ()


def test_an_interrupted_pass_is_completed_by_the_next_one(world):
    """The Service goes when the nodes get zones of their own: also when the controller dies right between the two."""
    service = f"/api/v1/namespaces/{OVN}/services/ovnkube-db"
    for _ in range(3):
        assert world.controller.tick() == ()
        world.roll()
    world.api.failures["DELETE", service] = ClusterError("the connection broke")
    assert world.controller.tick() == ("the connection broke",)
    assert "nbdb" in world.containers("ovnkube-node")
    world.api.failures.clear()
    world.controller = world.restarted()
    assert world.controller.tick() == ()
    assert (world.report()["phase"], service in world.api.objects) == ("S5", False)


def test_kinds_of_the_prometheus_operator_may_be_missing(world):
    place = f"/apis/monitoring.coreos.com/v1/namespaces/{OVN}"
    for path in (f"{place}/servicemonitors/monitor-ovn-master-metrics", f"{place}/prometheusrules/master-rules"):
        world.api.failures["PATCH", path] = ApiStatusError(404, "NotFound", "no such kind")
    assert world.controller.tick() == ()
    assert "ovn-kubernetes-master" in world.written()


def test_what_cannot_be_read_is_no_reason_to_write(world):
    world.api.failures["GET", f"{APPS}/daemonsets/ovnkube-master"] = ClusterError("refused")
    assert world.controller.tick() == ("refused",)
    assert world.written() == []


def test_a_cluster_without_masters_is_not_understood(world):
    world.view.listed[NODE] = []
    assert world.controller.tick() == ()
    assert world.written() == []
    message = "Nodes: none with the role node-role.kubernetes.io/master has an InternalIP"
    assert world.report()["waitingFor"] == [message]
    assert world.notes() == [("RolloutNotUnderstood", "Warning", message)]


def test_an_audit_computes_the_same_and_writes_only_events(world):
    controller = world.restarted(audit=True)
    assert controller.tick() == ()
    assert {path for _, path in world.api.writes} == {f"/apis/events.k8s.io/v1/namespaces/{OVN}/events"}
    assert [reason for reason, *_ in world.notes()] == ["RolloutPhase"]


@pytest.mark.parametrize("state", ["follower", "unlisted"])
def test_nothing_happens_before_it_leads_and_everything_is_listed(world, state):
    world.leads = state != "follower"
    world.view.waits = ("pods",) if state == "unlisted" else ()
    assert world.controller.tick() == ()
    assert world.api.writes == []


def test_a_leader_that_loses_its_lease_stops_within_a_pass(world):
    send = world.api.request

    def losing(method, path, *rest):
        if method == "POST":
            world.leads = False
        return send(method, path, *rest)

    world.api.request = losing
    assert world.controller.tick() == ("no longer the leader",)
    assert world.written() == ["configmaps"]


def test_an_override_is_reported_with_its_user_and_time(world):
    notes = {"ovnguard.io/overridden-by": "kube:admin", "ovnguard.io/overridden-at": "2026-01-01T00:00:00Z"}
    data = {"zone-mode": "multizone", "fast-forward-to-multizone": ""}
    metadata = {"name": "ovn-interconnect-configuration", "namespace": OVN, "annotations": notes}
    world.api.put(CONFIG_MAP, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    world.controller.tick()
    assert world.report()["phase"] == "FF"
    assert ("RolloutOverridden", "Warning", "kube:admin skipped phases at 2026-01-01T00:00:00Z") in world.notes()


def begun(world: World) -> None:
    """Half of the nodes run interconnect, and the rest never will."""
    world.controller.tick()
    world.roll()
    world.controller.tick()
    world.roll(3, 6)
    assert world.controller.tick() == ()
    world.written()


def test_fast_forward_leads_from_a_stuck_phase_to_the_end():
    world = World()
    begun(world)
    world.override(zone_mode="multizone", fast_forward_to_multizone="")
    assert world.controller.tick() == ()
    assert "nbdb" in world.containers("ovnkube-node")
    deployment = f"{APPS}/deployments/ovnkube-control-plane"
    assert deployment in world.api.objects
    assert f"{APPS}/daemonsets/ovnkube-master" in world.api.objects, "the masters stay until the control plane is up"
    for _ in range(4):
        world.roll()
        assert world.controller.tick() == ()
    assert world.report()["phase"] == "S9"
    assert {CONFIG_MAP, f"{APPS}/daemonsets/ovnkube-master"}.isdisjoint(world.api.objects)


def test_up_to_4_14_13_the_config_map_has_more_keys_and_an_override_skips_the_first_phase_only():
    world = World("4.14.5")
    begun(world)
    assert world.api.objects[CONFIG_MAP]["data"] == {
        "zone-mode": "singlezone",
        "temporary": "true",
        "ongoing-upgrade": "",
    }
    world.override(zone_mode="multizone", temporary="false", ongoing_upgrade="")
    assert world.controller.tick() == ()
    assert (world.report()["folder"], "nbdb" in world.containers("ovnkube-node")) == (
        "multi-zone-interconnect-tmp",
        True,
    )
    assert f"{APPS}/deployments/ovnkube-control-plane" not in world.api.objects, "the second phase goes on as always"
    world.roll()
    assert world.controller.tick() == ()
    assert f"{APPS}/deployments/ovnkube-control-plane" in world.api.objects
    assert world.report()["phase"] == "S6"


def test_a_new_cluster_gets_no_config_map():
    world = World()
    for name in ("ovnkube-node", "ovnkube-master"):
        del world.api.objects[f"{APPS}/daemonsets/{name}"]
    for _ in range(3):
        assert world.controller.tick() == ()
        world.roll()
    assert world.report()["phase"] == "S9"
    assert CONFIG_MAP.rpartition("/")[0] not in {path for _, path in world.api.writes}


def test_addresses_of_masters_come_from_their_roles():
    worker = {"metadata": {"name": "w"}, "status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.9"}]}}
    bare = {"metadata": {"name": "a", "labels": {"node-role.kubernetes.io/master": ""}}, "status": {"addresses": 3}}
    assert master_addresses([worker, MASTER, bare]) == ("10.0.0.1",)


def test_pods_that_would_lose_something_are_not_rolled(world):
    node = world.api.objects[f"{APPS}/daemonsets/ovnkube-node"]
    node["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = [{"mountPath": "/host", "name": "slash"}]
    assert world.controller.tick() == ()
    assert world.written() == []
    text = f"DaemonSet {OVN}/ovnkube-node: the new template drops mount /host of container ovn-controller"
    assert world.report()["refusals"] == [text]
    degraded = next(each for each in world.report()["conditions"] if each["type"] == "Degraded")
    assert (degraded["status"], degraded["reason"], degraded["message"]) == ("True", "RolloutRefused", text)
    assert ("RolloutRefused", "Warning", text) in world.notes()
    del node["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    assert world.controller.tick() == ()
    assert world.report()["refusals"] == []
    assert CONFIG_MAP in world.api.objects


def test_at_the_end_every_object_is_handed_over_and_the_report_says_what_is_left(world):
    for _ in range(12):
        assert world.controller.tick() == ()
        world.roll()
    here = [obj for path, obj in world.api.objects.items() if f"/{OVN}/" in path and "/events/" not in path]
    managers = {each.get("manager", "") for obj in here for each in obj["metadata"].get("managedFields", ())}
    assert not any("ovnguard" in each for each in managers), managers
    assert world.report()["leftToOperator"] == [
        "ClusterOperator network: report version 4.14.20",
        "ClusterOperator network: set its conditions and related objects",
        "workloads: record IP families and the hybrid overlay, and own every object",
    ]
    world.written()
    assert world.controller.tick() == ()
    assert world.written() == [], "nothing is taken back"
