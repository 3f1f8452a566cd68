"""Prints a counter-example: each step, and below it what it changed."""

from collections.abc import Iterable, Iterator

from tests.support.rollout_model.cluster import MASTERS, READY, REPLICAS, Master, Node, Plane, State


def shown(problem: str, trace: Iterable[tuple[str, State]]) -> str:
    """Return the text of a counter-example."""
    return "\n".join((problem, *_steps(trace)))


def _steps(trace: Iterable[tuple[str, State]]) -> Iterator[str]:
    before: dict[str, str] = {}
    for number, (name, state) in enumerate(trace):
        parts = dict(_parts(state))
        yield f"{number:3} {name}"
        changed = [f"{what}: {text}" for what, text in parts.items() if before.get(what, "") != text]
        if changed:
            yield f"      {'; '.join(changed)}"
        before = parts


def _parts(state: State) -> Iterator[tuple[str, str]]:
    observed = "" if state.before is None else " (not observed)"
    yield "template of the nodes", f"{state.template or 'none'}{observed}"
    yield "nodes", ", ".join(map(_node, state.nodes))
    yield "mark", "hung" if state.hung else ""
    yield "masters", _masters(state.master)
    yield "control plane", _plane(state.plane)
    yield "ConfigMap", "none" if state.data is None else ", ".join(f"{key}={value}" for key, value in state.data)
    yield "prepuller", state.prepuller
    yield "route", state.route
    yield "override", state.override
    yield "others", ", ".join(state.others)
    yield "to write", ", ".join(map(str, state.todo))


def _node(node: Node) -> str:
    health = "" if node.health == READY else f" {node.health}"
    return f"{node.template or 'none'}{health}{' excused' if node.excused else ''}"


def _masters(master: Master | None) -> str:
    if master is None:
        return "none"
    kind = "interconnect" if master.interconnect else "old"
    observed = "" if master.observed else " (not observed)"
    return f"{kind} {master.updated}/{MASTERS}{' restarting' if master.restarting else ''}{observed}"


def _plane(plane: Plane | None) -> str:
    return "none" if plane is None else f"{plane.ready}/{REPLICAS}"
