"""The pods of a virtual machine: which of them carries its traffic at each stage of a live migration."""

from dataclasses import replace
from typing import Any

import pytest

from ovnguard.reconciler.plan.pods.machines import Launcher, launcher_fields, launcher_of, port_states
from ovnguard.validators.base.json_types import JsonObject

SOURCE = Launcher("red/a", "vm", "node1")
TARGET = Launcher("red/b", "vm", "node2")
READY = replace(TARGET, is_target=True, is_running=True)
THIRD = Launcher("red/c", "vm", "node3")


def done(launcher: Launcher) -> Launcher:
    return replace(launcher, is_done=True)


@pytest.mark.parametrize(
    ("launchers", "enabled"),
    [
        ([SOURCE], {"red/a": None}),
        ([SOURCE, TARGET], {"red/a": None, "red/b": False}),
        ([SOURCE, READY], {"red/a": False, "red/b": True}),
        ([done(SOURCE), READY], {"red/b": True}),
        ([READY], {"red/b": True}),
        ([done(SOURCE), TARGET], {"red/b": None}),
        ([SOURCE, done(TARGET)], {"red/a": True}),
        ([SOURCE, done(READY)], {"red/a": True}),
        ([READY, THIRD], {"red/b": True, "red/c": False}),
        ([done(SOURCE), READY, THIRD], {"red/b": True, "red/c": False}),
        ([SOURCE, READY, THIRD], {"red/a": False, "red/b": True}),
        ([SOURCE, READY, done(THIRD)], {"red/a": False, "red/b": True}),
        ([done(SOURCE), done(READY)], {}),
    ],
    ids=[
        "no-migration",
        "in-progress",
        "target-ready",
        "source-completed",
        "source-gone",
        "source-completed-before-the-target-is-ready",
        "target-failed",
        "target-failed-after-it-was-ready",
        "next-migration",
        "next-migration-beside-the-completed-source",
        "a-third-pod-waits",
        "a-third-pod-failed",
        "all-completed",
    ],
)
def test_one_port_of_a_machine_is_open(launchers: list[Launcher], enabled: dict[str, bool | None]) -> None:
    assert {title: state.enabled for title, state in port_states(launchers).items()} == enabled


@pytest.mark.parametrize(
    ("launchers", "runs_at"),
    [
        ([SOURCE], None),
        ([replace(SOURCE, is_running=True)], None),
        ([replace(SOURCE, is_running=True, keeps_address=True)], "red/a"),
        ([replace(SOURCE, is_running=True, keeps_address=True), replace(TARGET, keeps_address=True)], "red/a"),
        ([replace(SOURCE, is_running=True, keeps_address=True), replace(READY, keeps_address=True)], "red/b"),
        ([replace(SOURCE, keeps_address=True), replace(READY, keeps_address=True)], "red/b"),
    ],
)
def test_traffic_of_a_kept_address_goes_where_the_machine_runs(launchers: list[Launcher], runs_at: str | None) -> None:
    found = {state.runs_at.title if state.runs_at else None for state in port_states(launchers).values()}
    assert found == {runs_at}


LABELS = {"kubevirt.io": "virt-launcher", "kubevirt.io/nodeName": "node1"}
ANNOTATIONS = {"kubevirt.io/domain": "vm"}


def found(annotations: JsonObject | None = None, *, labels: Any = LABELS, node: str = "node1") -> Launcher | None:
    metadata = {"labels": labels, "annotations": ANNOTATIONS | (annotations or {})}
    return launcher_of({"metadata": metadata}, "red/a", node, done=False)


def test_a_launcher_is_what_kubevirt_says_about_its_pod() -> None:
    assert found() == Launcher("red/a", "vm", "node1", is_running=True)
    assert found(node="node2") == Launcher("red/a", "vm", "node2")
    ready = {"kubevirt.io/migration-target-ready-timestamp": "2026-01-01T00:00:00Z"}
    assert found(ready, node="node2") == Launcher("red/a", "vm", "node2", is_target=True, is_running=True)
    bridged = {"kubevirt.io/allow-pod-bridge-network-live-migration": ""}
    assert found(bridged, node="node2") == Launcher("red/a", "vm", "node2", keeps_address=True)


@pytest.mark.parametrize("domain", [None, 7, "", "VM", 'a"b', "a" * 254])
def test_a_pod_with_a_machine_of_no_valid_name_is_an_ordinary_one(domain: object) -> None:
    assert found({"kubevirt.io/domain": domain}) is None


@pytest.mark.parametrize("labels", [None, [], {}, {"kubevirt.io": "virt-handler"}])
def test_other_pods_have_no_machine(labels: Any) -> None:
    assert found(labels=labels) is None
    assert launcher_fields({"labels": labels, "annotations": ANNOTATIONS}) == ()
