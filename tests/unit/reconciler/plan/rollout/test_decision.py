"""The decision table, row by row, and the scenarios of the design."""

from typing import Any

import pytest

from reconciler.plan.rollout.decision import decide
from reconciler.plan.rollout.model import (
    Condition,
    ConfigMapVerb,
    Flavour,
    IPFamilies,
    IPsec,
    Observed,
    Phase,
    Problem,
    Route,
)
from tests.support.rollout_rows import APPLY_ALL, HUNG, REMOVED, ROLLING, ROUTE, ROWS
from tests.support.rollout_states import (
    EARLY,
    EARLY_MULTI,
    FAST,
    LATE,
    MULTI,
    OLD,
    SINGLE,
    master,
    master_ic,
    multi,
    node,
    plane,
    prepuller,
    single,
    state,
    workload_steps,
)


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str) -> None:
    row = ROWS[name]
    found = decide(row.seen)
    assert (found.status.phase, found.folder) == (row.phase, row.folder)
    assert (found.config_map.verb, found.config_map.data) == row.config_map
    assert workload_steps(found) == row.steps


HOSTED: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "phase 1": (
        {"node": node(), "master": master(kind="StatefulSet"), "prepuller": prepuller(), "config_map": SINGLE},
        "S1",
        [
            "apply 008-route",
            "apply ovnkube-node",
            "create-only ovnkube-master",
            "remove ovnkube-upgrades-prepuller",
            "wait ovnkube-node",
        ],
    ),
    "phase 2": (
        {"node": multi(**ROLLING), "master": master_ic(kind="StatefulSet"), "config_map": MULTI},
        "S5",
        [
            "apply 008-route",
            "apply ovnkube-node",
            "create-only ovnkube-master",
            "create-wait ovnkube-control-plane",
            "wait ovnkube-node",
        ],
    ),
    "end": (
        {"node": multi(), "master": master_ic(kind="StatefulSet"), "control_plane": plane(), "config_map": MULTI},
        "S8",
        [*APPLY_ALL, "annotate ovnkube-node", "remove 008-route", "remove ovnkube-master", "wait ovnkube-master"],
    ),
}


@pytest.mark.parametrize("name", HOSTED)
def test_a_hosted_cluster_keeps_the_route_as_long_as_its_masters(name: str) -> None:
    fields, phase, expected = HOSTED[name]
    found = decide(state(flavour=Flavour.MANAGED, route=ROUTE, **fields))
    assert (found.status.phase, workload_steps(found)) == (phase, expected)


def test_hosted_nodes_wait_for_the_host_of_the_route() -> None:
    seen = state(
        flavour=Flavour.MANAGED,
        node=node(),
        master=master(kind="StatefulSet"),
        prepuller=prepuller(),
        config_map=SINGLE,
        central_namespace="clusters-a",
        route=Route(exists=True),
    )
    found = decide(seen)
    assert workload_steps(found) == [
        "apply 008-route",
        "create-wait ovnkube-node",
        "create-only ovnkube-master",
        "wait ovnkube-sbdb",
    ]
    assert found.status.waiting_for[0] == "Route clusters-a/ovnkube-sbdb has no host yet"
    by_node_port = decide(state(flavour=Flavour.MANAGED, node=single(), master=master(), config_map=SINGLE,
                                route=Route(rendered=False)))  # fmt: skip
    assert "apply ovnkube-node" in workload_steps(by_node_port)


def test_everything_of_the_masters_goes_with_them() -> None:
    found = decide(state(node=multi(), master=master_ic(), control_plane=plane(), config_map=MULTI))
    assert {step.file.removesuffix(".yaml") for step in found.steps if step.action == "remove"} == REMOVED
    assert [step.annotations for step in found.steps if step.action == "annotate"] == [
        (("interconnect-upgrade", "done"),)
    ]


def test_the_mark_of_an_earlier_rollout_does_not_excuse_the_next() -> None:
    stale = decide(state(node=single(**HUNG), master=master_ic(), config_map=SINGLE))
    assert stale.steps[3].annotations == (("networkoperator.openshift.io/rollout-hung", None),)
    unobserved = decide(state(node=multi(hung=True, generation=2), master=master_ic(), config_map=MULTI))
    assert unobserved.status.phase is Phase.SECOND_NODES


BROKEN: dict[str, tuple[Observed, str]] = {
    "no release": (Observed(None), "release: is not known"),
    "what the observation did not understand": (
        state(not_understood=(Problem("DaemonSet a/b", "is another object"),)),
        "DaemonSet a/b: is another object",
    ),
    "an unknown zone mode": (
        state(node=node(), master=master(), config_map={"zone-mode": "foo"}),
        "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: zone-mode must be singlezone or multizone",
    ),
    "a single zone for ever": (
        state(EARLY, node=node(), master=master(), config_map=SINGLE),
        "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: up to 4.14.13, zone-mode singlezone "
        'requires temporary "true"',
    ),
    "no nodes in the upgrade": (
        state(master=master(), config_map=SINGLE),
        "DaemonSet openshift-ovn-kubernetes/ovnkube-node: is missing while the upgrade is in progress",
    ),
    "no masters in the upgrade": (
        state(node=node(), config_map=SINGLE),
        "ovnkube-master: is missing while DaemonSet ovnkube-node is in a single zone and needs its databases",
    ),
    "no masters before the upgrade": (
        state(node=node()),
        "ovnkube-master: is missing while DaemonSet ovnkube-node is in a single zone and needs its databases",
    ),
    "a way back": (
        state(node=multi(), control_plane=plane(), config_map=SINGLE),
        "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: asks for a single zone, but DaemonSet "
        "ovnkube-node is multizone",
    ),
    "a control plane of another architecture": (
        state(node=node(), master=master(), control_plane=plane()),
        "Deployment ovnkube-control-plane: exists while DaemonSet ovnkube-node is in a single zone",
    ),
    "multizone without interconnect": (
        state(node=node(zone_mode="multizone"), master=master()),
        "DaemonSet ovnkube-node: has a zone on each node, but does not run with --enable-interconnect",
    ),
    "4.14 left out": (
        state("4.15.0", node=node(), master=master()),
        "DaemonSet ovnkube-node: is in a single zone: upgrade to 4.14 before 4.15.0",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_not_understood_stops_everything(name: str) -> None:
    seen, problem = BROKEN[name]
    found = decide(seen)
    assert (found.steps, found.folder, found.config_map.verb) == ((), None, ConfigMapVerb.KEEP)
    assert (found.status.phase, found.status.waiting_for) == (Phase.NOT_UNDERSTOOD, (problem,))
    assert not found.status.level_reached
    assert found.status.conditions == (
        Condition("Progressing", False, "NotUnderstood"),
        Condition("Degraded", True, "NotUnderstood", problem),
    )


@pytest.mark.parametrize(
    ("release", "addresses", "expected"), [(LATE, 3, 2), (LATE, 1, 1), (LATE, 0, 1), (EARLY, 3, 3), (EARLY, 1, 1)]
)
def test_replicas_of_the_control_plane(release: str, addresses: int, expected: int) -> None:
    assert decide(state(release, master_addresses=addresses)).control_plane_replicas == expected


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (state(node=multi(), control_plane=plane()), True),
        (state(node=multi(), control_plane=plane(), config_map=MULTI), False),
        (state(node=multi(), control_plane=plane(), master=master_ic()), False),
        (state(node=multi(unavailable=1), control_plane=plane()), False),
        (state(node=multi(**HUNG), control_plane=plane()), False),
        (state(node=multi(), control_plane=plane(EARLY)), False),
        (state(node=multi()), False),
        (state(OLD, node=node(), master=master()), True),
        (state(OLD, node=node(), master=master(), control_plane=plane()), False),
    ],
)
def test_the_level_is_reached_at_the_very_end(seen: Observed, expected: bool) -> None:
    assert decide(seen).status.level_reached is expected


def test_a_change_of_ip_families_waits_for_the_end() -> None:
    families = IPFamilies("dual-stack", "single-stack", "single-stack")
    during = decide(state(node=multi(**ROLLING), master=master_ic(), config_map=MULTI, ip_families=families))
    assert during.warnings == ("the change to dual-stack is postponed until the upgrade is complete",)
    first = decide(state(node=multi(), control_plane=plane(), ip_families=families))
    assert workload_steps(first) == ["create-only ovnkube-node", "apply ovnkube-control-plane"]
    central = IPFamilies("dual-stack", "single-stack", "dual-stack")
    rolling = decide(state(node=multi(), control_plane=plane(unavailable=1), ip_families=central))
    assert workload_steps(rolling)[0] == "create-only ovnkube-node"
    last = decide(state(node=multi(), control_plane=plane(), ip_families=central))
    assert workload_steps(last) == APPLY_ALL


def test_ipsec_of_4_13_survives_until_the_final_folder() -> None:
    ipsec = IPsec(enabled=True, legacy=True)
    during = decide(state(node=multi(**ROLLING), master=master_ic(), config_map=MULTI, ipsec=ipsec))
    assert [str(step.action) for step in during.steps if "ipsec" in step.file] == ["create-wait"] * 3
    end = decide(state(node=multi(), master=master_ic(), control_plane=plane(), config_map=MULTI, ipsec=ipsec))
    assert [step for step in workload_steps(end) if "ipsec" in step] == [
        "apply ovn-ipsec-host",
        "apply ovn-ipsec-containerized",
        "remove ovn-ipsec",
    ]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (
            state(node=single(updated=3), master=master(), config_map=MULTI),
            "zone-mode multizone comes too early: the first phase continues until every node runs interconnect",
        ),
        (
            state(node=node(), master=master(), config_map=FAST),
            "fast-forward-to-multizone skips both phases: pods on different nodes can lose each other until the end",
        ),
        (
            state(EARLY, node=node(), master=master(), config_map=EARLY_MULTI),
            "the first phase is skipped: nodes without interconnect cannot reach multizone nodes",
        ),
        (
            state(node=multi(), master=master_ic(), config_map={**MULTI, "temporary": "false"}),
            "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: release 4.14.14 does not read "
            "temporary",
        ),
        (
            state(OLD, node=node(), master=master(), config_map=SINGLE),
            "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: release 4.13.40 does not read it; an "
            "interrupted upgrade left it",
        ),
        (
            state("4.14.20", node=multi("4.14.14"), control_plane=plane("4.14.20")),
            "versions 4.14.14, 4.14.20 do not fit release 4.14.20: everything is updated together",
        ),
    ],
)
def test_warning(seen: Observed, expected: str) -> None:
    assert decide(seen).warnings == (expected,)


def test_progress_is_reported_in_the_words_of_the_operator() -> None:
    found = decide(state(node=single(updated=4, hung=True), master=master(), config_map=SINGLE))
    text = 'DaemonSet "openshift-ovn-kubernetes/ovnkube-node" update is rolling out (4 out of 6 updated)'
    behind = "DaemonSet openshift-ovn-kubernetes/ovnkube-master is not at version 4.14.14 yet"
    hung = 'DaemonSet "openshift-ovn-kubernetes/ovnkube-node" rollout is not making progress'
    assert found.status.waiting_for == (text, behind)
    assert found.status.conditions == (
        Condition("Progressing", True, "Deploying", f"{text}\n{behind}"),
        Condition("Degraded", True, "RolloutHung", hung),
    )
    unavailable = decide(state(node=multi(unavailable=2), control_plane=plane(generation=3))).status.waiting_for
    assert unavailable == (
        'DaemonSet "openshift-ovn-kubernetes/ovnkube-node" is not available (awaiting 2 nodes)',
        'Deployment "openshift-ovn-kubernetes/ovnkube-control-plane" update is being processed (generation 3, observed '
        "generation 1)",
    )
