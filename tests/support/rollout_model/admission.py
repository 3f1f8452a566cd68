"""Who may write the ConfigMap: the judgement of the webhook, with the workloads of the model in its view."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.ovnkube_settings.interconnect import FAST_FORWARD, ONGOING, TEMPORARY, ZONE_MODE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import first_phase_left, second_phase_left
from tests.support.rollout.rollout_objects import config_map, webhook_view
from tests.support.rollout_model.cluster import OLD, Seen, Setting, State, observed, seen
from tests.support.rollout_model.environment import Move

Data: TypeAlias = tuple[tuple[str, str], ...] | None
Admits: TypeAlias = Callable[[Seen, Data, str], bool]
OPERATOR = "system:serviceaccount:openshift-network-operator:default"
ADMINISTRATOR = "kube:admin"


def everything(_: Seen, __: Data, ___: str) -> bool:
    """A cluster without the webhook."""
    return True


def webhook(setting: Setting) -> Admits:
    """Return the verdict of the webhook on a write of the ConfigMap.

    It is judged once for each answer to the questions about workloads that the rules ask.
    """
    verdicts: dict[tuple[object, ...], bool] = {}

    def admits(view: Seen, data: Data, user: str) -> bool:
        key = (view.data, data, user, _answers(view._replace(data=None), setting))
        if key not in verdicts:
            verdicts[key] = view.data == data or _judged(view, data, user, setting)
        return verdicts[key]

    return admits


@cache
def _answers(view: Seen, setting: Setting) -> tuple[object, ...]:
    state = observed(view, setting)
    multizone = state.node is not None and state.node.multizone
    return any(first_phase_left(state)), any(second_phase_left(state)), multizone, state.control_plane is None


def _judged(view: Seen, data: Data, user: str, setting: Setting) -> bool:
    old, new = (config_map(None if each is None else dict(each)) for each in (view.data, data))
    operation = Operation.DELETE if new is None else Operation.CREATE if old is None else Operation.UPDATE
    return judge(Request(operation, new, old, user=user), webhook_view(observed(view, setting))).allowed


def edits(state: State, setting: Setting, admits: Admits) -> Iterator[Move]:
    """Iterate over what an administrator may do to the ConfigMap."""
    for data in setting.edits:
        if data != state.data and admits(seen(state), data, ADMINISTRATOR):
            words = "deletes the ConfigMap" if data is None else f"writes {dict(data)}"
            after = state._replace(data=data, override=_override(state, data, setting))
            yield Move(f"an administrator {words}", after, fault=True)


def _override(state: State, data: Data, setting: Setting) -> str:
    """Which phases the request skips; the operator's own request of phase 2 skips none."""
    keys = dict(data or ())
    early = setting.target.patch is not None and setting.target.patch < 14
    if FAST_FORWARD in keys and not early:
        return "fast"
    skips = keys.get(ZONE_MODE) == "multizone" and keys.get(TEMPORARY) == "false" and ONGOING in keys
    if (early and skips and state.template == OLD) or (early and skips and not _all_interconnect(state)):
        return state.override or "skip"
    return state.override


def _all_interconnect(state: State) -> bool:
    nodes = all(each.template != OLD for each in state.nodes)
    return nodes and state.master is not None and state.master.interconnect and state.master.updated == 3
