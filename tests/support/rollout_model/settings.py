"""The explorations that every run of the tests makes, and the larger ones of a soak."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from ovnguard.reconciler.rollout.plan.decision import decide
from ovnguard.reconciler.rollout.plan.model import Flavour
from tests.support.rollout.rollout_states import EARLY, EARLY_MULTI, EARLY_SINGLE, FAST, SINGLE
from tests.support.rollout.rollout_states import MULTI as MULTIZONE
from tests.support.rollout_model.admission import Admits, everything
from tests.support.rollout_model.check import Exploration, Result
from tests.support.rollout_model.cluster import (
    DONE,
    MASTERS,
    MULTI,
    NODES,
    OF_MASTERS,
    OF_PLANE,
    OLD,
    READY,
    REPLICAS,
    Node,
    Setting,
    State,
    after_upgrade,
    before_install,
    before_upgrade,
)
from tests.support.rollout_model.operator import Decide


def _data(*requests: Mapping[str, str] | None) -> tuple[tuple[tuple[str, str], ...] | None, ...]:
    return tuple(None if each is None else tuple(sorted(each.items())) for each in requests)


PLAIN: Final = _data(MULTIZONE)
EDITS: Final = _data(MULTIZONE, FAST, None)
EARLY_EDITS: Final = _data(EARLY_MULTI, None)
ALL_EDITS: Final = _data(
    SINGLE, MULTIZONE, FAST, {**SINGLE, "fast-forward-to-multizone": ""}, EARLY_MULTI, {"zone-mode": "zone"}, None
)
ALL_EARLY_EDITS: Final = _data(
    EARLY_SINGLE,
    {"zone-mode": "singlezone", "temporary": "true"},
    MULTIZONE,
    {**MULTIZONE, "temporary": "false"},
    EARLY_MULTI,
    FAST,
    None,
)


class Case(NamedTuple):
    """A setting with its first state and its goal."""

    setting: Setting
    start: Callable[[Setting], State]
    goal: Callable[[State], bool]
    admits: Admits | None = None

    def explore(self, decision: Decide = decide) -> Result:
        """Explore every state."""
        start = self.start(self.setting)
        return Exploration(self.setting, start, self.goal, decision, self.admits).run()


def is_multizone(state: State) -> bool:
    """The end of an upgrade: every node and both replicas work, and nothing else is left."""
    of_masters = set(state.others) - {DONE, *OF_PLANE}
    left = (state.master, state.data, state.route or None, state.prepuller or None, of_masters)
    return state.nodes == (Node(MULTI),) * NODES and state.plane is not None and _works(state) and not any(left)


def _works(state: State) -> bool:
    return state.plane is not None and state.plane.ready == REPLICAS and state.plane.rolled_out


def is_downgraded(state: State) -> bool:
    """The end of a downgrade: nodes and masters of 4.13, and no control plane."""
    master = state.master
    rolled_out = master is not None and (master.updated, master.restarting, master.observed) == (MASTERS, False, True)
    nodes = all((each.template, each.health) == (OLD, READY) for each in state.nodes)
    return rolled_out and nodes and state.plane is None and state.others == OF_MASTERS


HOSTED: Final = Flavour.MANAGED
CASES: Final[Mapping[str, Case]] = {
    "4.14.14": Case(Setting(lost=NODES), before_upgrade, is_multizone),
    "4.14.13": Case(Setting(EARLY, lost=NODES), before_upgrade, is_multizone),
    "4.14.14, hosted": Case(Setting(flavour=HOSTED), before_upgrade, is_multizone),
    "4.14.14, an administrator edits": Case(Setting(flaps=False, edits=EDITS), before_upgrade, is_multizone),
    "4.14.13, an administrator edits": Case(
        Setting(EARLY, flaps=False, edits=EARLY_EDITS), before_upgrade, is_multizone
    ),
    "4.14.14, multizone by hand, no webhook": Case(Setting(edits=PLAIN), before_upgrade, is_multizone, everything),
    "fresh installation": Case(Setting(lost=NODES), before_install, is_multizone),
    "downgrade to 4.13": Case(Setting("4.13.40", lost=NODES), after_upgrade, is_downgraded),
    "downgrade to 4.13, hosted": Case(Setting("4.13.40", flavour=HOSTED), after_upgrade, is_downgraded),
}
SOAK_CASES: Final[Mapping[str, Case]] = {
    "4.14.14, hosted, an administrator edits": Case(
        Setting(flavour=HOSTED, edits=ALL_EDITS), before_upgrade, is_multizone
    ),
    "4.14.14, an administrator edits anything": Case(Setting(lost=2, edits=ALL_EDITS), before_upgrade, is_multizone),
    "4.14.13, an administrator edits anything": Case(
        Setting(EARLY, lost=2, edits=ALL_EARLY_EDITS), before_upgrade, is_multizone
    ),
}
