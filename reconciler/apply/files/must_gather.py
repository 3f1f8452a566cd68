"""A must-gather: the objects of a cluster as `oc adm inspect` writes them, and the databases of its nodes.

Folders of several images, or of several collections, lie next to each other; of two copies of an object the first one
counts. Secrets are never opened. A bundle of ours has the same layout.

Source: openshift/must-gather, collection-scripts/gather and gather_network_logs_basics; oc, pkg/cli/admin/inspect.
"""

import gzip
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, cast

from ovnguard.reconciler.apply.files.archive_files import ArchiveFile, files_in, files_in_tar
from ovnguard.reconciler.apply.files.ovsdb_file import PIECE, ByteStream
from ovnguard.reconciler.apply.store_errors import StoreCorruptError, file_error
from ovnguard.reconciler.plan.comparison.coverage import EVERYWHERE
from ovnguard.validators.manifest.documents import Document, EmptyList, Identity, SourceProblem
from ovnguard.validators.manifest.sources import MAX_FILE_BYTES, read_bytes

_OBJECTS: Final = re.compile(
    r"(?:.*/)?(?:cluster-scoped-resources|namespaces/(?P<namespace>[^/]+))/(?P<group>[^/]+)/"
    r"(?P<plural>[^/]+?)(?:/[^/]+)?\.(?:yaml|yml|json)"
)
# namespaces/NS/pods/POD/POD.yaml, and the namespace itself in namespaces/NS/NS.yaml
_POD: Final = re.compile(r"(?:.*/)?namespaces/(?P<namespace>[^/]+)/pods/(?P<name>[^/]+)/(?P=name)\.yaml")
_NAMESPACE: Final = re.compile(r"(?:.*/)?namespaces/(?P<namespace>[^/]+)/(?P=namespace)\.yaml")
_STORE: Final = re.compile(r"(?:.*/)?network_logs/ovnk_database_store\.(?:tar\.gz|tar|tgz)")
_DATABASE: Final = re.compile(r"(?:.*/)?(?P<pod>[^/]+)_(?P<kind>nbdb|sbdb)(?:\.gz)?")
MARKER: Final = "ovnguard-bundle.json"
"""The file in which a bundle says of which kinds it has every object of the cluster."""
_CENTRAL: Final = re.compile(r"(?:.*/)?leader_(?:nbdb|sbdb)(?:\.gz)?")
READ: Final = frozenset(
    {
        "core/configmaps",
        "core/namespaces",
        "core/nodes",
        "core/pods",
        "core/services",
        "apps/daemonsets",
        "apps/deployments",
        "apps/statefulsets",
        "config.openshift.io/clusterversions",
        "config.openshift.io/infrastructures",
        "config.openshift.io/networks",
        "discovery.k8s.io/endpointslices",
        "frrk8s.metallb.io/frrconfigurations",
        "k8s.cni.cncf.io/network-attachment-definitions",
        "k8s.cni.cncf.io/multi-networkpolicies",
        "k8s.ovn.org/adminpolicybasedexternalroutes",
        "k8s.ovn.org/clusternetworkconnects",
        "k8s.ovn.org/clusteruserdefinednetworks",
        "k8s.ovn.org/egressfirewalls",
        "k8s.ovn.org/egressips",
        "k8s.ovn.org/egressqoses",
        "k8s.ovn.org/egressservices",
        "k8s.ovn.org/networkqoses",
        "k8s.ovn.org/routeadvertisements",
        "k8s.ovn.org/uplinks",
        "k8s.ovn.org/uplinkstates",
        "k8s.ovn.org/userdefinednetworks",
        "kubevirt.io/virtualmachineinstances",
        "networking.k8s.io/networkpolicies",
        "operator.openshift.io/networks",
        "policy.networking.k8s.io/adminnetworkpolicies",
        "policy.networking.k8s.io/baselineadminnetworkpolicies",
    }
)
"""Group and plural of the kinds that a plan reads; files of all others stay closed."""


class Database(NamedTuple):
    """The Northbound database of a pod of ovnkube-node: the file's name, its content, and when it was collected, in
    seconds since 1970; 0 if that is unknown.
    """

    pod: str
    file: str
    stream: ByteStream
    collected: float = 0.0


@dataclass(frozen=True, slots=True)
class Collected:
    """What an archive holds.

    ``namespaces`` are those whose objects were collected, by group and plural; '' stands for objects without a
    namespace, `EVERYWHERE` for all objects of the cluster. ``central`` are the files of a database that served all
    nodes.
    """

    documents: tuple[Document, ...]
    problems: tuple[SourceProblem, ...]
    empty_lists: frozenset[EmptyList]
    namespaces: dict[str, frozenset[str]]
    central: tuple[str, ...]


@dataclass(slots=True)
class MustGather:
    """An archive or folder that is read twice: `collect` reads the objects, `databases` then one node at a time.

    ``spool`` is an empty folder, which gets copies of the databases that lie in a tar archive, as compressed as there.
    """

    path: Path
    spool: Path
    _stores: dict[str, Path] = field(default_factory=dict)
    _single: dict[str, tuple[Path, float]] = field(default_factory=dict)

    def collect(self) -> Collected:
        """Read all objects, and note where the databases are. Raises StoreError for a damaged archive."""
        objects = _Objects()
        central: list[str] = []
        is_folder = self.path.is_dir()
        for file in files_in(self.path):
            if _STORE.fullmatch(file.name):
                self._stores[file.name] = self.path / file.name if is_folder else self._copy(file)
            elif _CENTRAL.fullmatch(file.name):
                central.append(file.name)
            elif _DATABASE.fullmatch(file.name):
                self._single[file.name] = self.path / file.name if is_folder else self._copy(file), file.written
            elif file.name == MARKER:
                objects.add_whole_kinds(file)
            else:
                objects.add(file)
        if not objects.documents:
            raise StoreCorruptError(f"{self.path}: contains no objects as oc adm inspect writes them")
        return Collected(
            tuple(objects.documents.values()),
            tuple(objects.problems),
            frozenset(objects.empty_lists),
            {kind: frozenset(names) for kind, names in objects.namespaces.items()},
            tuple(central),
        )

    def databases(self) -> Iterator[Database]:
        """Yield the Northbound database of each pod; each is readable until the next one."""
        for file in self._database_files():
            yield from _northbound(file)

    def southbound(self, pods: Collection[str]) -> Path | None:
        """Copy the Southbound database of the first of ``pods`` that has one, None if none has; return its path."""
        for file in self._database_files():
            found = _DATABASE.fullmatch(file.name)
            if found is not None and found["kind"] == "sbdb" and found["pod"] in pods:
                return self._copy(file._replace(stream=_plain(file)))
        return None

    def _database_files(self) -> Iterator[ArchiveFile]:
        for name, (path, written) in self._single.items():
            with path.open("rb") as stream:
                yield ArchiveFile(name, stream, written)
        for name, store in self._stores.items():
            with store.open("rb") as stream:
                yield from files_in_tar(stream, name)

    def _copy(self, file: ArchiveFile) -> Path:
        """Copy a file out of the archive under a name of our own, because the archive is read in one direction."""
        path = self.spool / str(len(list(self.spool.iterdir())))
        try:
            with path.open("xb") as out:
                while piece := file.stream.read(PIECE):
                    out.write(piece)
        except OSError as error:
            raise file_error(error, path) from None
        return path


class _Objects:
    """The objects of the files so far."""

    def __init__(self) -> None:
        self.documents: dict[Identity, Document] = {}
        self.problems: list[SourceProblem] = []
        self.empty_lists: set[EmptyList] = set()
        self.namespaces: dict[str, set[str]] = {}

    def add_whole_kinds(self, file: ArchiveFile) -> None:
        """Read the marker of a bundle."""
        text = self._text(file)
        try:
            kinds = set(json.loads(text)["kinds"]) & READ
        except (ValueError, RecursionError, KeyError, TypeError):
            self.problems.append(SourceProblem(file.name, 1, 1, "does not name the kinds of a bundle"))
            return
        for kind in kinds:
            self.namespaces.setdefault(kind, set()).add(EVERYWHERE)

    def add(self, file: ArchiveFile) -> None:
        """Read a file if it has objects that a plan reads."""
        place = _place(file.name)
        if place is None:
            return
        kind, namespace = place
        self.namespaces.setdefault(kind, set()).add(namespace)
        text = self._text(file)
        loaded = read_bytes(file.name, text)
        for document in loaded.documents:
            # A Secret in a file of another name is not read either.
            if document.identity.kind != "Secret":
                self.documents.setdefault(document.identity, document)
        self.problems += loaded.problems
        self.empty_lists |= loaded.empty_lists

    def _text(self, file: ArchiveFile) -> bytes:
        """The content of a file, b'' for one that is too large."""
        text = b"".join(islice(iter(partial(file.stream.read, PIECE), b""), MAX_FILE_BYTES // PIECE + 1))
        if len(text) > MAX_FILE_BYTES:
            self.problems.append(SourceProblem(file.name, 1, 1, f"larger than {MAX_FILE_BYTES >> 20} MiB"))
            return b""
        return text


def _place(name: str) -> tuple[str, str] | None:
    """The kind of objects in a file, as group and plural, and their namespace; None for a file that stays closed."""
    for pattern, kind in ((_POD, "core/pods"), (_NAMESPACE, "core/namespaces")):
        if found := pattern.fullmatch(name):
            return kind, found["namespace"] if kind == "core/pods" else ""
    found = _OBJECTS.fullmatch(name)
    kind = f"{found['group']}/{found['plural']}" if found else ""
    return (kind, found["namespace"] or "") if found and kind in READ else None


def _northbound(file: ArchiveFile) -> Iterator[Database]:
    found = _DATABASE.fullmatch(file.name)
    if found is not None and found["kind"] == "nbdb":
        yield Database(found["pod"], file.name, _plain(file), file.written)


def _plain(file: ArchiveFile) -> ByteStream:
    """The content of a file, compressed or not."""
    return gzip.GzipFile(fileobj=cast("BinaryIO", file.stream)) if file.name.endswith(".gz") else file.stream
