"""`ovnguard-reconciler rollout status|plan|explain` on manifests."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.rollout.plan.model import Folder
from tests.support.reconciler_cli import Outcome, run
from tests.support.rollout.rollout_samples import CONFIG_MAP, FIRST_PHASE, NODE, OVN, SINGLE, workload
from tests.support.rollout.small_manifests import small_manifests


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
    node = workload(Folder.FINAL, "ovnkube-node", "4.14.20", 4)
    plane = workload(Folder.FINAL, "ovnkube-control-plane", "4.14.20", 4)
    plane["status"] |= {"updatedReplicas": 2, "availableReplicas": 2}
    assert rollout("status", node, plane).out.splitlines()[:3] == [
        "release 4.14.20, self-hosted: S9, one zone per node: nodes first, then control plane",
        "",
        "[x] 4.14.20 runs everywhere",
    ]
    before = [workload(Folder.LEGACY, f"ovnkube-{name}", "4.13.9", 4) for name in ("node", "master")]
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
        "S9: one zone per node: nodes first, then control plane",
        "refusals were not checked: --manifests is not given",
    ]
    assert f"  apply {SINGLE}/ovnkube-node.yaml" not in lines, "the nodes are only rolling out"
    assert f'  patch ConfigMap {OVN}/ovn-interconnect-configuration with zone-mode: "multizone"' in lines
    passes = json.loads(rollout("plan", *FIRST_PHASE, options=("-o", "json")).out)["passes"]
    assert [each["phase"] for each in passes] == ["S2", "S3", "S4", "S6", "S8", "S9"]
    assert passes[1]["steps"] == [{"action": "apply", "target": f"{SINGLE}/ovnkube-master.yaml", "reason": ""}]


def test_explanations_name_the_purpose_of_each_file_and_what_follows():
    lines = rollout("explain", *FIRST_PHASE).out.splitlines()
    assert lines[:2] == ["S2: phase 1: nodes are rolling out", "manifests: single-zone-interconnect"]
    assert (
        f"{SINGLE}/ovnkube-master.yaml is created if it does not exist, and otherwise left alone because nodes come "
        "first: ovnkube-master with the central databases: a DaemonSet, or a StatefulSet of a hosted cluster"
    ) in lines
    assert lines[-1] == "refusals were not checked: --manifests is not given"
    assert lines[-3] == "next: S3 (phase 1: masters get interconnect), when every node runs interconnect"
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


def test_own_mode_needs_manifests(tmp_path):
    config = tmp_path / "kubeconfig"
    cluster = {"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}
    context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
    users = [{"name": "u", "user": {}}]
    config.write_text(
        json.dumps({"clusters": [cluster], "contexts": [context], "users": users, "current-context": "c"})
    )
    found = run("rollout", "run", "--release", "4.14.20", "--mode", "own", "--kubeconfig", config)
    assert (found.code, found.err) == (2, "--mode own needs --manifests: it writes what the operator would write")
    found = run("rollout", "status", "--release", "4.14.20", "--kubeconfig", config)
    assert (found.code, found.err.startswith("error: http://127.0.0.1:1: ")) == (3, True)


def folder(tmp_path: Path) -> Path:
    """The small manifests as rendered files."""
    made = small_manifests("4.14.20")
    for file, objects in made.objects.items():
        place = tmp_path / "manifests" / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n---\n".join(map(json.dumps, objects)))
    return tmp_path / "manifests"


@pytest.mark.parametrize("command", ["plan", "explain"])
def test_refusals_are_printed_where_manifests_are_given(tmp_path, command):
    options = ("--manifests", str(folder(tmp_path)))
    found = rollout(command, *FIRST_PHASE, options=options)
    assert (found.code, "refus" in found.out) == (0, False), found.out + found.err
    node = copy.deepcopy(FIRST_PHASE[1])
    node["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "K8S_NODE"}]
    found = rollout(command, CONFIG_MAP, node, FIRST_PHASE[2], options=options)
    text = f"DaemonSet {OVN}/ovnkube-node: the new template drops variable K8S_NODE of container ovn-controller"
    assert (found.code, found.out.splitlines()[-1]) == (1, f"refused: {text}")
    value = json.loads(rollout(command, CONFIG_MAP, node, FIRST_PHASE[2], options=(*options, "-o", "json")).out)
    assert value["refusals"] == [text]


def test_manifests_of_another_release_and_unusable_ones_are_wrong_calls(tmp_path):
    place = folder(tmp_path)
    stdin = json.dumps(NODE)
    found = run("rollout", "plan", "--release", "4.14.21", "-f", "-", "--manifests", place, stdin=stdin)
    message = "--manifests: ovnkube-node of single-zone-interconnect is of release 4.14.20, not 4.14.21"
    assert (found.code, message in found.err) == (2, True), found.err
    (place / "common" / "000-ns.yaml").write_text("a: [")
    found = run("rollout", "plan", "--release", "4.14.20", "-f", "-", "--manifests", place, stdin=stdin)
    assert (found.code, "common/000-ns.yaml:2: malformed YAML" in found.err) == (2, True), found.err
    wrong = {("--values", "x"): "--values needs --manifests", ("--manifests", "x"): "x is not a folder"}
    for options, message in wrong.items():
        found = run("rollout", "plan", "--release", "4.14.20", "-f", "-", *options, stdin=stdin)
        assert (found.code, message in found.err) == (2, True), found.err


def test_render_writes_what_it_rendered_and_names_what_is_missing(tmp_path):
    place, values = folder(tmp_path), tmp_path / "values.yaml"
    (place / "common" / "000-ns.yaml").write_text("a: {{.One}}\nb: {{ .Two }}{{if .Three}}{{end}}\n")
    values.write_text("One: 1\n")
    call = ("rollout", "render", "--manifests", place, "--values", values)
    found = run(*call)
    assert (found.code, found.err.splitlines()) == (
        1,
        [
            "common/000-ns.yaml:2: value Two is missing",
            "common/000-ns.yaml:2: value Three is missing",
            "missing values: Three, Two",
        ],
    )
    values.write_text("One: 1\nTwo: two\nThree: true\n")
    found = run(*call)
    assert (found.code, found.out.startswith("# common/000-ns.yaml\na: 1\nb: two\n")) == (0, True)
    found = run(*call, "--to", tmp_path / "out")
    assert (found.code, found.out) == (0, "")
    assert (tmp_path / "out" / "common" / "000-ns.yaml").read_text() == "a: 1\nb: two\n"
    assert {str(each.relative_to(tmp_path / "out")) for each in (tmp_path / "out").rglob("*.yaml")} == {
        str(each.relative_to(place)) for each in place.rglob("*.yaml")
    }
    assert run(*call, "--hosted").code == 0, "only the common folder is there"
    found = run("rollout", "render")
    assert (found.code, "render needs --manifests" in found.err) == (2, True)
