"""The decision of one pass over an interconnect upgrade: a function of what is observed, without memory.

A controller that restarts at any point observes again and goes on. Source: OpenShift enhancement "upgrades from 4.13 to
4.14 with OVN interconnect".
"""

from collections.abc import Iterator, Mapping

from ovnguard.reconciler.rollout.plan.guards import Guards
from ovnguard.reconciler.rollout.plan.model import (
    Action,
    ConfigMapAction,
    ConfigMapVerb,
    Decision,
    Observed,
    Phase,
    Problem,
    Status,
    Step,
)
from ovnguard.reconciler.rollout.plan.progress import conditions, level_reached, pending
from ovnguard.reconciler.rollout.plan.rolls import rolls
from ovnguard.reconciler.rollout.plan.situation import Situation
from ovnguard.reconciler.rollout.plan.steps import steps
from ovnguard.reconciler.rollout.plan.table import Row, row_of
from ovnguard.validators.network.ovnkube_settings.interconnect import ONGOING, TEMPORARY, ZONE_MODE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import MULTI_ZONE, SINGLE_ZONE


def decide(seen: Observed, guards: Guards | None = None) -> Decision:
    """Return what to do now.

    ``guards`` replaces conditions that hold back steps; only the check of the model passes any.
    """
    if seen.release is None:
        return _nothing(seen, seen.not_understood or (Problem("release", "is not known"),))
    situation = Situation(seen, seen.release, guards or Guards())
    problems = (*seen.not_understood, *situation.contradictions())
    if problems:
        return _nothing(seen, problems)
    row = row_of(situation)
    roll = rolls(situation, row)
    found = tuple(pending(situation, row, roll))
    waiting = tuple(each.text for each in found)
    reached = level_reached(situation)
    writes = tuple(steps(situation, row, roll))
    last = (Step(Action.WAIT, found[0].subject, found[0].text),) if found else ()
    return Decision(
        _config_map(situation, row),
        row.folder,
        (*writes, *last),
        Status(row.phase, waiting, reached, tuple(conditions(seen, waiting, ()))),
        tuple(_warnings(situation, inconsistent=roll.inconsistent)),
    )


def _nothing(seen: Observed, problems: tuple[Problem, ...]) -> Decision:
    texts = tuple(map(str, problems))
    status = Status(Phase.NOT_UNDERSTOOD, texts, False, tuple(conditions(seen, texts, problems)))
    return Decision(ConfigMapAction(), None, (), status)


def _config_map(situation: Situation, row: Row) -> ConfigMapAction:
    data: Mapping[str, str] = {}
    if row.verb is ConfigMapVerb.CREATE:
        data = {ZONE_MODE: SINGLE_ZONE, **({TEMPORARY: "true", ONGOING: ""} if situation.early else {})}
    elif row.verb is ConfigMapVerb.PATCH:
        stored = situation.seen.config_map or {}
        data = {ZONE_MODE: MULTI_ZONE, **({TEMPORARY: "false"} if TEMPORARY in stored else {})}
    return ConfigMapAction(row.verb, data)


def _warnings(situation: Situation, *, inconsistent: bool) -> Iterator[str]:
    yield from situation.remarks()
    if inconsistent:
        node, central = situation.seen.node, situation.seen.master or situation.seen.control_plane
        versions = f"{node and node.version}, {central and central.version}"
        yield f"versions {versions} do not fit release {situation.release.text}: everything is updated together"
