"""A zone's change to the Layer2 topology with transit routers: decided, recorded on the Node, then written.

Until the rows are replaced, the zone is not ready and writes no rows of pods in primary Layer2 networks. Everything
follows from the annotation, so a restart between two steps continues with the next one.
"""

import logging
import time
from collections.abc import Callable
from typing import Final

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.loop.process.backoff import Backoff, is_about_one_object
from ovnguard.reconciler.loop.status.network_status import StatusReason
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.numbers.layer2_addresses import TRANSIT_ROUTER_VERSION
from ovnguard.reconciler.plan.topology.layer2_upgrade import NO_KEYS, Standing, is_upgraded, standing_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.layer2_pods import layer2_pods
from ovnguard.validators.network.cluster_view import NAMESPACE, POD, ClusterView
from ovnguard.validators.network.declared.node import TOPOLOGY_VERSION, node_of

UPGRADED: Final = "Layer2TopologyUpgraded"
KEPT: Final = "Layer2TopologyKept"
REFUSED: Final = "RecordRefused"
SWITCH: Final = "SwitchLayer2Topology"
UPGRADED_MESSAGE: Final = "The node uses transit routers now."
_REPLACING: Final = "the Layer2 topology is being replaced by the one with transit routers"
_log = logging.getLogger(__name__)


class Layer2Switch:
    """Decides for one node, and records the decision by ``recorder``."""

    def __init__(
        self, recorder: Recorder, reporter: StatusWriter, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._recorder = recorder
        self._reporter = reporter
        self._backoff = Backoff(monotonic)
        self._refused = ""
        self._reported: tuple[str, ...] = ()
        self._announced = False
        self.replacing = False
        """Whether the change is recorded and the rows are not replaced yet."""

    def due(self) -> float | None:
        """Return the seconds until the next attempt to record the version, None if none failed."""
        return self._backoff.due()

    def step(self, obj: JsonObject | None, view: ClusterView, desired: DesiredState) -> tuple[str, ...]:
        """Take the next step after the zone was written to ``desired``; return why the zone is not ready, if so.

        ``obj`` is the Node of the zone.
        """
        node = None if obj is None else node_of(obj).node
        if obj is None or node is None:
            return ()
        if self.replacing:
            if is_upgraded(node):
                self.replacing = False
                self._reporter.announce_change(obj, StatusReason(UPGRADED, UPGRADED_MESSAGE), SWITCH)
            return (_REPLACING,)
        # The pods of a kind that is not listed are unknown, so they may run here.
        networks = None if is_upgraded(node) else inventory_of(view).networks()
        if networks is None or any(view.objects(kind) is None for kind in (NAMESPACE, POD)):
            return ()
        ready = {network.name for network in desired.judged.ready}
        standing = standing_of(node, networks, ready, layer2_pods(inventory_of(view), node.name))
        if standing.is_ready:
            return self._record(obj)
        self._say(obj, standing)
        return ()

    def _record(self, obj: JsonObject) -> tuple[str, ...]:
        name, version = obj["metadata"]["name"], f"{TOPOLOGY_VERSION}={TRANSIT_ROUTER_VERSION}"
        if self._backoff.waits(name):
            return ()
        patch = {"metadata": {"annotations": {TOPOLOGY_VERSION: TRANSIT_ROUTER_VERSION}}}
        try:
            now = self._recorder.merge(obj, patch)
        except ClusterError as error:
            text = f"cannot record {version}: {error}"
            if not is_about_one_object(error):
                return (f"node {name}: {text}",)
            self._backoff.failed(name, f"node {name}: {text}")
            if text != self._refused:
                self._reporter.announce_problem(obj, StatusReason(REFUSED, text), SWITCH)
            self._refused = text
            return ()
        if now is None:
            text = f"node {name}: changed in the meantime, {TOPOLOGY_VERSION} is not recorded"
            self._backoff.failed(name, text, logging.INFO)
            return ()
        self._backoff.succeeded(name)
        _log.info("recorded on Node %s: %s", name, version)
        self.replacing, self._refused = True, ""
        return (_REPLACING,)

    def _say(self, obj: JsonObject, standing: Standing) -> None:
        """Say once why the node keeps its topology; which pods run changes often, so that only the log says it."""
        if standing.reasons == self._reported:
            return
        for reason in standing.reasons:
            _log.info("node %s: %s", standing.node, reason)
        # Keys come by themselves; pods only go when somebody drains the node.
        pods = tuple(reason for reason in standing.reasons if reason != NO_KEYS)
        if pods and not self._announced:
            self._reporter.announce_change(obj, StatusReason(KEPT, pods[0]), SWITCH)
            self._announced = True
        self._reported = standing.reasons


def layer2_networks(view: ClusterView) -> frozenset[str]:
    """Return the names of the primary Layer2 networks."""
    return frozenset(each.name for each in inventory_of(view).networks() or () if each.needs_transit_subnet)
