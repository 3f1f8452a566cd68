"""The live cluster as a ClusterView, over caches that list-watches keep: asking it never waits."""

import threading
from collections.abc import Callable, Iterable, Sequence

from validators.cluster.api import Client
from validators.cluster.cache import Cache, Served
from validators.cluster.listwatch import ListWatch
from validators.cluster.resources import Resource
from validators.json_types import JsonObject
from validators.network.view import GroupKind


class LiveView:
    """Answers from caches. A kind that is not listed yet, or not served by the cluster, counts as not known."""

    def __init__(self, caches: Iterable[Cache]) -> None:
        self._caches = {cache.resource.group_kind: cache for cache in caches}

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return all objects of ``kind``, or None."""
        cache = self._caches.get(kind)
        return None if cache is None else cache.objects()

    def waiting_for(self) -> tuple[str, ...]:
        """Return the resources whose first list is still to come."""
        return tuple(cache.resource.plural for cache in self._caches.values() if cache.served is Served.UNKNOWN)


class Informer:
    """The threads that keep a LiveView of several resources fresh."""

    def __init__(self, client: Client, resources: Iterable[Resource], on_change: Callable[[], None]) -> None:
        self._stop = threading.Event()
        caches = [Cache(resource) for resource in resources]
        self.view = LiveView(caches)
        self._list_watches = [ListWatch(client, cache, on_change, self._stop) for cache in caches]
        # A thread that hangs in the network must not keep the process: hence daemons.
        self._threads = [
            threading.Thread(target=each.run, name=f"watch-{cache.resource.plural}", daemon=True)
            for each, cache in zip(self._list_watches, caches, strict=True)
        ]

    def start(self) -> None:
        """Begin to list and watch."""
        for thread in self._threads:
            thread.start()

    def stop(self, timeout: float = 1.0) -> None:
        """End all watches and wait for the threads, ``timeout`` seconds at most."""
        self._stop.set()
        for each in self._list_watches:
            each.interrupt()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout / len(self._threads))

    def dead(self) -> tuple[str, ...]:
        """Return the threads that ended although nobody asked them to: a fault of ours."""
        if self._stop.is_set():
            return ()
        return tuple(thread.name for thread in self._threads if thread.ident is not None and not thread.is_alive())
