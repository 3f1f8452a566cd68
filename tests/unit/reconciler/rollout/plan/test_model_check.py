"""Every interleaving of a bounded upgrade keeps the ten invariants and ends; without a guard, one does not."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from ovnguard.reconciler.rollout.plan.decision import decide
from ovnguard.reconciler.rollout.plan.guards import Guards
from ovnguard.reconciler.rollout.plan.model import (
    Action,
    ConfigMapAction,
    ConfigMapVerb,
    Decision,
    Observed,
    Phase,
    Step,
)
from ovnguard.reconciler.rollout.plan.table import TABLE
from tests.support.paths import ROOT
from tests.support.rollout_model.admission import everything
from tests.support.rollout_model.cluster import Setting, after_upgrade, before_install, before_upgrade
from tests.support.rollout_model.invariants import TITLES
from tests.support.rollout_model.settings import (
    CASES,
    EDITS,
    HOSTED,
    PLAIN,
    SOAK_CASES,
    Case,
    is_downgraded,
    is_multizone,
)
from tests.support.rollout_model.trace import shown
from tests.support.soak import limit, soak_only

PAGE = (ROOT / "docs" / "ic-upgrade.md").read_text(encoding="utf-8")
UPGRADE = {"S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9"}


@limit(120)
@pytest.mark.parametrize("name", CASES)
def test_every_run_keeps_the_invariants_and_ends(name: str) -> None:
    result = CASES[name].explore()
    assert not result.problem, shown(result.problem, result.trace)
    assert "not-understood" not in {phase for _, phase, _ in result.decided}
    if name.startswith("4.14"):
        assert {phase for override, phase, _ in result.decided if not override} == UPGRADE
    if "edits" in name:
        _assert_skips(result.decided, name)
    assert f"| {name} | {result.states:,} | {result.transitions:,} |" in PAGE


def _assert_skips(decided: set[tuple[str, str, str]], name: str) -> None:
    """The early override skips phase 1 only, and renders the temporary folder; fast forward skips both phases."""
    if name.startswith("4.14.13"):
        skipped = {(phase, folder) for override, phase, folder in decided if override == "skip"}
        temporary = {(phase, "multi-zone-interconnect-tmp") for phase in ("S4", "S5", "S6", "S7")}
        assert skipped == temporary | {("S8", "multi-zone-interconnect"), ("S9", "multi-zone-interconnect")}
    else:
        forward = {(phase, folder) for override, phase, folder in decided if override == "fast"}
        # S7: a node is lost between the deletion of the ConfigMap and the removal of the masters
        interrupted = {("S7", "multi-zone-interconnect-tmp")}
        assert forward == {(phase, "multi-zone-interconnect") for phase in ("FF", "S8", "S9")} | interrupted


def test_runs_without_faults_go_through_the_phases_as_the_table_says() -> None:
    drawn = {(str(row.phase), str(phase)) for row in TABLE for phase, _ in row.leads_to}
    quiet = Setting(lost=0, flaps=False)
    starts = (before_upgrade, before_install)
    upgrades = [Case(quiet, start, is_multizone).explore().forward for start in starts]
    forward = Case(quiet._replace(edits=EDITS), before_upgrade, is_multizone).explore().forward
    down = Case(quiet._replace(release="4.13.40"), after_upgrade, is_downgraded).explore().forward
    # the release changes outside of the model, and an edit is no step of the upgrade
    outside = {pair for pair in drawn if pair[1] in ("FF", "downgrade")} | {("S9", "S1")}
    assert set().union(*upgrades, down, {("FF", "S8")} & forward) == drawn - outside


@soak_only
@limit(3600)
@pytest.mark.parametrize("name", SOAK_CASES)
def test_every_run_of_a_larger_model(name: str) -> None:
    result = SOAK_CASES[name].explore()
    assert not result.problem, shown(result.problem, result.trace)


def yes(_: Observed) -> bool:
    return True


def no(_: Observed) -> bool:
    return False


def without(guards: Guards) -> Callable[[Observed], Decision]:
    return lambda seen: decide(seen, guards)


def old_counters(seen: Observed) -> Decision:
    """Counters of an earlier generation pass for those of the current one."""
    node = seen.node and replace(seen.node, observed_generation=seen.node.generation)
    return decide(replace(seen, node=node))


def final_folder_too_early(seen: Observed) -> Decision:
    """While single-zone nodes are rolling out under zone-mode multizone, the final folder is selected."""
    found = decide(seen)
    node = seen.node
    if found.status.phase is not Phase.SECOND_STARTS or found.config_map.verb is not ConfigMapVerb.KEEP:
        return found
    if node is None or not node.progressing:
        return found
    removal = Step(Action.REMOVE, "self-hosted/single-zone-interconnect/ovnkube-master.yaml")
    return replace(found, steps=(*found.steps, removal))


def without_the_route(seen: Observed) -> Decision:
    """The temporary folder has no route."""
    found = decide(seen)
    if found.folder != "multi-zone-interconnect-tmp":
        return found
    removal = Step(Action.REMOVE, "managed/single-zone-interconnect/008-route.yaml")
    kept = tuple(step for step in found.steps if step.file != "008-route.yaml")
    return replace(found, steps=(*kept, removal))


def removed_only_with_the_write(seen: Observed) -> Decision:
    """The Service of the databases is removed in the pass that writes the multizone nodes, and in no later one."""
    found = decide(seen)
    if found.status.phase is Phase.SECOND_STARTS:
        return found
    gone = (Action.REMOVE, "005-service.yaml")
    return replace(found, steps=tuple(step for step in found.steps if (step.action, step.file) != gone))


def installs_with_phases(seen: Observed) -> Decision:
    """A fresh installation goes through phase 1."""
    found = decide(seen)
    if found.status.phase is not Phase.INSTALL:
        return found
    return replace(found, config_map=ConfigMapAction(ConfigMapVerb.CREATE, {"zone-mode": "singlezone"}))


def ignores_the_configuration(seen: Observed) -> Decision:
    """The ConfigMap is created again and again."""
    found = decide(seen)
    if found.status.phase is not Phase.FIRST_MASTERS:
        return found
    return replace(found, steps=(), config_map=ConfigMapAction(ConfigMapVerb.CREATE, {"zone-mode": "singlezone"}))


QUIET = Setting(flaps=False)
CALM = Case(Setting(lost=0, flaps=False), before_upgrade, is_multizone)
UP = Case(QUIET, before_upgrade, is_multizone)
UNGUARDED = Case(QUIET, before_upgrade, is_multizone, everything)
BY_HAND = Case(Setting(flaps=False, edits=PLAIN), before_upgrade, is_multizone, everything)
EDITED = Case(Setting(lost=0, flaps=False, edits=EDITS), before_upgrade, is_multizone)
FLAPPING = Case(Setting(lost=0), before_upgrade, is_multizone)
MANAGED = Case(Setting(flaps=False, flavour=HOSTED), before_upgrade, is_multizone)
INSTALL = Case(QUIET, before_install, is_multizone)
DOWN = Case(Setting("4.13.40", flaps=False), after_upgrade, is_downgraded)
NODES_GO_MULTIZONE, NODES_GO_BACK = "the controller writes nodes multi", "the controller writes nodes old"
MASTERS_GO, MASTERS_ROLL = "the controller writes masters removed", "the controller writes masters single"
CREATED = "the controller writes ConfigMap create zone-mode='singlezone'"
ENDLESS = "a run without faults never ends"
# the guard that is missing: the model, the broken decision, the invariant that breaks, and the step in which it does
MISSING: dict[str, tuple[Case, Callable[[Observed], Decision], str, str]] = {
    "first_phase_done": (UNGUARDED, without(Guards(first_phase_done=yes)), "I2", NODES_GO_MULTIZONE),
    "interconnect_everywhere": (BY_HAND, without(Guards(interconnect_everywhere=yes)), "I2", NODES_GO_MULTIZONE),
    "nodes_rolled_out": (UP, without(Guards(nodes_rolled_out=yes)), "I6", MASTERS_ROLL),
    "nodes_multizone": (UP, without(Guards(nodes_multizone=yes)), "I7", "the controller writes control plane created"),
    "masters_needed": (
        UNGUARDED, without(Guards(masters_needed=no)), "I7", "the controller writes control plane created",
    ),
    "control_plane_up": (EDITED, without(Guards(control_plane_up=yes)), "I4", MASTERS_GO),
    "central_rolled_out": (DOWN, without(Guards(central_rolled_out=yes)), "I6", NODES_GO_BACK),
    "configuration_gone": (EDITED, without(Guards(configuration_gone=yes)), "I8", MASTERS_GO),
    "counters of the newest generation": (UP, old_counters, "I6", MASTERS_ROLL),
    "the temporary folder until the end": (FLAPPING, final_folder_too_early, "I3", MASTERS_GO),
    "the route in the temporary folder": (MANAGED, without_the_route, "I5", "the controller writes route removed"),
    "the removals of an interrupted pass": (
        CALM, removed_only_with_the_write, "the upgrade stops before its end", MASTERS_GO,
    ),
    "no phases of a fresh installation": (INSTALL, installs_with_phases, "I10", CREATED),
    "the ConfigMap is created once": (UP, ignores_the_configuration, ENDLESS, "and again"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISSING)
def test_without_a_guard_there_is_a_counter_example(name: str) -> None:
    case, decision, problem, last = MISSING[name]
    result = case.explore(decision)
    text = f"{problem}: {TITLES[problem]}" if problem in TITLES else problem
    assert (result.problem, result.trace[-1][0]) == (text, last)
    assert not case.explore().problem


def test_a_kill_between_the_nodes_and_the_removals_leads_to_the_same_end() -> None:
    """The goal has nothing left of the masters, and a controller that restarts right after the nodes reaches it."""
    names = [name for name, _ in CALM.explore(removed_only_with_the_write).trace]
    assert (NODES_GO_MULTIZONE, "the controller restarts") in pairwise(names)
    assert not CALM.explore().problem


def test_each_guard_is_removed_once() -> None:
    assert set(Guards.__slots__) <= set(MISSING)


def test_a_counter_example_is_readable() -> None:
    result = INSTALL.explore(installs_with_phases)
    assert (
        shown(result.problem, result.trace)
        == """\
I10: a fresh installation has neither the ConfigMap nor a single zone
  0 start
      template of the nodes: none; nodes: none, none, none; masters: none; control plane: none; ConfigMap: none
  1 the controller decides (S0)
      to write: ConfigMap create zone-mode='singlezone', plane monitor created, control plane created, nodes multi
  2 the controller writes ConfigMap create zone-mode='singlezone'
      ConfigMap: zone-mode=singlezone; to write: plane monitor created, control plane created, nodes multi"""
    )
