"""The live cluster of one worker: its view and the served schemas, both updated by watches."""

import logging
import threading
import time
from typing import Final

from ovnguard.validators.cluster.cache import Cache, Served
from ovnguard.validators.cluster.client_protocol import Client
from ovnguard.validators.cluster.live_view import Informer
from ovnguard.validators.cluster.resources import OPERATOR_NETWORKS
from ovnguard.validators.cluster.watched_kinds import CRDS, WATCHED, definitions
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.webhook.admission.served_schemas import ServedSchemas

log = logging.getLogger("ovnguard.cluster")
_STEP: Final = 0.02


class LiveCluster:
    """The watches of one process, and their threads."""

    def __init__(self, client: Client, schemas: ServedSchemas) -> None:
        """The watches fill ``schemas``, starting with the first complete list of the cluster's definitions."""
        self._schemas = schemas
        self._changed = threading.Event()
        self._informer = Informer(client, WATCHED, lambda: None, tolerant=True)
        self._definitions = Informer(client, definitions(), self._changed.set, tolerant=True)
        self._settled = False
        self._thread = threading.Thread(target=self._follow, name="schemas", daemon=True)

    @property
    def view(self) -> ClusterView:
        """The known objects of the cluster."""
        return self._informer.view

    def start(self) -> None:
        """Start to watch."""
        self._informer.start()
        self._definitions.start()
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until the view is complete and schemas are compiled, up to a timeout in seconds; return whether they
        are.
        """
        until = time.monotonic() + seconds
        while not self.synced() and time.monotonic() < until:
            time.sleep(_STEP)
        if not self.synced():
            log.warning("the cluster view is not complete", extra={"fields": {"waiting": self._waiting()}})
        return self.synced()

    def synced(self) -> bool:
        """Whether every permitted resource is listed, and all schemas of the cluster are compiled."""
        return self._settled and not self._informer.view.waiting_for()

    def unready(self) -> tuple[str, ...]:
        """Return why requests should go elsewhere: the view is incomplete, or not all of it may be read."""
        if self.synced():
            missing = self._missing_rights()
            return (f"the API server refuses to list {', '.join(missing)}",) if missing else ()
        waiting = ", ".join(self._waiting())
        more = f": waiting for {waiting}" if waiting else ": schemas are being compiled"
        return (f"the cluster view is not complete{more}",)

    def unhealthy(self) -> tuple[str, ...]:
        """Return the threads that ended; empty while all run."""
        ended = {
            "the thread that compiles schemas has ended": self._thread.ident is not None
            and not self._thread.is_alive(),
            "a watch of the cluster has ended": bool(self._informer.dead()),
            "the watch of definitions has ended": bool(self._definitions.dead()),
        }
        return tuple(reason for reason, found in ended.items() if found)

    def _waiting(self) -> list[str]:
        return sorted({*self._informer.view.waiting_for(), *self._definitions.view.waiting_for()})

    def refused(self) -> tuple[str, ...]:
        """Return the resources that the webhook may not list: rules that need them are not checked."""
        return tuple(sorted({each.resource.plural for each in self._refused()}))

    def _missing_rights(self) -> list[str]:
        """The refused resources. Only OpenShift, which has an operator Network, has the namespaces of single parts."""
        elsewhere = not self._informer.view.objects(OPERATOR_NETWORKS.group_kind)
        missing = (each for each in self._refused() if not (each.part.namespace and elsewhere))
        return sorted({each.resource.plural for each in missing})

    def _refused(self) -> list[Cache]:
        views = (self._informer.view, self._definitions.view)
        caches = (cache for view in views for caches in view.caches.values() for cache in caches)
        return [each for each in caches if each.served is Served.REFUSED]

    def _follow(self) -> None:
        while True:
            self._changed.wait()
            self._changed.clear()
            if self._definitions.view.waiting_for():
                continue
            # Without permission to list definitions, bundled ones judge.
            self._schemas.take(self._definitions.view.objects(CRDS.group_kind) or ())
            self._settled = True
            # The API server serves a new resource shortly after its definition arrives.
            self._informer.nudge()
