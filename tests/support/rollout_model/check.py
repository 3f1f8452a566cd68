"""Explores every state of the model breadth first, and looks for broken invariants and for runs that do not end.

A run without faults ends because the transitions that are no faults form no circle, and because every state in which
none of them is possible is the goal.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.support.rollout_model.admission import Admits, edits, webhook
from tests.support.rollout_model.cluster import Setting, State, seen
from tests.support.rollout_model.environment import Move, moves
from tests.support.rollout_model.invariants import TITLES, broken, reported_too_early
from tests.support.rollout_model.operator import Decide, Pass, passes


@dataclass
class Result:
    """What the exploration found; ``problem`` and ``trace`` are empty when all holds.

    ``decided``: override, phase and folder of every decision. ``forward``: the phases before and after a transition
    that is no fault, where they differ.
    """

    states: int = 0
    transitions: int = 0
    problem: str = ""
    trace: tuple[tuple[str, State], ...] = ()
    decided: set[tuple[str, str, str]] = field(default_factory=set)
    forward: set[tuple[str, str]] = field(default_factory=set)


class Exploration:
    """One exploration of a setting from a first state."""

    def __init__(
        self,
        setting: Setting,
        start: State,
        goal: Callable[[State], bool],
        decision: Decide,
        admits: Admits | None = None,
    ) -> None:
        self._setting = setting
        self._goal = goal
        self._controller = Pass(setting, decision)
        self._admits = admits or webhook(setting)
        self._origin: dict[State, tuple[State, str] | None] = {start: None}
        self._forward: dict[State, list[State]] = {}
        self._result = Result()

    def run(self) -> Result:
        """Explore everything, up to the first problem."""
        waiting = deque(self._origin)
        while waiting:
            state = waiting.popleft()
            problem = self._visit(state, waiting)
            if problem:
                return problem
        self._result.states = len(self._origin)
        return self._unending() or self._result

    def _visit(self, state: State, waiting: deque[State]) -> Result | None:
        decision = self._controller.decision(seen(state))
        self._result.decided.add((state.override, str(decision.status.phase), str(decision.folder)))
        if not state.todo and reported_too_early(state, decision):
            return self._found(f"I8: {TITLES['I8']}", state)
        forward: list[State] = []
        for move in self._next(state):
            self._result.transitions += 1
            new = move.after not in self._origin
            if new:
                self._origin[move.after] = (state, move.name)
                waiting.append(move.after)
            for name in broken(state, move.after, self._setting):
                return self._found(f"{name}: {TITLES[name]}", state, move)
            if not move.fault:
                forward.append(move.after)
                after = self._controller.decision(seen(move.after)).status.phase
                if after is not decision.status.phase:
                    self._result.forward.add((str(decision.status.phase), str(after)))
        self._forward[state] = forward
        if not forward and not self._goal(state):
            return self._found("the upgrade stops before its end", state)
        return None

    def _next(self, state: State) -> list[Move]:
        return [
            *passes(state, self._controller, self._admits),
            *moves(state, self._setting),
            *edits(state, self._setting, self._admits),
        ]

    def _unending(self) -> Result | None:
        """Remove states whose successors are all removed; what remains is on a circle, or leads to one."""
        open_ends = {state: len(after) for state, after in self._forward.items()}
        into: dict[State, list[State]] = {}
        for state, after in self._forward.items():
            for each in after:
                into.setdefault(each, []).append(state)
        ends = [state for state, count in open_ends.items() if not count]
        while ends:
            for state in into.get(ends.pop(), ()):
                open_ends[state] -= 1
                if not open_ends[state]:
                    ends.append(state)
        circle = self._circle({state for state, count in open_ends.items() if count})
        if not circle:
            return None
        result = self._found("a run without faults never ends", circle[0])
        again = tuple(("and again", state) for state in (*circle[1:], circle[0]))
        result.trace = (*result.trace, *again)
        return result

    def _circle(self, left: set[State]) -> list[State]:
        """Return the states of one circle in ``left``, where every state has a successor."""
        path: list[State] = []
        state = next((each for each in self._forward if each in left), None)
        while state is not None and state not in path:
            path.append(state)
            state = next(each for each in self._forward[state] if each in left)
        return path[path.index(state) :] if state is not None else []

    def _found(self, problem: str, state: State, last: Move | None = None) -> Result:
        steps = [(last.name, last.after)] if last is not None else []
        at: State | None = state
        while at is not None:
            origin = self._origin[at]
            steps.append((origin[1] if origin else "start", at))
            at = origin[0] if origin else None
        self._result.states = len(self._origin)
        self._result.problem, self._result.trace = problem, tuple(reversed(steps))
        return self._result
