"""Collects a cluster into a bundle. What cannot be read is noted, and the rest is collected."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from tempfile import TemporaryFile
from typing import IO, Final

from ovnguard.reconciler.apply.bundle.anonymous_database import anonymous_database
from ovnguard.reconciler.apply.bundle.bundle_file import BundleFile
from ovnguard.reconciler.apply.bundle.bundled_kinds import BUNDLED, Bundled
from ovnguard.reconciler.apply.bundle.listing import pages
from ovnguard.reconciler.apply.bundle.zone_pods import NORTHBOUND, SOUTHBOUND, ZonePod, ovnkube_pods
from ovnguard.reconciler.apply.ovn.backup import backup
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.plan.bundle.anonymous import Anonymous
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError, PodClient
from ovnguard.validators.cluster.resources import NODES

_DATABASES: Final = "network_logs/ovnk_database_store"


@dataclass(slots=True)
class Collection:
    """What is collected of the cluster of ``client`` into ``file``.

    ``tell`` hears what is collected next. ``unread`` are the texts about what could not be read, ``kinds`` the kinds of
    which every object is in the bundle, ``missing`` the nodes without a database. ``anonymous`` renames what is added.
    """

    client: PodClient
    file: BundleFile
    tell: Callable[[str], None]
    unread: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    nodes: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    anonymous: Anonymous | None = None
    _number: int = 0

    def objects(self) -> None:
        """Collect the objects. Raises ClusterError when the cluster cannot be reached."""
        for bundled, page in self._listed():
            self._add(bundled.kind, page)

    def anonymous_objects(self, key: bytes) -> None:
        """Collect the objects under other names, by ``key``, and everything that follows, too. Raises ClusterError."""
        listed = list(self._listed())
        self.anonymous = Anonymous(key, [obj for _, page in listed for obj in page])
        for bundled, page in listed:
            self._add(bundled.kind, self.anonymous.objects(page))
        self._add("apps/daemonsets", [self.anonymous.options()])

    def _listed(self) -> Iterator[tuple[Bundled, Sequence[JsonObject]]]:
        for bundled in BUNDLED:
            self.tell(bundled.resource.plural)
            try:
                for page in pages(self.client, bundled):
                    self.nodes |= {obj["metadata"]["name"] for obj in page if bundled.resource is NODES}
                    yield bundled, page
            except ApiStatusError as error:
                self.unread.append(f"{bundled.resource.plural}: {error}")
            else:
                self.kinds += [bundled.kind] if bundled.is_whole else []

    def _add(self, kind: str, page: Iterable[JsonObject]) -> None:
        places: dict[str, list[JsonObject]] = {}
        for obj in page:
            namespace = obj["metadata"].get("namespace", "")
            places.setdefault(f"namespaces/{namespace}" if namespace else "cluster-scoped-resources", []).append(obj)
        for place, items in places.items():
            self._number += 1
            self.file.add_objects(f"{place}/{kind}/{self._number}.json", items)

    def databases(self, stores: Mapping[str, NorthboundStore], milliseconds: int) -> None:
        """Collect the Northbound database of every node, from ``stores`` or its pod, and from pods the Southbound one.

        A Southbound database is never anonymous. Raises ClusterError when the cluster cannot be reached.
        """
        pods = {pod.node: pod for pod in self._pods() if pod.server}
        for node in sorted(self.nodes | stores.keys() | pods.keys()):
            self.tell(f"databases of {node}")
            if node in stores:
                pieces = _backup(stores[node], milliseconds)
                is_read = self._spooled(f"Northbound database of {node}", f"{_DATABASES}/", f"{node}_nbdb", pieces)
            elif node in pods:
                is_read = self._from_pod(pods[node], NORTHBOUND)
                if self.anonymous is None:
                    self._from_pod(pods[node], SOUTHBOUND)
            else:
                self.unread.append(f"Northbound database of {node}: no pod of OVN-Kubernetes serves it")
                is_read = False
            self.missing |= set() if is_read else {node}

    def _pods(self) -> tuple[ZonePod, ...]:
        try:
            return ovnkube_pods(self.client)
        except ApiStatusError as error:
            self.unread.append(f"pods of OVN-Kubernetes: {error}")
            return ()

    def _from_pod(self, pod: ZonePod, database: tuple[str, str]) -> bool:
        short, name = database
        pieces = pod.backup(self.client, database)
        return self._spooled(f"{name} of {pod.node}", f"{_DATABASES}/", f"{pod.name}_{short}db", pieces)

    def logs(self) -> None:
        """Collect the logs of OVN-Kubernetes' pods, as a must-gather places them."""
        for pod in self._pods():
            for container in pod.containers:
                self.tell(f"logs of {pod.name}")
                place = f"namespaces/{pod.namespace}/pods/{pod.name}/{container}/{container}/logs/"
                self._spooled(f"log of {pod.name} {container}", place, "current.log", pod.log(self.client, container))

    def _spooled(self, what: str, folder: str, name: str, pieces: Iterable[bytes]) -> bool:
        """Add a file whose size is known only at its end."""
        with TemporaryFile() as spool:
            try:
                for piece in pieces:
                    spool.write(piece)
                if self.anonymous is not None:
                    name = self.anonymous.text(name)
                    _rewrite(spool, what, self.anonymous)
            except (ClusterError, StoreError) as error:
                self.unread.append(f"{what}: {error}")
                return False
            size = spool.tell()
            spool.seek(0)
            self.file.copy(f"{folder}{name}", spool, size)
        return True


def _backup(store: NorthboundStore, milliseconds: int) -> Iterator[bytes]:
    yield from store.answer_of(partial(backup, milliseconds=milliseconds))


def _rewrite(spool: IO[bytes], place: str, anonymous: Anonymous) -> None:
    """Replace a database file by one with other names."""
    spool.seek(0)
    records = anonymous_database(spool, place, anonymous)
    spool.seek(0)
    spool.truncate()
    spool.writelines(records)
