"""The live cluster of one worker: its view, and the schemas that it serves, both kept by watches."""

import logging
import threading
import time
from typing import Final

from validators.cluster.cache import Served
from validators.cluster.client_protocol import Client
from validators.cluster.live_view import Informer
from validators.cluster.watched_kinds import CRDS, WATCHED, definitions
from validators.network.cluster_view import ClusterView
from webhook.admission.served_schemas import Schemas

log = logging.getLogger("ovnguard.cluster")
_STEP: Final = 0.02


class LiveCluster:
    """Everything that is watched. The threads belong to the process that starts it."""

    def __init__(self, client: Client, schemas: Schemas) -> None:
        """``schemas`` are those of the cluster from the first complete list of its definitions on."""
        self._schemas = schemas
        self._changed = threading.Event()
        self._informer = Informer(client, WATCHED, lambda: None, tolerant=True)
        self._definitions = Informer(client, definitions(), self._changed.set, tolerant=True)
        self._settled = False
        self._thread = threading.Thread(target=self._follow, name="schemas", daemon=True)

    @property
    def view(self) -> ClusterView:
        """What is known of the cluster."""
        return self._informer.view

    def start(self) -> None:
        """Begin to watch."""
        self._informer.start()
        self._definitions.start()
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until the view is complete and schemas are compiled, so long at most; return whether they are."""
        until = time.monotonic() + seconds
        while not self.synced() and time.monotonic() < until:
            time.sleep(_STEP)
        if not self.synced():
            waiting = [*self._informer.view.waiting_for(), *self._definitions.view.waiting_for()]
            log.warning("the cluster is not seen yet", extra={"fields": {"waiting": sorted(set(waiting))}})
        return self.synced()

    def synced(self) -> bool:
        """Whether everything was listed that the cluster shows us, and every schema of it judges."""
        return self._settled and not self._informer.view.waiting_for()

    def healthy(self) -> bool:
        """Whether all threads are at work."""
        begun = self._thread.ident is None or self._thread.is_alive()
        return begun and not self._informer.dead() and not self._definitions.dead()

    def unknown(self) -> tuple[str, ...]:
        """Return the resources that we may not see: what needs them is not checked."""
        caches = (cache for caches in self._informer.view.caches.values() for cache in caches)
        return tuple(sorted({each.resource.plural for each in caches if each.served is Served.REFUSED}))

    def _follow(self) -> None:
        while True:
            self._changed.wait()
            self._changed.clear()
            if self._definitions.view.waiting_for():
                continue
            # Where definitions are not shown to us, bundled ones judge.
            self._schemas.take(self._definitions.view.objects(CRDS.group_kind) or ())
            self._settled = True
            # A resource that was not served is, a moment after its definition came.
            self._informer.nudge()
