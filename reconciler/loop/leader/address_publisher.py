"""The leader's part of pods' addresses: those in Layer2 and Localnet networks, whose subnets all nodes share."""

import logging
from typing import Final

from ovnguard.reconciler.apply.pod_records import PodRecords
from ovnguard.reconciler.loop.inputs.live_view import LiveView
from ovnguard.reconciler.loop.inputs.plan_inputs import RUNNING
from ovnguard.reconciler.loop.leader.attachment_publisher import ATTACHMENT_KINDS
from ovnguard.reconciler.loop.pods.pod_addresser import PodAddresser
from ovnguard.reconciler.loop.process.frozen_view import FrozenView
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.pods.pod_objects import PodMemo, pods_of
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.network.cluster_view import NAMESPACE, POD

_INPUTS: Final = (POD, NAMESPACE)
_log = logging.getLogger(__name__)


class AddressPublisher:
    """Gives pods their addresses in the networks of the leader, while it leads.

    The first pass asks the API server for all pods: the watch may not show yet what a former leader gave last.
    """

    def __init__(self, view: LiveView, records: PodRecords, addresser: PodAddresser) -> None:
        self._live = view
        self._view = FrozenView(view, ATTACHMENT_KINDS)
        self._records = records
        self._addresser = addresser
        self._memo = PodMemo()
        self._begun = False
        self._seen: tuple[object, ...] = ()

    def due(self) -> float | None:
        """Return the seconds until failed writes are tried again or a pod has waited too long; None for neither."""
        return self._addresser.due()

    def publish(self, desired: DesiredState, active: tuple[ActiveNodes, ...]) -> None:
        """Write the addresses that pods lack. What fails is logged and tried again later."""
        del active  # the networks' switch is the same for all nodes
        self._view.take()
        seen = (desired, *(self._view.objects(kind) for kind in _INPUTS))
        same = len(seen) == len(self._seen) and all(one is two for one, two in zip(seen, self._seen, strict=True))
        if (same and self._addresser.due() is None) or self._live.emptied() & {*_INPUTS} or not self._begin():
            return
        objects = self._view.objects(POD) or ()
        recorded = pods_of(self._view, self._memo).ports
        self._addresser.keep(self._view, objects, recorded, desired)
        self._seen = seen

    def _begin(self) -> bool:
        """Learn what a former leader recorded last; return whether that is known."""
        if not self._begun:
            try:
                newest: list[JsonObject] = [trim.pod_with_machine(obj) for obj in self._records.read_all(RUNNING)]
            except ClusterError as error:
                _log.warning("cannot read the pods, so none gets an address: %s", error)
                return False
            self._addresser.remember(pods_of(self._view, objects=newest).ports)
            self._begun = True
        return True
