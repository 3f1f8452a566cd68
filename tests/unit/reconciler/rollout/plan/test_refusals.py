"""What pods would lose on the way to a release, and what the operator's own change excuses."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from ovnguard.reconciler.rollout.plan.model import Flavour, Folder, Observed
from ovnguard.reconciler.rollout.plan.operator_changes import dropped, removed_objects, unprobed
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests
from ovnguard.reconciler.rollout.plan.refusals import lost, refusals
from ovnguard.validators.network.cluster.release import release_of
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import workload_of
from tests.support.rollout.small_manifests import small_manifests, workload

RELEASE = release_of("4.14.20")
MANIFESTS = small_manifests("4.14.20")
NODE = "DaemonSet openshift-ovn-kubernetes/ovnkube-node"
FULL: dict[str, Any] = {
    "name": "ovn-controller",
    "volumeMounts": [{"name": "slash", "mountPath": "/host"}],
    "env": [{"name": "K8S_NODE"}, {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "of-a-key", "key": "k"}}}],
    "envFrom": [{"secretRef": {"name": "of-all"}}],
    "ports": [{"containerPort": 9103, "protocol": "TCP"}],
    "readinessProbe": {"exec": {"command": ["ready"]}},
    "livenessProbe": {},
}
VOLUMES = [
    {"name": "cert", "secret": {"secretName": "ovn-cert"}},
    {"name": "all", "projected": {"sources": [{"secret": {"name": "in-a-volume"}}, {"configMap": {"name": "no"}}]}},
]
LOST = {
    "mount /host of container ovn-controller": ("volumeMounts", 0),
    "variable K8S_NODE of container ovn-controller": ("env", 0),
    "secret of-a-key": ("env", 1, "valueFrom"),
    "secret of-all": ("envFrom", 0),
    "port 9103/TCP of container ovn-controller": ("ports", 0),
    "readinessProbe of container ovn-controller": ("readinessProbe",),
    "livenessProbe of container ovn-controller": ("livenessProbe",),
}


def seen(*live: dict[str, Any], **more: Any) -> tuple[Observed, dict[str, dict[str, Any]]]:
    found = {each["metadata"]["name"]: workload_of(each, each["kind"]) for each in live}
    observed = Observed(
        RELEASE,
        node=found.get("ovnkube-node"),
        master=found.get("ovnkube-master"),
        control_plane=found.get("ovnkube-control-plane"),
    )
    return replace(observed, **more), {f"{each['kind']} {each['metadata']['name']}": each for each in live}


def live(name: str, folder: Folder, *containers: dict[str, Any], volumes: Any = ()) -> dict[str, Any]:
    made = copy.deepcopy(workload(name, folder, "4.13.9"))
    spec = made["spec"]["template"]["spec"]
    names = {each["name"] for each in containers}
    spec["containers"] = [*(each for each in spec["containers"] if each["name"] not in names), *containers]
    spec["volumes"] = list(volumes)
    return made


def without(obj: Any, path: tuple[Any, ...]) -> Any:
    made = copy.deepcopy(obj)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return made


def found(*objects: dict[str, Any], manifests: PhaseManifests = MANIFESTS, **more: Any) -> tuple[str, ...]:
    return refusals(*seen(*objects, **more), manifests)


def test_nothing_is_lost_where_nothing_is_dropped():
    assert found(live("ovnkube-node", Folder.LEGACY), live("ovnkube-master", Folder.LEGACY)) == ()


@pytest.mark.parametrize("name", LOST)
def test_each_part_of_a_container_that_is_dropped_is_named(name):
    full, less = (live("ovnkube-node", Folder.LEGACY, each) for each in (FULL, without(FULL, LOST[name])))
    assert lost(full, less) == [name]
    assert lost(less, full) == []


def test_secrets_of_volumes_and_pulls_and_whole_containers_are_named():
    full = live("ovnkube-node", Folder.LEGACY, FULL, volumes=VOLUMES)
    full["spec"]["template"]["spec"] |= {"imagePullSecrets": [{"name": "pull"}], "initContainers": [{"name": "init"}]}
    less = live("ovnkube-node", Folder.LEGACY, FULL)
    assert lost(full, less) == ["init container init", "secret ovn-cert", "secret in-a-volume", "secret pull"]
    less["spec"]["template"]["spec"]["containers"] = [{"name": "ovnkube-node"}]
    assert "container ovn-controller" in lost(full, less)
    assert not any("of container ovn-controller" in each for each in lost(full, less)), "only its name"


def test_images_hashes_and_releases_do_not_count():
    one = live("ovnkube-node", Folder.SINGLE, {**FULL, "image": "a"})
    other = live("ovnkube-node", Folder.SINGLE, {**FULL, "image": "b", "command": ["other"]})
    other["spec"]["template"]["metadata"]["annotations"] = {"x-hash": "1"}
    assert lost(one, other) == []


def test_what_the_live_pods_have_and_the_new_template_has_not_is_refused_with_the_list():
    node = live("ovnkube-node", Folder.LEGACY, FULL)
    assert found(node, live("ovnkube-master", Folder.LEGACY))[:2] == (
        f"{NODE}: the new template drops mount /host of container ovn-controller",
        f"{NODE}: the new template drops variable K8S_NODE of container ovn-controller",
    )


def test_what_the_operators_own_template_drops_in_the_same_phase_is_excused():
    part = {**FULL, "volumeMounts": [{"mountPath": "/var/log/ovn"}], "env": [], "envFrom": [], "ports": []}
    node = live("ovnkube-node", Folder.SINGLE, {key: each for key, each in part.items() if key != "livenessProbe"})
    file = "self-hosted/single-zone-interconnect/ovnkube-node.yaml"
    manifests = replace(MANIFESTS, objects={**MANIFESTS.objects, file: (node,)})
    objects = node, live("ovnkube-master", Folder.SINGLE)
    assert found(*objects, manifests=manifests) == (), "phase 2 drops the mount, as the operator does"
    text = f"{NODE}: the new template drops mount /var/log/ovn of container ovn-controller"
    assert found(*objects) == (text,), "phase 1 does not"


def test_the_templates_of_later_phases_are_compared_from_the_start():
    """The node of phase 1 has a mount that the one of phase 2 has not."""
    name = "self-hosted/single-zone-interconnect/ovnkube-node.yaml"
    node = live("ovnkube-node", Folder.SINGLE, {**FULL, "env": [], "envFrom": [], "ports": []})
    node["metadata"]["annotations"]["release.openshift.io/version"] = "4.14.20"
    manifests = replace(MANIFESTS, objects={**MANIFESTS.objects, name: (node,)})
    assert found(live("ovnkube-node", Folder.LEGACY), live("ovnkube-master", Folder.LEGACY), manifests=manifests) == (
        f"{NODE}: the new template drops mount /host of container ovn-controller",
        f"{NODE}: the new template drops livenessProbe of container ovn-controller",
    )
    at_end = live("ovnkube-node", Folder.FINAL), live("ovnkube-control-plane", Folder.FINAL)
    assert found(*at_end, manifests=manifests) == (), "phase 1 is over"


@pytest.mark.parametrize("name", ["ovnkube-node", "ovnkube-master"])
def test_a_workload_without_a_readiness_probe_is_refused(name):
    file = f"self-hosted/single-zone-interconnect/{name}.yaml"
    (made,) = copy.deepcopy(MANIFESTS.objects[file])
    for each in made["spec"]["template"]["spec"]["containers"]:
        del each["readinessProbe"]
    manifests = replace(MANIFESTS, objects={**MANIFESTS.objects, file: (made,)})
    objects = live("ovnkube-node", Folder.LEGACY), live("ovnkube-master", Folder.LEGACY)
    subject = f"DaemonSet openshift-ovn-kubernetes/{name}"
    text = f"{subject}: no container has a readiness probe, so nothing shows that it works"
    assert text in found(*objects, manifests=manifests)


def test_what_the_operator_does_itself_is_excused():
    assert "container ovnkube-node" in dropped(Flavour.SELF_HOSTED, "ovnkube-node", Folder.SINGLE, Folder.FINAL)
    assert dropped(Flavour.SELF_HOSTED, "ovnkube-node", Folder.LEGACY, Folder.SINGLE) == frozenset()
    assert unprobed(Flavour.MANAGED) == {"ovnkube-control-plane"}
    removed = [*removed_objects(Flavour.MANAGED, "ovnkube-master.yaml", "clusters-a")]
    assert [(each["kind"], each["metadata"]["namespace"]) for each in removed] == [
        ("PodDisruptionBudget", "clusters-a"),
        ("StatefulSet", "clusters-a"),
    ]
