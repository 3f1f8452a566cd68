"""What keeps the objects of a network's fabric from being there, as its condition FabricReady.

A ClusterUserDefinedNetwork has the condition; the default network, and every network in an audit, has Events. That all
is well is reported only after a problem was.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from reconciler.apply.kube import FIELD_MANAGER, Condition, Recorder, find_condition
from reconciler.apply.objects.object_changes import ObjectChanges, Obstacle
from reconciler.apply.objects.object_owners import Maker, title_of
from reconciler.apply.objects.object_writer import Refusal
from reconciler.loop.process.events import Event, EventRecorder, reference_to
from reconciler.loop.status.network_status import MAX_MESSAGE, StatusReason
from reconciler.plan.rows.model import Remark
from validators.base.json_types import JsonObject
from validators.cluster.client_protocol import ClusterError
from validators.network.cluster_view import CUDN
from validators.network.declared.network_of import group_kind_of

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
    """Writes problems of fabrics, through ``recorder`` where there is one, else as Events."""

    def __init__(self, recorder: Recorder | None, announcer: EventRecorder) -> None:
        self._recorder = recorder
        self._announcer = announcer
        self._announced: dict[str, StatusReason] = {}

    def report(self, objects: Mapping[str, JsonObject], problems: Mapping[str, StatusReason]) -> list[str]:
        """Report on ``objects``, the newest by network; return the failures."""
        failures = []
        for network, obj in objects.items():
            problem = problems.get(network)
            if self._recorder is not None and group_kind_of(obj) == CUDN:
                failures.append(self._write(self._recorder, obj, problem))
            else:
                self._announce(network, obj, problem)
        return [failure for failure in failures if failure]

    def _write(self, recorder: Recorder, obj: JsonObject, problem: StatusReason | None) -> str:
        before = find_condition(obj, FABRIC)
        if problem is None and before is None:
            return ""
        now = problem or READY
        condition = Condition(FABRIC, problem is None, now.reason, now.message, FABRIC_MANAGER)
        try:
            written = recorder.report(obj, condition)
        except ClusterError as error:
            return f"{title_of(obj)}: cannot write condition {FABRIC}: {error}"
        if written and [(before or {}).get(key) for key in ("reason", "message")] != [now.reason, now.message]:
            self._event(obj, now, warning=problem is not None)
        return ""

    def _announce(self, network: str, obj: JsonObject, problem: StatusReason | None) -> None:
        before = self._announced.pop(network, None)
        if problem is not None:
            self._announced[network] = problem
        if problem != before:
            self._event(obj, problem or READY, warning=problem is not None)

    def _event(self, obj: JsonObject, status: StatusReason, *, warning: bool) -> None:
        event = Event(reference_to(obj), status.reason, PUBLISH, status.message, warning, recurs=True)
        self._announcer.announce(event)
