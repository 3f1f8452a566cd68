"""What keeps the objects of a network's fabric from being there, as its condition FabricReady.

A ClusterUserDefinedNetwork has the condition; the default network, and every network in an audit, has Events. That all
is well is reported only after a problem was.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from ovnguard.reconciler.apply.kube import FIELD_MANAGER, Condition, Recorder, find_condition
from ovnguard.reconciler.apply.objects.object_changes import ObjectChanges, Obstacle
from ovnguard.reconciler.apply.objects.object_owners import Maker, title_of
from ovnguard.reconciler.apply.objects.object_writer import Refusal
from ovnguard.reconciler.loop.process.events import Event, reference_to
from ovnguard.reconciler.loop.status.lasting_events import LastingEvents
from ovnguard.reconciler.loop.status.network_status import MAX_MESSAGE, StatusReason
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.declared.network_of import group_kind_of

FABRIC: Final = "FabricReady"
FABRIC_MANAGER: Final = f"{FIELD_MANAGER}-fabric"
PUBLISH: Final = "PublishFabric"
READY: Final = StatusReason("Published", "The objects of the fabric are written.")
NO_FRR_K8S: Final = "NoFrrK8s"
NOT_SERVED: Final = "KindNotServed"
FOREIGN: Final = "ForeignObject"
NOT_ADOPTED: Final = "NotAdopted"
NOT_WRITTEN: Final = "NotWritten"
CONFLICT: Final = "FRRConfigurationConflict"
DRIFT: Final = "FabricDrift"
HELD: Final = "DeletionsHeld"
INCOMPLETE: Final = "FabricIncomplete"
_MOST: Final = 3


class Problems:
    """Problems by network; of several, the first reason counts, with all of its texts."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, dict[str, None]]] = {}

    def add(self, networks: Iterable[str], reason: str, text: str) -> None:
        """Note a problem of ``networks``."""
        for network in networks:
            self._found.setdefault(network, {}).setdefault(reason, {})[text] = None

    def by_network(self) -> Mapping[str, StatusReason]:
        """Return one reason for each network that has a problem."""
        return {network: _first(reasons) for network, reasons in self._found.items()}


def _first(reasons: Mapping[str, Mapping[str, None]]) -> StatusReason:
    reason, texts = next(iter(reasons.items()))
    more = [f"and {len(texts) - _MOST} more"] if len(texts) > _MOST else []
    return StatusReason(reason, "; ".join([*list(texts)[:_MOST], *more])[:MAX_MESSAGE])


def obstacle_text(obstacle: Obstacle) -> tuple[str, str]:
    """Return the reason and the text about an object in the way."""
    title = title_of(obstacle.observed)
    if obstacle.maker is Maker.CLUSTER_MANAGER:
        networks = " ".join(f"--adopt {network}" for network in obstacle.desired.networks)
        return NOT_ADOPTED, f"{title} is {obstacle.maker.value}'s: stop that first, then start with {networks}"
    return FOREIGN, f"{title} was not made by ovnguard and stays as it is: delete or rename it"


def add_obstacles(problems: Problems, changes: ObjectChanges) -> None:
    """Note the objects in the way, on the networks that need their places."""
    for each in changes.obstacles:
        problems.add(each.desired.networks, *obstacle_text(each))


def add_refusals(problems: Problems, refusals: Iterable[Refusal]) -> None:
    """Note the failed writes, on the networks that need them."""
    for each in refusals:
        problems.add(each.networks, NOT_WRITTEN, each.text)


def add_incomplete(problems: Problems, remarks: Iterable[Remark]) -> None:
    """Note the nodes that are missing in the fabric of a network, and the errors about the whole of it."""
    for each in remarks:
        if each.network:
            problems.add((each.network,), INCOMPLETE, f"node {each.node}: {each.text}" if each.node else each.text)


def add_drift(problems: Problems, changes: ObjectChanges) -> None:
    """Note what an audit would change."""
    for new in changes.create:
        problems.add(new.networks, DRIFT, f"would create {title_of(new.document)}")
    for change in changes.replace:
        problems.add(change.desired.networks, DRIFT, f"would replace {title_of(change.observed)}")


class FabricReport:
    """Writes problems of fabrics: at once through ``recorder`` where there is one, and as ``events`` when they last."""

    def __init__(self, recorder: Recorder | None, events: LastingEvents) -> None:
        self._recorder = recorder
        self.events: Final = events

    def report(self, objects: Mapping[str, JsonObject], problems: Mapping[str, StatusReason]) -> list[str]:
        """Report on ``objects``, the newest by network; return the failures."""
        self.events.keep(objects)
        failures = []
        for network, obj in objects.items():
            problem, before = problems.get(network), None
            if self._recorder is not None and group_kind_of(obj) == CUDN:
                before = find_condition(obj, FABRIC)
                if problem is not None or before is not None:
                    failures.append(_write(self._recorder, obj, problem))
            self._tell(network, obj, problem, was_reported=before is not None and before.get("status") == "False")
        return [failure for failure in failures if failure]

    def _tell(self, network: str, obj: JsonObject, problem: StatusReason | None, *, was_reported: bool) -> None:
        """``was_reported`` is whether an earlier process found a problem, for one that learns about the network now."""
        status, warning = problem or READY, problem is not None
        if warning or self.events.has_reported(network, default=was_reported):
            self.events.tell(network, Event(reference_to(obj), status.reason, PUBLISH, status.message, warning))
        else:
            self.events.tell(network, None)


def _write(recorder: Recorder, obj: JsonObject, problem: StatusReason | None) -> str:
    now = problem or READY
    try:
        recorder.report(obj, Condition(FABRIC, problem is None, now.reason, now.message, FABRIC_MANAGER))
    except ClusterError as error:
        return f"{title_of(obj)}: cannot write condition {FABRIC}: {error}"
    return ""
