"""Empty lists: which of them are believed."""

from collections.abc import Mapping, Sequence

from ovnguard.reconciler.loop.process.frozen_view import FrozenView
from ovnguard.reconciler.loop.process.silence import WATCHED, Silence
from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, POD, UDN, GroupKind

OBJECT = ({"metadata": {"name": "x"}},)


class Live:
    """A view whose lists a test changes; kinds that are not named are empty."""

    def __init__(self, held: Mapping[GroupKind, Sequence[JsonObject] | None]) -> None:
        self.held = dict(held)
        self.lost: frozenset[GroupKind] = frozenset()

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        return self.held.get(kind, ())

    def emptied(self) -> frozenset[GroupKind]:
        return self.lost


def begin(live: Live) -> tuple[FrozenView, Silence]:
    taken = FrozenView(live, WATCHED)
    return taken, Silence(taken, live)


def test_an_empty_first_list_proves_nothing_until_an_object_is_seen():
    live = Live({CUDN: OBJECT, NAD: None})
    taken, silence = begin(live)
    # what is not served is not silent: it is known not to be known
    assert silence.kinds() == {UDN, OPERATOR_NETWORK}
    live.held[UDN] = OBJECT
    taken.take()
    assert silence.kinds() == {OPERATOR_NETWORK}
    # both are seen being deleted
    live.held |= {UDN: (), CUDN: ()}
    taken.take()
    assert silence.kinds() == {OPERATOR_NETWORK}
    live.held[NAD] = ()
    taken.take()
    assert silence.kinds() == {OPERATOR_NETWORK, NAD}


def test_a_list_that_became_empty_without_events_proves_nothing():
    live = Live(dict.fromkeys((*NETWORK_KINDS, POD), OBJECT))
    taken, silence = begin(live)
    assert silence.kinds() == frozenset()
    live.held |= {CUDN: (), POD: ()}
    live.lost = frozenset({CUDN, POD})
    taken.take()
    assert silence.kinds() == {CUDN, POD}


def test_a_list_that_is_filled_again_meanwhile_was_not_true():
    live = Live(dict.fromkeys((*NETWORK_KINDS, POD), OBJECT))
    taken, silence = begin(live)
    assert silence.kinds() == frozenset()
    live.held[CUDN] = ()
    taken.take()
    live.held[CUDN] = OBJECT
    assert silence.kinds() == {CUDN}
    taken.take()
    assert silence.kinds() == frozenset()
