"""The decision table, row by row, and the scenarios of the design."""

from typing import Any

import pytest

import tests.support.rollout.rollout_states as at
from ovnguard.reconciler.rollout.plan.decision import decide
from ovnguard.reconciler.rollout.plan.model import (
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
from tests.support.rollout.rollout_rows import APPLY_ALL, HUNG, REMOVED, ROLLING, ROUTE, ROWS


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str) -> None:
    row = ROWS[name]
    found = decide(row.seen)
    assert (found.status.phase, found.folder) == (row.phase, row.folder)
    assert (found.config_map.verb, found.config_map.data) == row.config_map
    assert at.workload_steps(found) == row.steps


HOSTED: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "phase 1": (
        {
            "node": at.node(),
            "master": at.master(kind="StatefulSet"),
            "prepuller": at.prepuller(),
            "config_map": at.SINGLE,
        },
        "S1",
        [
            "apply 008-route",
            "create-only ovnkube-master",
            "apply ovnkube-node",
            "remove pre-puller",
            "wait ovnkube-node",
        ],
    ),
    "phase 2": (
        {"node": at.multi(**ROLLING), "master": at.master_ic(kind="StatefulSet"), "config_map": at.MULTI},
        "S5",
        [
            "apply 008-route",
            "create-wait ovnkube-control-plane",
            "create-only ovnkube-master",
            "apply ovnkube-node",
            "wait ovnkube-node",
        ],
    ),
    "end": (
        {
            "node": at.multi(),
            "master": at.master_ic(kind="StatefulSet"),
            "control_plane": at.plane(),
            "config_map": at.MULTI,
        },
        "S8",
        [*APPLY_ALL, "annotate ovnkube-node", "remove 008-route", "remove ovnkube-master", "wait ovnkube-master"],
    ),
}


@pytest.mark.parametrize("name", HOSTED)
def test_a_hosted_cluster_keeps_the_route_as_long_as_its_masters(name: str) -> None:
    fields, phase, expected = HOSTED[name]
    found = decide(at.state(flavour=Flavour.MANAGED, route=ROUTE, **fields))
    assert (found.status.phase, at.workload_steps(found)) == (phase, expected)


def test_hosted_nodes_wait_for_the_host_of_the_route() -> None:
    seen = at.state(
        flavour=Flavour.MANAGED,
        node=at.node(),
        master=at.master(kind="StatefulSet"),
        prepuller=at.prepuller(),
        config_map=at.SINGLE,
        central_namespace="clusters-a",
        route=Route(exists=True),
    )
    found = decide(seen)
    assert at.workload_steps(found) == [
        "apply 008-route",
        "create-only ovnkube-master",
        "create-wait ovnkube-node",
        "wait ovnkube-sbdb",
    ]
    assert found.status.waiting_for[0] == "Route clusters-a/ovnkube-sbdb has no host yet"
    by_node_port = decide(at.state(flavour=Flavour.MANAGED, node=at.single(), master=at.master(), config_map=at.SINGLE,
                                route=Route(rendered=False)))  # fmt: skip
    assert "apply ovnkube-node" in at.workload_steps(by_node_port)


def test_everything_of_the_masters_goes_with_them() -> None:
    found = decide(at.state(node=at.multi(), master=at.master_ic(), control_plane=at.plane(), config_map=at.MULTI))
    assert {step.file.removesuffix(".yaml") for step in found.steps if step.action == "remove"} == {*REMOVED, "common"}
    assert [step.annotations for step in found.steps if step.action == "annotate"] == [
        (("interconnect-upgrade", "done"),)
    ]


def test_the_masters_go_last_so_that_an_interrupted_pass_is_repeated() -> None:
    steps = decide(ROWS["phase 2 is complete"].seen).steps
    assert [step.file for step in steps if step.action in ("apply", "remove")][-1] == "ovnkube-master.yaml"


def test_what_masters_leave_goes_at_the_end_also_when_somebody_else_deleted_them() -> None:
    steps = decide(ROWS["phase 2 is complete, masters were deleted by hand"].seen).steps
    assert [step.file for step in steps if step.action == "remove"] == [
        "common",
        "monitor-master.yaml",
        "005-service.yaml",
    ]


def test_masters_that_are_gone_do_not_return_for_a_node_that_restarts() -> None:
    """Somebody asks for multizone again after the upgrade, while a node is not ready."""
    found = decide(at.state(node=at.multi(unavailable=1), control_plane=at.plane(), config_map=at.MULTI))
    assert (found.status.phase, found.folder) == (Phase.SECOND_SETTLES, "multi-zone-interconnect-tmp")
    assert not {step.file for step in found.steps} & {"ovnkube-master.yaml", "monitor-master.yaml"}


def test_the_mark_of_an_earlier_rollout_does_not_excuse_the_next() -> None:
    unobserved = decide(at.state(node=at.multi(hung=True, generation=2), master=at.master_ic(), config_map=at.MULTI))
    assert unobserved.status.phase is Phase.SECOND_NODES


BROKEN: dict[str, tuple[Observed, str]] = {
    "no release": (Observed(None), "release: is not known"),
    "what the observation did not understand": (
        at.state(not_understood=(Problem("DaemonSet a/b", "is another object"),)),
        "DaemonSet a/b: is another object",
    ),
    "an unknown zone mode": (
        at.state(node=at.node(), master=at.master(), config_map={"zone-mode": "foo"}),
        "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: zone-mode must be singlezone or multizone",
    ),
    "a single zone for ever": (
        at.state(at.EARLY, node=at.node(), master=at.master(), config_map=at.SINGLE),
        "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: up to 4.14.13, zone-mode singlezone "
        'requires temporary "true"',
    ),
    "no nodes in the upgrade": (
        at.state(master=at.master(), config_map=at.SINGLE),
        "DaemonSet openshift-ovn-kubernetes/ovnkube-node: is missing while the upgrade is in progress",
    ),
    "no masters in the upgrade": (
        at.state(node=at.node(), config_map=at.SINGLE),
        "ovnkube-master: is missing while DaemonSet ovnkube-node is in a single zone and needs its databases",
    ),
    "no masters before the upgrade": (
        at.state(node=at.node()),
        "ovnkube-master: is missing while DaemonSet ovnkube-node is in a single zone and needs its databases",
    ),
    "a way back": (
        at.state(node=at.multi(), control_plane=at.plane(), config_map=at.SINGLE),
        "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: asks for a single zone, but DaemonSet "
        "ovnkube-node is multizone",
    ),
    "a control plane of another architecture": (
        at.state(node=at.node(), master=at.master(), control_plane=at.plane()),
        "Deployment ovnkube-control-plane: exists while DaemonSet ovnkube-node is in a single zone",
    ),
    "multizone without interconnect": (
        at.state(node=at.node(zone_mode="multizone"), master=at.master()),
        "DaemonSet ovnkube-node: has a zone on each node, but does not run with --enable-interconnect",
    ),
    "4.14 left out": (
        at.state("4.15.0", node=at.node(), master=at.master()),
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
    ("seen", "expected"),
    [
        (at.state(node=at.multi(), control_plane=at.plane()), True),
        (at.state(node=at.multi(), control_plane=at.plane(), config_map=at.MULTI), False),
        (at.state(node=at.multi(), control_plane=at.plane(), master=at.master_ic()), False),
        (at.state(node=at.multi(unavailable=1), control_plane=at.plane()), False),
        (at.state(node=at.multi(**HUNG), control_plane=at.plane()), False),
        (at.state(node=at.multi(), control_plane=at.plane(at.EARLY)), False),
        (at.state(node=at.multi()), False),
        (at.state(at.OLD, node=at.node(), master=at.master()), True),
        (at.state(at.OLD, node=at.node(), master=at.master(), control_plane=at.plane()), False),
    ],
)
def test_the_level_is_reached_at_the_very_end(seen: Observed, expected: bool) -> None:
    assert decide(seen).status.level_reached is expected


def test_a_change_of_ip_families_waits_for_the_operator() -> None:
    families = IPFamilies("dual-stack", "single-stack", "single-stack")
    found = decide(at.state(node=at.multi(), control_plane=at.plane(), ip_families=families))
    assert found.warnings == ("the change to dual-stack waits for the cluster network operator, which records it",)
    assert at.workload_steps(found) == APPLY_ALL


def test_ipsec_of_4_13_survives_until_the_final_folder() -> None:
    ipsec = IPsec(enabled=True, legacy=True)
    during = decide(at.state(node=at.multi(**ROLLING), master=at.master_ic(), config_map=at.MULTI, ipsec=ipsec))
    assert [str(step.action) for step in during.steps if "ipsec" in step.file] == ["create-wait"] * 3
    end = decide(
        at.state(node=at.multi(), master=at.master_ic(), control_plane=at.plane(), config_map=at.MULTI, ipsec=ipsec)
    )
    assert [step for step in at.workload_steps(end) if "ipsec" in step] == [
        "apply ipsec-host",
        "apply ipsec-containerized",
        "remove ipsec",
    ]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (
            at.state(node=at.single(updated=3), master=at.master(), config_map=at.MULTI),
            "zone-mode multizone comes too early: the first phase continues until every node runs interconnect",
        ),
        (
            at.state(node=at.node(), master=at.master(), config_map=at.FAST),
            "fast-forward-to-multizone skips both phases: pods on different nodes can lose each other until the end",
        ),
        (
            at.state(at.EARLY, node=at.node(), master=at.master(), config_map=at.EARLY_MULTI),
            "the first phase is skipped: nodes without interconnect cannot reach multizone nodes",
        ),
        (
            at.state(node=at.multi(), master=at.master_ic(), config_map={**at.MULTI, "temporary": "false"}),
            "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: release 4.14.14 does not read "
            "temporary",
        ),
        (
            at.state(at.OLD, node=at.node(), master=at.master(), config_map=at.SINGLE),
            "ConfigMap openshift-ovn-kubernetes/ovn-interconnect-configuration: release 4.13.40 does not read it; an "
            "interrupted upgrade left it",
        ),
        (
            at.state("4.14.20", node=at.multi("4.14.14"), control_plane=at.plane("4.14.20")),
            "versions 4.14.14, 4.14.20 do not fit release 4.14.20: everything is updated together",
        ),
    ],
)
def test_warning(seen: Observed, expected: str) -> None:
    assert decide(seen).warnings == (expected,)


def test_progress_is_reported_in_the_words_of_the_operator() -> None:
    found = decide(at.state(node=at.single(updated=4, hung=True), master=at.master(), config_map=at.SINGLE))
    text = 'DaemonSet "openshift-ovn-kubernetes/ovnkube-node" update is rolling out (4 out of 6 updated)'
    behind = "DaemonSet openshift-ovn-kubernetes/ovnkube-master is not at version 4.14.14 yet"
    hung = 'DaemonSet "openshift-ovn-kubernetes/ovnkube-node" rollout is not making progress'
    assert found.status.waiting_for == (text, behind)
    assert found.status.conditions == (
        Condition("Progressing", True, "Deploying", f"{text}\n{behind}"),
        Condition("Degraded", True, "RolloutHung", hung),
    )
    unavailable = decide(
        at.state(node=at.multi(unavailable=2), control_plane=at.plane(generation=3))
    ).status.waiting_for
    assert unavailable == (
        'DaemonSet "openshift-ovn-kubernetes/ovnkube-node" is not available (awaiting 2 nodes)',
        'Deployment "openshift-ovn-kubernetes/ovnkube-control-plane" update is being processed (generation 3, observed '
        "generation 1)",
    )
    empty = at.multi(desired=0)
    assert decide(at.state(node=empty, control_plane=at.plane())).status.waiting_for == (
        'DaemonSet "openshift-ovn-kubernetes/ovnkube-node" is not yet scheduled on any nodes',
    )
