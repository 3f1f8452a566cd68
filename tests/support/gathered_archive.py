"""A must-gather made from a recording: objects in the layout of `oc adm inspect`, and a database file for each node."""

import io
import json
import tarfile
from collections.abc import Callable, Mapping
from hashlib import sha1
from pathlib import Path
from typing import Any, Final

from ovnguard.reconciler.apply.files.must_gather import MARKER, READ
from tests.support.paths import shared_folder
from tests.support.recorded_cluster import recorded_cluster
from tests.support.recorded_rows import recording

# The namespaces that a must-gather collects without being asked.
COLLECTED: Final = frozenset({"default", "kube-system", "openshift", "openshift-ovn-kubernetes", "openshift-dns"})
_EVERYWHERE: Final = frozenset({"NetworkAttachmentDefinition"})
_NEVER: Final = frozenset({"EgressService", "IPAMClaim", "ClusterNetworkConnect", "Uplink", "UplinkState"})
_PLURALS: Final = {
    "NetworkAttachmentDefinition": "network-attachment-definitions",
    "EgressQoS": "egressqoses",
    "RouteAdvertisements": "routeadvertisements",
}
Tables = dict[str, dict[str, dict[str, Any]]]


def write_archive(
    path: Path,
    name: str,
    *,
    collected: frozenset[str] | None = COLLECTED,
    change: Callable[[str, Tables], None] = lambda _node, _tables: None,
    is_whole: bool = False,
    databases: Mapping[str, bytes] | None = None,
    prefix: str = "must-gather.local.1/quay-io-openshift-sha256-1/",
) -> Path:
    """Write the recording ``name`` as an archive. ``collected`` are the namespaces whose objects are in it, None for
    all objects; ``change`` edits the tables of a node before they are written. ``is_whole``: the archive says, as a
    bundle does, that no object of the cluster is missing. ``databases`` are files in place of those of the recording.
    """
    data = recording(name)
    nodes = sorted(data["northbound"])
    objects = [each for each in objects_of(name) if _is_collected(each, collected)]
    files = {f"{prefix}{place_of(each)}": json.dumps(each).encode() for each in objects}
    stored = dict(databases or {})
    for node in () if stored else nodes:
        tables: Tables = json.loads(json.dumps(data["northbound"][node]))
        change(node, tables)
        stored[f"./ovnkube-node-{node}_nbdb"] = database_file(tables)
    if is_whole:
        files[MARKER] = json.dumps({"kinds": sorted(READ)}).encode()
    files[f"{prefix}network_logs/ovnk_database_store.tar.gz"] = packed(stored)
    path.write_bytes(packed(files))
    return path


def objects_of(name: str) -> list[dict[str, Any]]:
    """The objects of the cluster of a recording."""
    data = recording(name)
    return [*recorded_cluster(data), *map(zone_pod, sorted(data["northbound"])), cluster_version()]


def plural_of(kind: str) -> str:
    """The plural of a kind."""
    return _PLURALS.get(kind, f"{kind.lower()}s")


def row_of(tables: Tables, table: str, **wanted: Any) -> str:
    """The UUID of a row with these values."""
    return next(uuid for uuid, row in sorted(tables[table].items()) if wanted.items() <= row.items())


def removed(table: str, **wanted: Any) -> Callable[[Tables], None]:
    """A change that removes a row with these values, and every reference to it."""

    def change(tables: Tables) -> None:
        gone = row_of(tables, table, **wanted)
        del tables[table][gone]
        for rows in tables.values():
            for row in rows.values():
                for column, value in row.items():
                    row[column] = _without(value, ["uuid", gone])

    return change


def _without(value: Any, reference: list[str]) -> Any:
    if value == reference:
        return ["set", []]
    is_set = isinstance(value, list) and value[0] == "set"
    return ["set", [each for each in value[1] if each != reference]] if is_set else value


def database_file(tables: Mapping[str, Any]) -> bytes:
    """A database file with these rows, as ovsdb-server writes one after a compaction."""
    shared = shared_folder()
    assert shared is not None
    schema = json.loads((shared / "peers" / "ovnkube-rows" / "ovn-nb.ovsschema").read_text(encoding="utf-8"))
    return record(schema) + record({**tables, "_date": 1_790_000_000_000, "_comment": "compacting database online"})


def packed(files: Mapping[str, bytes], moment: int = 0) -> bytes:
    """A .tar.gz of files that were written at a ``moment``, 0 for an unknown one."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz", compresslevel=1) as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), moment
            tar.addfile(info, io.BytesIO(content))
    return written.getvalue()


def record(value: Any, magic: str = "JSON") -> bytes:
    """One record of a database file."""
    text = json.dumps(value).encode() + b"\n"
    return f"OVSDB {magic} {len(text)} {sha1(text, usedforsecurity=False).hexdigest()}\n".encode() + text


def _is_collected(obj: Mapping[str, Any], collected: frozenset[str] | None) -> bool:
    if collected is None or obj["kind"] in _EVERYWHERE:
        return True
    namespace = obj["metadata"]["name"] if obj["kind"] == "Namespace" else obj["metadata"].get("namespace")
    return obj["kind"] not in _NEVER and (namespace is None or namespace in collected)


def place_of(obj: Mapping[str, Any]) -> str:
    """The file of an object."""
    group = obj["apiVersion"].rpartition("/")[0] or "core"
    name, namespace = obj["metadata"]["name"], obj["metadata"].get("namespace")
    plural = plural_of(obj["kind"])
    if namespace is None:
        return f"cluster-scoped-resources/{group}/{plural}/{name}.yaml"
    if obj["kind"] == "Pod":
        return f"namespaces/{namespace}/pods/{name}/{name}.yaml"
    return f"namespaces/{namespace}/{group}/{plural}/{name}.yaml"


def _object(version: str, kind: str, name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **more}


def zone_pod(node: str) -> dict[str, Any]:
    """The pod whose name says which node a database is of."""
    spec = {"nodeName": node, "hostNetwork": True, "containers": [{"name": "nbdb"}]}
    return _object("v1", "Pod", f"ovnkube-node-{node}", "openshift-ovn-kubernetes", spec=spec)


def cluster_version() -> dict[str, Any]:
    """The release of the cluster."""
    return _object("config.openshift.io/v1", "ClusterVersion", "version", status={"desired": {"version": "4.20.3"}})
