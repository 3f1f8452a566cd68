"""What happens around the controller: Kubernetes rolls pods, nodes fail and return, pods restart, rollouts hang."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.support.rollout_model.cluster import LOST, MASTERS, NONE, READY, REPLICAS, STARTING, Node, Setting, State

# One pod may be unavailable for the sake of the rollout: 10 % of three nodes, rounded up.
_MAX_UNAVAILABLE = 1


class Move(NamedTuple):
    """A transition. ``fault``: it does not bring the upgrade forward, and no fair run repeats it for ever."""

    name: str
    after: State
    fault: bool = False


def moves(state: State, setting: Setting) -> Iterator[Move]:
    """Iterate over what can happen next without the controller."""
    yield from _nodes(state, setting)
    yield from _masters(state, setting)
    yield from _plane(state, setting)
    if state.prepuller == "pulling" and sum(each.health == LOST for each in state.nodes) <= 1:
        yield Move("every node that works has pulled the image", state._replace(prepuller="done"))
    if state.route == "exists":
        yield Move("the router assigns a host", state._replace(route="host"))


def _nodes(state: State, setting: Setting) -> Iterator[Move]:
    if state.before is not None:
        yield Move("the DaemonSet of the nodes is observed", state._replace(before=None, hung=False))
    unavailable = sum(each.health != READY and each.template != NONE for each in state.nodes)
    lost = sum(each.health == LOST for each in state.nodes)
    for index, node in enumerate(state.nodes):
        if index and node == state.nodes[index - 1]:
            continue
        others = state.nodes[:index] + state.nodes[index + 1 :]
        outdated = state.before is None and node.template != state.template and node.health != LOST
        # a pod that does not work is replaced at once, a working one only when not too many are unavailable
        if outdated and (node.health == STARTING or unavailable < _MAX_UNAVAILABLE or node.template == NONE):
            new = Node(state.template, STARTING)
            yield Move(f"a pod with template {state.template} starts", _with(state, others, new))
        if node.health == STARTING and node.template != NONE and setting.known.node(node.template).probed:
            yield Move(
                f"a pod with template {node.template} is ready", _with(state, others, node._replace(health=READY))
            )
        if node.health == LOST:
            back = node._replace(health=STARTING)
            yield Move(f"a node with template {node.template} returns", _with(state, others, back))
        elif node.template != NONE and lost < setting.lost:
            down = node._replace(health=LOST)
            yield Move(f"a node with template {node.template} is lost", _with(state, others, down), fault=True)
        if node.health == READY and setting.flaps and node.template != NONE:
            down = node._replace(health=STARTING)
            yield Move(f"a pod with template {node.template} restarts", _with(state, others, down), fault=True)
    if _hangs(state):
        excused = tuple(
            each._replace(excused=True) if each.template != state.template else each for each in state.nodes
        )
        name = "the rollout of the nodes hangs and is marked"
        yield Move(name, state._replace(hung=True, nodes=tuple(sorted(excused))), fault=True)


def _with(state: State, others: tuple[Node, ...], node: Node) -> State:
    """A node changes: the status of the DaemonSet changes with it, so it no longer hangs."""
    return state._replace(nodes=tuple(sorted((*others, node))), hung=False)


def _hangs(state: State) -> bool:
    """Whether the rollout makes no progress until lost nodes return."""
    left = [each.health for each in state.nodes if each.template != state.template or each.health != READY]
    return bool(left) and state.before is None and not state.hung and all(health == LOST for health in left)


def _masters(state: State, setting: Setting) -> Iterator[Move]:
    master = state.master
    if master is None:
        return
    if not master.observed:
        yield Move("the masters' new template is observed", state._replace(master=master._replace(observed=True)))
    elif master.restarting:
        if not setting.known.master(interconnect=master.interconnect).probed:
            return
        yield Move("a master is ready", state._replace(master=master._replace(restarting=False)))
    else:
        if master.updated < MASTERS:
            new = master._replace(updated=master.updated + 1, restarting=True)
            yield Move("a master gets the new template", state._replace(master=new))
        if setting.flaps:
            yield Move("a master restarts", state._replace(master=master._replace(restarting=True)), fault=True)


def _plane(state: State, setting: Setting) -> Iterator[Move]:
    plane = state.plane
    if plane is None:
        return
    if plane.ready < REPLICAS:
        ready = plane.ready + 1
        new = plane._replace(ready=ready, rolled_out=plane.rolled_out or ready == REPLICAS)
        yield Move("a replica of the control plane is ready", state._replace(plane=new))
    elif setting.flaps:
        yield Move("a replica of the control plane restarts", state._replace(plane=plane._replace(ready=1)), fault=True)
