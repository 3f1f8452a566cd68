"""Objects become what the decision needs; what cannot be read is a problem, never a guess."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.rollout.plan.decision import decide
from ovnguard.reconciler.rollout.plan.model import Flavour, IPFamilies, IPsec, Observed, Override, Phase, Problem, Route
from ovnguard.reconciler.rollout.plan.observation import Objects, observe
from tests.support.rollout.rollout_objects import config_map, workload_object
from tests.support.rollout.rollout_states import (
    LATE,
    SINGLE,
    master,
    master_ic,
    multi,
    node,
    plane,
    prepuller,
    single,
    state,
)

NODE = "DaemonSet openshift-ovn-kubernetes/ovnkube-node"
MASTER = "DaemonSet openshift-ovn-kubernetes/ovnkube-master"
CONFIG_MAP = "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration"


def objects(**changes: Any) -> Objects:
    found = {"node": workload_object(node()), "master": workload_object(master()), "config_map": config_map(SINGLE)}
    return Objects(LATE, **{**found, **changes})


@pytest.mark.parametrize(
    "expected",
    [
        state(),
        state(node=single(updated=4, hung=True, generation=3), master=master_ic(), prepuller=prepuller()),
        state(node=multi(unavailable=1), control_plane=plane(unavailable=1), config_map=SINGLE),
    ],
)
def test_workloads_are_read_as_they_are(expected: Observed) -> None:
    names = ("node", "master", "control_plane", "prepuller")
    given_objects = {name: getattr(expected, name) for name in names}
    found: dict[str, Any] = {name: each and workload_object(each) for name, each in given_objects.items()}
    assert observe(Objects(LATE, config_map=config_map(expected.config_map), **found)) == expected


def test_a_hosted_cluster() -> None:
    stateful = workload_object(replace(master_ic(kind="StatefulSet"), namespace="clusters-a"))
    route = {"spec": {"host": "wanted"}, "status": {"ingress": [{"host": "admitted"}]}}
    found = observe(objects(flavour=Flavour.MANAGED, central_namespace="clusters-a", master=stateful, route=route))
    assert found.not_understood == ()
    assert found.master is not None
    assert (found.master.kind, found.master.namespace) == ("StatefulSet", "clusters-a")
    assert found.route == Route(exists=True, host="admitted")
    assert observe(objects(route={"spec": {"host": "wanted"}})).route.host == "wanted"
    assert observe(objects(route={"status": {"ingress": [1]}})).route == Route(exists=True)


def test_families_ipsec_and_override() -> None:
    dual = workload_object(node())
    dual["metadata"]["annotations"]["networkoperator.openshift.io/ip-family-mode"] = "single-stack"
    found = observe(objects(node=dual, ip_family_mode="dual-stack", ipsec_enabled=True, ipsec_legacy={}))
    assert found.ip_families == IPFamilies("dual-stack", "single-stack", "")
    assert found.ipsec == IPsec(enabled=True, legacy=True)
    recorded = config_map(SINGLE)
    assert recorded is not None
    recorded["metadata"]["annotations"] = {
        "ovnguard.io/overridden-by": "kube:admin",
        "ovnguard.io/overridden-at": "2026-05-01T12:00:00Z",
    }
    assert observe(objects(config_map=recorded)).override == Override("kube:admin", "2026-05-01T12:00:00Z")
    assert found.override is None


def changed(obj: dict[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    copied = copy.deepcopy(obj)
    at: Any = copied
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return copied


COMMAND = ("spec", "template", "spec", "containers", 0, "command")
NODE_OBJECT, MASTER_OBJECT = workload_object(node()), workload_object(master())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"release": "4.14"}, "release: '4.14' is not a version"),
        ({"release": None}, "release: NoneType is not a version"),
        ({"node": "text"}, f"{NODE}: is another object: NoneType NoneType NoneType"),
        (
            {"node": MASTER_OBJECT},
            f"{NODE}: is another object: 'DaemonSet' 'openshift-ovn-kubernetes' 'ovnkube-master'",
        ),
        (
            {"master": changed(MASTER_OBJECT, "kind", to="Deployment")},
            f"{MASTER}: is another object: 'Deployment' 'openshift-ovn-kubernetes' 'ovnkube-master'",
        ),
        (
            {"node": changed(NODE_OBJECT, "spec", "template", to={})},
            f"{NODE}: has no container ovnkube-node or ovnkube-controller",
        ),
        ({"node": changed(NODE_OBJECT, *COMMAND, to="ovnkube")}, f"{NODE}: {'.'.join(COMMAND[:3])}.containers[0]"
         ".command is not a list of strings"),
        ({"node": changed(NODE_OBJECT, *COMMAND, to=["ovnkube", 1])}, f"{NODE}: {'.'.join(COMMAND[:3])}.containers[0]"
         ".command is not a list of strings"),
        (
            {"master": changed(MASTER_OBJECT, "metadata", "annotations", "release.openshift.io/version", to="new")},
            f"{MASTER}: annotation release.openshift.io/version is 'new', which is not a version",
        ),
        ({"config_map": config_map({"zone-mode": True})}, f"{CONFIG_MAP}: data[zone-mode] is not a string"),
        ({"config_map": {"data": ["zone-mode"]}}, f"{CONFIG_MAP}: data is not a mapping"),
        ({"config_map": {}}, f"{CONFIG_MAP}: zone-mode must be singlezone or multizone"),
        ({"unreadable": (Problem("Route a/b", "forbidden"),)}, "Route a/b: forbidden"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_stops_the_upgrade(changes: dict[str, Any], problem: str) -> None:
    read = objects(**changes) if "release" not in changes else Objects(changes["release"])
    decision = decide(observe(read))
    assert decision.status.phase is Phase.NOT_UNDERSTOOD
    assert problem in decision.status.waiting_for
    assert decision.steps == ()


def test_a_workload_without_version_is_updated_with_the_others() -> None:
    unknown = changed(NODE_OBJECT, "metadata", "annotations", to={})
    found = observe(objects(node=unknown))
    assert found.node is not None
    assert found.node.version is None
    assert decide(found).warnings == (
        "versions None, 4.13.40 do not fit release 4.14.14: everything is updated together",
    )


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(["", "4.14.14", "nbdb", "multizone", "ovnkube-node"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["metadata", "data", "spec", "status", "template", "containers", "name"]), inner
        )
    ),
    max_leaves=12,
)


@given(JSON, JSON, JSON, JSON)
def test_anything_may_be_an_object(first: Any, second: Any, third: Any, fourth: Any) -> None:
    decision = decide(observe(Objects(LATE, node=first, master=second, config_map=third, route=fourth)))
    assert (decision.steps == ()) is (decision.status.phase is Phase.NOT_UNDERSTOOD)
