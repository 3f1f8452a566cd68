"""A recording as a live cluster for `bundle`: lists by page, copies of databases through `execute`, logs; canaries.

A canary is a value that must not be in a bundle. All contain one word, so one search finds them.
"""

import base64
import gzip
import io
import json
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError
from tests.support.gathered_archive import Tables, database_file, objects_of, plural_of
from tests.support.recorded_rows import recording

CANARY: Final = "c4n4rydeadbeef"
_BUILT_IN: Final = ("v1", "apps/v1", "discovery.k8s.io/v1", "networking.k8s.io/v1")
_PAGE: Final = 3


class BundledCluster:
    """The cluster of the recording ``name``; ``change`` edits the tables of a node.

    ``refused`` are the errors of requests by the last part of their path, ``broken`` the nodes whose copies break off.
    """

    def __init__(self, name: str, change: Callable[[str, Tables], None] = lambda _node, _tables: None) -> None:
        self.objects = objects_of(name)
        self.refused: dict[str, Exception] = {}
        self.broken: set[str] = set()
        self.requests: list[str] = []
        self.northbound = {}
        for node, tables in recording(name)["northbound"].items():
            copied: Tables = json.loads(json.dumps(tables))
            change(node, copied)
            self.northbound[node] = copied

    @property
    def absent(self) -> list[str]:
        """The nodes without a recorded database."""
        nodes = {each["metadata"]["name"] for each in self.objects if each["kind"] == "Node"}
        return sorted(nodes - self.northbound.keys())

    @property
    def exit_code(self) -> int:
        """That of a bundle of everything."""
        return 1 if self.absent else 0

    def request(self, method: str, path: str, query: Mapping[str, str] | None = None, *_: object) -> dict[str, Any]:
        assert method == "GET"
        self.requests.append(path)
        if path == "/version":
            return {"gitVersion": "v1.36.1"}
        self._refuse(path)
        query = query or {}
        found = [each for each in self.objects if _is_listed(each, path) and _is_selected(each, query)]
        start = int(query.get("continue", "0"))
        more = {"continue": str(start + _PAGE)} if start + _PAGE < len(found) and "limit" in query else {}
        items = found[start : start + _PAGE] if "limit" in query else found
        return {"items": list(map(_as_item, items)), "metadata": more}

    def execute(self, path: str, container: str, command: Sequence[str]) -> Iterator[bytes]:
        self.requests.append(path)
        self._refuse(path)
        assert container == "nbdb"
        node = path.split("/")[-2].removeprefix("ovnkube-node-")
        assert command[:2] == ("ovsdb-client", "backup")
        if command[2:] == ("unix:/var/run/ovn/ovnsb_db.sock", "OVN_Southbound"):
            yield b"southbound"
            return
        assert command[2:] == ("unix:/var/run/ovn/ovnnb_db.sock", "OVN_Northbound")
        data = database_file(self.northbound[node])
        yield data[:100]
        if node in self.broken:
            raise ClusterError("the connection ended before the command")
        yield data[100:]

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[bytes]:
        self._refuse(path)
        yield f"log of {path} {query['container']}".encode()

    def watch(self, *_: object) -> Any:
        raise AssertionError("a bundle watches nothing")

    def close(self) -> None:
        """Nothing is open."""

    def _refuse(self, path: str) -> None:
        for end, error in self.refused.items():
            if path.endswith(end):
                raise error


FORBIDDEN: Final = ApiStatusError(403, "Forbidden", "may not")


def contents(bundle: bytes) -> dict[str, bytes]:
    """The files of a bundle."""
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(bundle))) as tar:
        opened = ((member.name, tar.extractfile(member)) for member in tar)
        return {name: file.read() for name, file in opened if file is not None}


def has_canary(bundle: Path) -> list[str]:
    """The files of a bundle with a canary, or with one in base64."""
    encoded = [base64.b64encode(b"x" * shift + CANARY.encode())[4 : 4 + 12] for shift in range(3)]
    marks = [CANARY.encode(), *encoded]
    files = {**contents(bundle.read_bytes()), "names": "\n".join(contents(bundle.read_bytes())).encode()}
    return [name for name, data in files.items() if any(mark in data for mark in marks)]


def _is_listed(obj: Mapping[str, Any], path: str) -> bool:
    group = obj["apiVersion"]
    root = f"/apis/{group}" if "/" in group else f"/api/{group}"
    plural = plural_of(obj["kind"])
    namespace = obj["metadata"].get("namespace")
    return path in (f"{root}/{plural}", *([f"{root}/namespaces/{namespace}/{plural}"] if namespace else []))


def _is_selected(obj: Mapping[str, Any], query: Mapping[str, str]) -> bool:
    for field in filter(None, query.get("fieldSelector", "").split(",")):
        name, _, value = field.partition("=")
        if {"metadata.name": obj["metadata"]["name"], "source": obj.get("reportingComponent")}.get(name) != value:
            return False
    wanted = [each.split("=") for each in filter(None, query.get("labelSelector", "").split(","))]
    labels = obj["metadata"].get("labels", {})
    return all(labels.get(key) == value for key, value in wanted)


def _as_item(obj: Mapping[str, Any]) -> dict[str, Any]:
    """Items of built-in kinds do not name their kind."""
    if obj["apiVersion"] not in _BUILT_IN:
        return dict(obj)
    return {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}
