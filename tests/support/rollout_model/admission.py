"""Who may write the ConfigMap: the judgement of the webhook, with the workloads of the model in its view."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeAlias

from reconciler.plan.rollout.model import Flavour
from tests.support.rollout_model.cluster import MULTI, OLD, Seen, Setting, State, observed, seen
from tests.support.rollout_model.environment import Move
from validators.admission import Operation, Request, judge
from validators.network.cluster_view import ObjectsView
from validators.network.designs.interconnect import FAST_FORWARD, NAME, NAMESPACE, ONGOING, TEMPORARY, ZONE_MODE
from validators.network.designs.interconnect_workloads import Workload, first_phase_left, second_phase_left

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
    old, new = _config_map(view.data), _config_map(data)
    operation = Operation.DELETE if new is None else Operation.CREATE if old is None else Operation.UPDATE
    return judge(Request(operation, new, old, user=user), _around(view, setting)).allowed


def _config_map(data: Data) -> dict[str, Any] | None:
    if data is None:
        return None
    metadata = {"name": NAME, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(data)}


def _around(view: Seen, setting: Setting) -> ObjectsView:
    """The objects that the webhook sees: masters and control plane of a hosted cluster are elsewhere."""
    state = observed(view, setting)
    hosted = setting.flavour is Flavour.MANAGED
    workloads = (state.node,) if hosted else (state.node, state.master, state.control_plane)
    infrastructure = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Infrastructure",
        "metadata": {"name": "cluster"},
        "status": {"controlPlaneTopology": "External" if hosted else "HighlyAvailable"},
    }
    version = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "status": {"desired": {"version": setting.release}},
    }
    objects = [_object(each, view) for each in workloads if each is not None]
    return ObjectsView([version, infrastructure, *objects], all_complete=True)


def _object(workload: Workload, view: Seen) -> dict[str, Any]:
    flag = ["--enable-interconnect"] if workload.interconnect else []
    ours = [{"name": workload.name, "command": ["ovnkube", *flag]}]
    if workload.name == "ovnkube-node" and view.template == MULTI:
        ours = [{"name": "nbdb"}, {"name": "ovnkube-controller", "command": ["ovnkube", *flag]}]
    counters = (
        {
            "desiredNumberScheduled": workload.desired,
            "updatedNumberScheduled": workload.updated,
            "numberAvailable": workload.available,
            "numberUnavailable": workload.unavailable,
        }
        if workload.kind == "DaemonSet"
        else {"updatedReplicas": workload.updated, "availableReplicas": workload.available}
    )
    hung = {"networkoperator.openshift.io/rollout-hung": ""} if workload.hung else {}
    return {
        "apiVersion": "apps/v1",
        "kind": workload.kind,
        "metadata": {
            "name": workload.name,
            "namespace": NAMESPACE,
            "generation": workload.generation,
            "annotations": {"release.openshift.io/version": workload.version, **hung},
        },
        "spec": {"replicas": workload.desired, "template": {"spec": {"containers": ours}}},
        "status": {**counters, "observedGeneration": workload.observed_generation},
    }


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
