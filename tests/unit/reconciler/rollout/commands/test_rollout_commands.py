"""`ovnguard-reconciler rollout status|plan|explain` on manifests."""

import copy
import json
from typing import Any

import pytest

from tests.support.reconciler_cli import Outcome, run
from tests.support.rollout.rollout_samples import CONFIG_MAP, FIRST_PHASE, LEGACY, NODE, OVN, SINGLE, workload


def rollout(command: str, *objects: dict[str, Any], options: tuple[str, ...] = ()) -> Outcome:
    stdin = "\n---\n".join(json.dumps(each) for each in (NODE, *objects))
    return run("rollout", command, "--release", "4.14.20", "-f", "-", *options, stdin=stdin)


def test_status_is_a_picture_of_the_phases():
    found = rollout("status", *FIRST_PHASE)
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == [
        "release 4.14.20, self-hosted: S2, phase 1: nodes are rolling out",
        "",
        "[x] S1   phase 1 starts: nodes get interconnect in a single zone",
        "[>] S2   phase 1: nodes are rolling out",
        "[ ] S3   phase 1: masters get interconnect",
        "[ ] S4   phase 1 is complete, phase 2 starts: nodes get zones of their own",
        "[ ] S5   phase 2: nodes are rolling out",
        "[ ] S6   phase 2: every node is multizone, the control plane is added",
        "[ ] S7   phase 2: the control plane is rolling out",
        "[ ] S8   phase 2 is complete: the masters go",
        "[ ] 4.14.20 runs everywhere",
        "",
        "ovnkube-node                4.14.20      single zone, interconnect   |###############.....| 3 of 4",
        "ovnkube-master              4.13.9       no interconnect             |####################| 4 of 4",
        f'waits for: DaemonSet "{OVN}/ovnkube-node" update is rolling out (3 out of 4 updated)',
        f"waits for: DaemonSet {OVN}/ovnkube-master is not at version 4.14.20 yet",
        "held up by node m: no pod of ovnkube-node is there",
    ]


def test_status_of_a_finished_upgrade_and_of_4_13():
    node = workload("self-hosted/multi-zone-interconnect/ovnkube-node.yaml", "4.14.20", 4)
    plane = workload("self-hosted/multi-zone-interconnect/ovnkube-control-plane.yaml", "4.14.20", 4)
    plane["status"] |= {"updatedReplicas": 2, "availableReplicas": 2}
    assert rollout("status", node, plane).out.splitlines()[:3] == [
        "release 4.14.20, self-hosted: S9, one zone per node: nodes first, then control plane",
        "",
        "[x] 4.14.20 runs everywhere",
    ]
    before = [workload(f"{LEGACY}/ovnkube-{name}.yaml", "4.13.9", 4) for name in ("node", "master")]
    stdin = "\n---\n".join(map(json.dumps, (NODE, *before)))
    found = run("rollout", "status", "--release", "4.13.9", "-f", "-", stdin=stdin)
    assert found.out.startswith(
        "release 4.13.9, self-hosted: S9, no release with interconnect: nodes first, then masters\n"
    )
    assert run("rollout", "plan", "--release", "4.14.20", "-f", "-", stdin=json.dumps(NODE)).code == 0


def test_status_for_programs():
    found = rollout("status", *FIRST_PHASE, options=("-o", "json"))
    value = json.loads(found.out)
    assert {key: value[key] for key in ("phase", "folder", "levelReached", "configMap")} == {
        "phase": "S2",
        "folder": "single-zone-interconnect",
        "levelReached": False,
        "configMap": {"zone-mode": "singlezone"},
    }
    assert [(each["role"], each["updated"]) for each in value["workloads"]] == [("node", 3), ("master", 4)]
    assert value["stalls"] == [
        {"workload": "DaemonSet ovnkube-node", "node": "m", "pod": "", "reason": "no pod of ovnkube-node is there"}
    ]


def test_a_rollout_that_hangs_ends_with_1():
    node = copy.deepcopy(FIRST_PHASE[1])
    node["metadata"]["annotations"]["networkoperator.openshift.io/rollout-hung"] = ""
    assert rollout("status", CONFIG_MAP, node, FIRST_PHASE[2]).code == 1


def test_the_plan_is_what_is_still_to_come():
    found = rollout("plan", *FIRST_PHASE)
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert [line for line in lines if not line.startswith("  ")] == [
        "S2: phase 1: nodes are rolling out",
        "S3: phase 1: masters get interconnect",
        "S4: phase 1 is complete, phase 2 starts: nodes get zones of their own",
        "S6: phase 2: every node is multizone, the control plane is added",
        "S8: phase 2 is complete: the masters go",
    ]
    assert f"  apply {SINGLE}/ovnkube-node.yaml" not in lines, "the nodes are only rolling out"
    assert f'  patch ConfigMap {OVN}/ovn-interconnect-configuration with zone-mode: "multizone"' in lines
    passes = json.loads(rollout("plan", *FIRST_PHASE, options=("-o", "json")).out)["passes"]
    assert [each["phase"] for each in passes] == ["S2", "S3", "S4", "S6", "S8"]
    assert passes[1]["steps"] == [{"action": "apply", "target": f"{SINGLE}/ovnkube-master.yaml", "reason": ""}]


def test_explanations_name_the_purpose_of_each_file_and_what_follows():
    lines = rollout("explain", *FIRST_PHASE).out.splitlines()
    assert lines[:2] == ["S2: phase 1: nodes are rolling out", "manifests: single-zone-interconnect"]
    assert (
        f"{SINGLE}/ovnkube-master.yaml is created if it does not exist, and otherwise left alone because nodes come "
        "first: ovnkube-master with the central databases: a DaemonSet, or a StatefulSet of a hosted cluster"
    ) in lines
    assert lines[-2] == "next: S3 (phase 1: masters get interconnect), when every node runs interconnect"
    value = json.loads(rollout("explain", *FIRST_PHASE, options=("-o", "json")).out)
    assert value["next"][0] == {"phase": "S3", "when": "every node runs interconnect"}


@pytest.mark.parametrize("command", ["status", "plan", "explain"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": {"zone-mode": "foo"}}, "zone-mode must be singlezone or multizone"),
        ({"data": {"zone-mode": 3}}, "data[zone-mode] is not a string"),
        ({"data": [1]}, "data is not a mapping"),
    ],
)
def test_unknown_states_are_reported_and_end_with_1(command, change, message):
    found = rollout(command, {**CONFIG_MAP, **change}, *FIRST_PHASE[1:])
    assert found.code == 1
    assert message in found.out + found.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--release", "next"), "'next' is not a version such as 4.14.20"),
        (("--release", "4.14.20", "--hosted-namespace", "A b"), "'A b' is not a valid namespace name"),
        (("--release", "4.14.20", "--sbdb-node-port", "30042"), "--sbdb-node-port needs --hosted-namespace"),
        (("--release", "4.14.20", "-f", "missing.yaml"), "missing.yaml:1:1: cannot be read: No such file or directory"),
    ],
)
def test_wrong_calls_are_refused(options, message):
    found = run("rollout", "status", *options)
    assert (found.code, message in found.err) == (2, True), found.err


def test_own_mode_needs_an_image(tmp_path):
    config = tmp_path / "kubeconfig"
    cluster = {"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}
    context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
    users = [{"name": "u", "user": {}}]
    config.write_text(
        json.dumps({"clusters": [cluster], "contexts": [context], "users": users, "current-context": "c"})
    )
    found = run("rollout", "run", "--release", "4.14.20", "--mode", "own", "--kubeconfig", config)
    assert (found.code, found.err) == (2, "--mode own needs --image: what the manifests run")
    found = run("rollout", "status", "--release", "4.14.20", "--kubeconfig", config)
    assert (found.code, found.err.startswith("error: http://127.0.0.1:1: ")) == (3, True)
