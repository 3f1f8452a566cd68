"""The ordered steps of one pass.

Manifests come in the operator's order, then what is no longer rendered. The masters go last: as long as they exist, a
pass after an interrupted one removes the rest.
"""

from collections.abc import Iterator
from typing import Final

from ovnguard.reconciler.rollout.plan.folders import (
    COMMON,
    CONTROL_PLANE_FILE,
    CONTROL_PLANE_MONITOR_FILE,
    FILES,
    IPSEC_LEGACY_PATH,
    IPSEC_PATHS,
    MASTER_FILE,
    MASTER_MONITOR_FILE,
    NODE_FILE,
    OLD_COMMON,
    PREPULLER_PATH,
    ROUTE_FILE,
    SERVICE_FILE,
    folders_of,
    path,
)
from ovnguard.reconciler.rollout.plan.model import DONE, DONE_ANNOTATION, Action, Flavour, Folder, Phase, Step
from ovnguard.reconciler.rollout.plan.progress import level_reached
from ovnguard.reconciler.rollout.plan.rolls import Rolls
from ovnguard.reconciler.rollout.plan.situation import Situation
from ovnguard.reconciler.rollout.plan.table import Row
from ovnguard.validators.network.ovnkube_settings.interconnect import NAMESPACE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import NODE

_OF_MASTERS: Final = (MASTER_MONITOR_FILE, SERVICE_FILE, ROUTE_FILE)
"""What exists for the masters, in the order in which it goes, before them."""
NODE_OBJECT: Final = f"DaemonSet {NAMESPACE}/{NODE}"


def steps(situation: Situation, row: Row, roll: Rolls) -> Iterator[Step]:
    """Iterate over the writes of one pass."""
    actions = {NODE_FILE: roll.node, MASTER_FILE: roll.master, CONTROL_PLANE_FILE: roll.control_plane}
    if roll.master is None:
        actions |= dict.fromkeys(_OF_MASTERS)
    folders = folders_of(situation.seen.flavour, row.folder)
    yield from (Step(Action.APPLY, each) for each in folders if each.endswith(COMMON))
    if roll.prepull:
        yield Step(Action.APPLY, PREPULLER_PATH, "every node pulls the image of the release first")
    for file in FILES[situation.seen.flavour][row.folder]:
        action = actions.get(file, Action.APPLY)
        if action is None:
            continue
        yield Step(action, path(situation.seen.flavour, row.folder, file), _reason(file, action, roll))
    yield from _ipsec(situation, row)
    if situation.seen.prepuller is not None and roll.nodes_update:
        yield Step(Action.REMOVE, PREPULLER_PATH, "no node needs the image any longer")
    yield from _removals(situation, row)
    if row.phase is Phase.STEADY and level_reached(situation):
        yield from (Step(Action.RELEASE, each) for each in folders)


def _reason(file: str, action: Action, roll: Rolls) -> str:
    match file, action:
        case "ovnkube-node.yaml", Action.CREATE_WAIT:
            return f"{ROUTE_FILE} has no host yet"
        case "ovnkube-node.yaml", Action.CREATE_ONLY:
            return "the image comes first" if roll.prepull else "the central workload comes first"
        case "ovnkube-master.yaml" | "ovnkube-control-plane.yaml", Action.CREATE_ONLY | Action.CREATE_WAIT:
            return "nodes come first"
    return ""


def _ipsec(situation: Situation, row: Row) -> Iterator[Step]:
    """The IPsec DaemonSet of 4.13 stays until the final folder, and its successors wait until then."""
    ipsec = situation.seen.ipsec
    if not ipsec.enabled and not ipsec.legacy:
        return
    if row.folder is Folder.LEGACY:
        yield Step(Action.APPLY, IPSEC_LEGACY_PATH)
        return
    final = row.folder is Folder.FINAL
    for each in IPSEC_PATHS:
        yield Step(Action.APPLY if final else Action.CREATE_WAIT, each)
    if not final:
        yield Step(Action.CREATE_WAIT, IPSEC_LEGACY_PATH, "it stays until the final folder")
    elif ipsec.legacy:
        yield Step(Action.REMOVE, IPSEC_LEGACY_PATH)


def _removals(situation: Situation, row: Row) -> Iterator[Step]:
    seen, single = situation.seen, Folder.SINGLE
    if row.phase is Phase.SECOND_ENDS:
        yield Step(Action.ANNOTATE, NODE_OBJECT, "a status pass follows", ((DONE_ANNOTATION, DONE),))
        yield Step(Action.REMOVE, OLD_COMMON, "no longer rendered")
    elif row.folder is Folder.TEMPORARY and seen.flavour is Flavour.SELF_HOSTED:
        yield Step(Action.REMOVE, path(seen.flavour, single, SERVICE_FILE), "no longer rendered")
    elif row.phase is Phase.DOWNGRADE and seen.control_plane is not None and _is_downgraded(situation):
        for file in (CONTROL_PLANE_MONITOR_FILE, CONTROL_PLANE_FILE):
            yield Step(Action.REMOVE, path(seen.flavour, Folder.FINAL, file), "no longer rendered")
    # the end of the upgrade also removes what is left of masters that somebody else deleted
    ends = row.phase is Phase.SECOND_ENDS
    if row.folder is not Folder.FINAL or (seen.master is None and not seen.route.exists and not ends):
        return
    if row.phase is Phase.FAST_FORWARD and not situation.guards.control_plane_up(seen):
        return
    absent = {ROUTE_FILE: not seen.route.exists, MASTER_FILE: seen.master is None}
    for file in (each for each in (*_OF_MASTERS, MASTER_FILE) if not absent.get(each)):
        yield Step(Action.REMOVE, path(seen.flavour, single, file), "no longer rendered")


def _is_downgraded(situation: Situation) -> bool:
    """Whether nodes and masters of 4.13 run."""
    return all(
        each is not None and each.version == situation.release.text and not each.progressing
        for each in (situation.seen.node, situation.seen.master)
    )
