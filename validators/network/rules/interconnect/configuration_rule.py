"""The common parts of rules about the ConfigMap of an interconnect upgrade."""

from collections.abc import Callable
from functools import partial
from typing import Final

from ovnguard.validators.network.cluster_view import CONFIG_MAP
from ovnguard.validators.network.ovnkube_settings.interconnect import NAME
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import MOVES, Ask, move_of
from ovnguard.validators.network.rules.base import Rule, RuleContext

configuration_rule: Final = partial(Rule, kinds=(CONFIG_MAP,), names=(NAME,))


def asks(question: Ask) -> Callable[[RuleContext], bool]:
    """Return the predicate of requests that are subject to ``question``."""

    def applies(ctx: RuleContext) -> bool:
        move = move_of(ctx)
        return move is not None and question in MOVES[move[0]][move[1]]

    return applies
