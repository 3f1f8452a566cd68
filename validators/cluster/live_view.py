"""The live cluster as a ClusterView over list-watch caches; reads never block."""

import threading
from collections.abc import Callable, Iterable, Sequence

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.cache import Cache, Served
from ovnguard.validators.cluster.client_protocol import Client
from ovnguard.validators.cluster.listwatch import ListWatch
from ovnguard.validators.cluster.resources import Part, Resource
from ovnguard.validators.cluster.watch_failures import WatchFailures
from ovnguard.validators.network.cluster_view import GroupKind


class LiveView:
    """Answers from caches. A kind that is not listed yet, not served or forbidden is unknown.

    Several watched parts of one kind form one result.
    """

    def __init__(self, caches: Iterable[Cache]) -> None:
        self.caches: dict[GroupKind, tuple[Cache, ...]] = {}
        for cache in caches:
            kind = cache.resource.group_kind
            self.caches[kind] = (*self.caches.get(kind, ()), cache)
        self._joined: dict[GroupKind, tuple[tuple[object, ...], tuple[JsonObject, ...]]] = {}

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return all objects of ``kind``, or None. The tuple is identical until an object changes."""
        caches = self.caches.get(kind, ())
        if len(caches) == 1:
            return caches[0].objects()
        parts = tuple(cache.objects() for cache in caches)
        known = tuple(part for part in parts if part is not None)
        if not parts or len(known) < len(parts):
            return None
        before, joined = self._joined.get(kind, ((), ()))
        if len(before) != len(parts) or any(one is not other for one, other in zip(before, parts, strict=True)):
            joined = tuple(obj for part in known for obj in part)
            self._joined[kind] = (parts, joined)
        return joined

    def emptied(self) -> frozenset[GroupKind]:
        """Return the kinds of which the API server suddenly lists nothing, without an event for each object."""
        return frozenset(kind for kind, caches in self.caches.items() if any(each.emptied for each in caches))

    def waiting_for(self) -> tuple[str, ...]:
        """Return the resources whose first list is still pending."""
        every = (cache for caches in self.caches.values() for cache in caches)
        return tuple(dict.fromkeys(each.resource.plural for each in every if each.served is Served.UNKNOWN))


class Informer:
    """The threads that keep a LiveView of several resources fresh; ``failures`` are those of their watches."""

    def __init__(
        self,
        client: Client,
        resources: Iterable[Resource | tuple[Resource, Part]],
        on_change: Callable[[], None],
        *,
        tolerant: bool = False,
    ) -> None:
        """``tolerant``: treat forbidden resources as unknown instead of waiting for access."""
        self._stop = threading.Event()
        caches = [Cache(*each) if isinstance(each, tuple) else Cache(each) for each in resources]
        self.view = LiveView(caches)
        self.failures = WatchFailures()
        self._list_watches = [
            ListWatch(client, cache, on_change, self._stop, tolerant=tolerant, failures=self.failures)
            for cache in caches
        ]
        # Daemon threads, since a thread that hangs in the network must not keep the process alive.
        self._threads = [
            threading.Thread(target=each.run, name=f"watch-{cache.resource.plural}", daemon=True)
            for each, cache in zip(self._list_watches, caches, strict=True)
        ]

    @property
    def refusals(self) -> int:
        """The number of reads that the API server refused."""
        return sum(each.refusals for each in self._list_watches)

    def start(self) -> None:
        """Start to list and watch."""
        for thread in self._threads:
            thread.start()

    def nudge(self) -> None:
        """Retry missing and forbidden resources at once, after a change to definitions or permissions."""
        for each in self._list_watches:
            each.nudge()

    def stop(self, timeout: float = 1.0) -> None:
        """End all watches and wait for the threads, ``timeout`` seconds at most."""
        self._stop.set()
        for each in self._list_watches:
            each.interrupt()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout / len(self._threads))

    def dead(self) -> tuple[str, ...]:
        """Return the threads that ended without a stop request, which is a bug."""
        if self._stop.is_set():
            return ()
        return tuple(thread.name for thread in self._threads if thread.ident is not None and not thread.is_alive())
