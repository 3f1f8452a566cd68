"""The controller of the model: it decides from what it sees, then writes step by step, and may restart in between.

Only writes that change something are kept. The webhook judges those of the ConfigMap; a refused one ends the pass.
"""

from collections.abc import Callable, Iterator
from functools import cache

from ovnguard.reconciler.rollout.plan.decision import decide
from ovnguard.reconciler.rollout.plan.folders import folder_of
from ovnguard.reconciler.rollout.plan.model import Action, ConfigMapVerb, Decision, Flavour, Folder, Observed, Step
from tests.support.rollout_model.admission import OPERATOR, Admits
from tests.support.rollout_model.cluster import (
    DONE,
    MASTER_MONITOR,
    MULTI,
    OLD,
    PLANE_MONITOR,
    SERVICE,
    SINGLE,
    Master,
    Plane,
    Seen,
    Setting,
    State,
    Write,
    observed,
    seen,
)
from tests.support.rollout_model.environment import Move

Decide = Callable[[Observed], Decision]
_TEMPLATES = {Folder.LEGACY: OLD, Folder.SINGLE: SINGLE, Folder.TEMPORARY: MULTI, Folder.FINAL: MULTI}
_MASTERS = {Folder.LEGACY: OLD}
_WHAT = {
    "ovnkube-node.yaml": "nodes",
    "ovnkube-master.yaml": "masters",
    "ovnkube-control-plane.yaml": "control plane",
    "pre-puller.yaml": "prepuller",
    "008-route.yaml": "route",
    "005-service.yaml": SERVICE,
    "monitor-master.yaml": MASTER_MONITOR,
    "monitor-control-plane.yaml": PLANE_MONITOR,
}


class Pass:
    """What the controller would do in each situation, decided once for each."""

    def __init__(self, setting: Setting, decision: Decide = decide) -> None:
        self._setting = setting
        self._decide = decision
        self._decided = cache(self._decision)
        self.writes = cache(self._writes)

    def decision(self, view: Seen) -> Decision:
        """Return the decision; what accompanies workloads is written, but not read."""
        return self._decided(view._replace(others=()))

    def _decision(self, view: Seen) -> Decision:
        return self._decide(observed(view, self._setting))

    def _writes(self, view: Seen) -> tuple[Write, ...]:
        found = self.decision(view)
        verb = found.config_map.verb
        first: list[Write] = []
        if verb is ConfigMapVerb.DELETE:
            first.append(Write("ConfigMap", str(verb), view.data or ()))
        elif verb is not ConfigMapVerb.KEEP:
            first.append(Write("ConfigMap", str(verb), tuple(found.config_map.data.items())))
        changes = (write for step in found.steps for write in _changes(view, step, self._setting))
        return (*first, *changes)


def _changes(view: Seen, step: Step, setting: Setting) -> Iterator[Write]:
    """The write of a step when it changes something."""
    what = DONE if step.action is Action.ANNOTATE else _WHAT.get(step.file)
    if what is None or (what == "route" and setting.flavour is Flavour.SELF_HOSTED):
        return
    folder = folder_of(step.target)
    wanted = _TEMPLATES[folder] if what == "nodes" else _MASTERS.get(folder, SINGLE) if what == "masters" else "created"
    stored = _stored(view)[what]
    if step.action is Action.REMOVE:
        if stored:
            yield Write(what, "removed")
    elif (step.action in (Action.APPLY, Action.ANNOTATE) and stored != wanted) or (
        step.action is Action.CREATE_ONLY and not stored
    ):
        yield Write(what, wanted)


def _stored(view: Seen) -> dict[str, str]:
    master = view.master
    return {
        "nodes": view.template,
        "masters": "" if master is None else SINGLE if master.interconnect else OLD,
        "control plane": "" if view.plane is None else "created",
        "prepuller": "created" if view.prepuller else "",
        "route": "created" if view.route else "",
        **{each: "created" if each in view.others else "" for each in (SERVICE, MASTER_MONITOR, PLANE_MONITOR, DONE)},
    }


def passes(state: State, controller: Pass, admits: Admits) -> Iterator[Move]:
    """Iterate over what the controller can do next: decide when it is idle, otherwise write, or restart."""
    if state.todo:
        first, *rest = state.todo
        after = written(state, first, admits)
        left = tuple(rest) if after is not None else ()
        yield Move(f"the controller writes {first}", (after or state)._replace(todo=left))
        yield Move("the controller restarts", state._replace(todo=()), fault=True)
        return
    todo = controller.writes(seen(state))
    if todo:
        phase = controller.decision(seen(state)).status.phase
        yield Move(f"the controller decides ({phase})", state._replace(todo=todo))


def written(state: State, write: Write, admits: Admits) -> State | None:
    """Return the state after a write; None when the API server refuses it."""
    match write.what, write.value:
        case "ConfigMap", verb:
            after = _config_map(state, verb, write.data)
            return after if after is not None and admits(seen(state), after.data, OPERATOR) else None
        case "nodes", template:
            before = state.template if state.before is None else state.before
            return state._replace(template=template, before=before)
        case "masters", "removed":
            return state._replace(master=None)
        case "masters", template:
            return state._replace(master=Master(template == SINGLE, observed=False, updated=0))
        case "control plane", "created":
            return state._replace(plane=Plane(0, rolled_out=False))
        case "control plane", "removed":
            return state._replace(plane=None)
        case "prepuller", value:
            return state._replace(prepuller="" if value == "removed" else "pulling")
        case "route", value:
            return state._replace(route="" if value == "removed" else "exists")
        case other, value:
            others = {*state.others, other} if value == "created" else {*state.others} - {other}
            return state._replace(others=tuple(sorted(others)))


def _config_map(state: State, verb: str, data: tuple[tuple[str, str], ...]) -> State | None:
    stored = state.data
    if verb == ConfigMapVerb.DELETE:
        # the deletion names the version that the decision is about
        return state._replace(data=None) if stored in (None, data) else None
    if verb == ConfigMapVerb.CREATE:
        return state._replace(data=tuple(sorted(data))) if stored is None else None
    if stored is None or not {key for key, _ in data} <= {key for key, _ in stored}:
        return None
    return state._replace(data=tuple(sorted({**dict(stored), **dict(data)}.items())))
