"""The ten invariants of an upgrade without disruption, as properties of a state or of one transition.

A node that an accepted hung rollout went on without (``excused``) counts as gone until it has the new template.
"""

from collections.abc import Iterator

from ovnguard.reconciler.rollout.plan.model import Decision, Flavour
from tests.support.rollout_model.cluster import MASTERS, MULTI, NONE, OLD, SINGLE, Node, Setting, State

# What an override of the administrator suspends. Fast forward skips both phases, the earlier override the first one.
SUSPENDED = {
    "": frozenset[str](),
    "skip": frozenset({"I1", "I2", "I9"}),
    "fast": frozenset({"I1", "I2", "I3", "I5", "I6", "I7", "I9"}),
}
TITLES = {
    "I1": "no node without interconnect next to a multizone node",
    "I2": "the multizone rollout starts when all nodes and masters run interconnect",
    "I3": "ovnkube-master stays until every node is multizone and the control plane has been up",
    "I4": "a cluster manager exists at all times",
    "I5": "the route exists while a node needs the central southbound database",
    "I6": "nodes roll before masters on an upgrade, after them on a downgrade",
    "I7": "the control plane is not created before every node is multizone",
    "I8": "the version is not reported while the ConfigMap exists",
    "I9": "nodes in one zone and nodes in zones of their own see each other as remote",
    "I10": "a fresh installation has neither the ConfigMap nor a single zone",
}


# the fields of a state that invariants are about: template, nodes, masters, control plane, ConfigMap, and the route
_COMPARED = State._fields.index("route") + 1


def counted(state: State) -> tuple[Node, ...]:
    """The nodes that count."""
    return tuple(each for each in state.nodes if not each.excused)


def broken(before: State, after: State, setting: Setting) -> Iterator[str]:
    """Iterate over the invariants that the transition breaks, without those that an override suspends."""
    if before[:_COMPARED] == after[:_COMPARED]:
        return
    suspended = SUSPENDED[after.override]
    of_release = _upgrade(before, after, setting) if setting.upgrades else _downgrade(before, after)
    yield from (each for each in (*of_release, *_at_all_times(before, after)) if each not in suspended)


def _at_all_times(before: State, after: State) -> Iterator[str]:
    had = before.master is not None or (before.plane is not None and before.plane.rolled_out)
    if had and after.master is None and not (after.plane is not None and after.plane.rolled_out):
        yield "I4"


def _upgrade(before: State, after: State, setting: Setting) -> Iterator[str]:
    if before.nodes != after.nodes or before.master != after.master or before.route != after.route:
        yield from _of_nodes(after, setting)
    if before.template != after.template:
        if before.template in (OLD, SINGLE) and after.template == MULTI and not _interconnect_everywhere(before):
            yield "I2"
        if before.template == NONE and after.template == SINGLE:
            yield "I10"
    if before.data is None and after.data is not None and before.template == NONE:
        yield "I10"
    if before.master is not None and after.master is None and not _multizone(before):
        yield "I3"
    if _masters_begin(before, after) and any(each.template == OLD for each in counted(before)):
        yield "I6"
    if before.master is not None and before.plane is None and after.plane is not None and _mixed(before):
        yield "I7"


def _of_nodes(state: State, setting: Setting) -> Iterator[str]:
    templates = {each.template for each in state.nodes if not each.excused}
    central = OLD in templates or SINGLE in templates
    if OLD in templates and MULTI in templates:
        yield "I1"
    if central and setting.flavour is Flavour.MANAGED and not state.route:
        yield "I5"
    if central and MULTI in templates and not _masters_know_remote_nodes(state):
        yield "I9"


def _downgrade(before: State, after: State) -> Iterator[str]:
    master = before.master
    nodes_begin = before.template != OLD and after.template == OLD
    if nodes_begin and (master is None or master.interconnect or master.updated < MASTERS or not master.observed):
        yield "I6"


def _interconnect_everywhere(state: State) -> bool:
    return all(each.template != OLD for each in counted(state)) and _masters_know_remote_nodes(state)


def _masters_know_remote_nodes(state: State) -> bool:
    master = state.master
    return master is not None and master.interconnect and master.observed and master.updated == MASTERS


def _masters_begin(before: State, after: State) -> bool:
    was = before.master is not None and not before.master.interconnect
    return was and after.master is not None and after.master.interconnect


def _multizone(state: State) -> bool:
    nodes = all(each.template == MULTI for each in counted(state))
    return nodes and state.plane is not None and state.plane.rolled_out


def _mixed(state: State) -> bool:
    return state.before is not None or any(each.template != MULTI for each in counted(state))


def reported_too_early(state: State, decision: Decision) -> bool:
    """I8, which a decision breaks rather than a state."""
    return decision.status.level_reached and state.data is not None
