"""What a zone makes of policies: in an audit their rows are another writer's; a writer owns no network because of them.

A writer owns a network with policies if it has rows in the database already, so that no policy takes them away, or if
the condition of the network says that the cluster owned it before it had policies, as a new node needs.
"""

from collections.abc import Collection, Sequence
from typing import Final

from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.loop.inputs.takeover import Takeover
from ovnguard.reconciler.loop.process.frozen_view import FrozenView
from ovnguard.reconciler.loop.status.unenforced_status import was_owned
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.loop.zone.zone_writer import ZoneWriter
from ovnguard.reconciler.plan.comparison.policies import POLICY_KINDS, UNKNOWN_POLICIES, PolicyObjects, policies_of
from ovnguard.reconciler.plan.desired_state import JudgedCluster
from ovnguard.reconciler.plan.inputs.unenforced import NOTHING_UNENFORCED, Unenforced
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.ownership import OWNER_KINDS, key_of
from ovnguard.validators.network.cluster_view import NAMESPACE, ClusterView

_READ: Final = (*POLICY_KINDS, NAMESPACE)


class ZonePolicies:
    """Follows the policies in ``view`` for the zone of ``writer``."""

    def __init__(self, view: ClusterView, writer: ZoneWriter, options: WriteOptions) -> None:
        self._view = view
        self._taken = FrozenView(view, _READ)
        self._seen: tuple[Sequence[JsonObject] | None, ...] = ()
        self._writer = writer
        self._options = options
        self._takeover = Takeover(view, self._owned, permitted=options.unenforced)
        # Networks with policies, by whether the database has rows of them.
        self._present: set[str] = set()
        self._absent: set[str] = set()
        self._policies: PolicyObjects = UNKNOWN_POLICIES
        self._unenforced = NOTHING_UNENFORCED

    def look(self) -> tuple[PolicyObjects, Unenforced]:
        """Return the state of now; it is the same one until it changes."""
        if not self._options.audit:
            now = self._takeover.look(self._options.permits)
            self._unenforced = self._unenforced if now == self._unenforced else now
            return self._policies, self._unenforced
        self._taken.take()
        seen = tuple(map(self._taken.objects, _READ))
        if len(seen) != len(self._seen) or any(one is not two for one, two in zip(seen, self._seen, strict=True)):
            self._seen, self._policies = seen, policies_of(self._taken)
        return self._policies, self._unenforced

    def applied_to(self, known: JudgedCluster) -> JudgedCluster:
        """Return ``known`` with the policies of the last look, without networks that are not owned."""
        if self._options.audit:
            return JudgedCluster(known.networks, known.nodes, known.unserved, self._policies)
        networks = known.networks.without_refused(self._unenforced)
        return JudgedCluster(networks, known.nodes, known.unserved, known.policies)

    def _owned(self, names: Collection[str]) -> Collection[str]:
        unsure = set(names) - self._present - self._absent
        self._present &= set(names)
        self._absent &= set(names)
        if unsure:
            try:
                found = self._writer.networks()
            except StoreError:
                # the pass reports it; what is unsure stays as it is
                found = None
            if found is not None:
                self._present |= unsure & found
                self._absent |= unsure - found
        objects = (obj for kind in OWNER_KINDS for obj in self._view.objects(kind) or ())
        return self._present | {key_of(obj).network_name for obj in objects if was_owned(obj)}
