"""What runs in a large cluster: an API server, a Northbound database, our processes, and clients that start pods."""

import os
import re
import signal
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from reconciler.apply.ovn.session import Session
from tests.bench import cluster_objects as objects
from tests.support.deployed.installed import served_crds
from tests.testbed.apiserver import ApiServer, free_port
from tests.testbed.ovn import OvnZone
from tests.testbed.process import Child
from validators.cluster.client_protocol import ClusterOptions
from validators.cluster.kubernetes_client import connect

PROGRAM: Final = Path(sys.executable).parent / "ovnguard-reconciler"
_CLIENTS: Final = 8
_COUNT: Final = re.compile(r"^apiserver_request_total\{(.*)\} (\S+)$", re.MULTILINE)
_WRITES: Final = frozenset(("POST", "PUT", "PATCH", "APPLY", "DELETE"))
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_STATUS: Final = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}


@dataclass(frozen=True, slots=True)
class Size:
    """``users`` nodes use ``used`` networks each, all others none until the burst; pods come at ``rate`` a second to
    the measured node; ``quiet`` seconds pass without changes.
    """

    networks: int
    nodes: int
    users: int
    used: int
    burst: int
    seconds: float
    rate: float = 5.0
    quiet: float = 30.0


class Cluster:
    """What runs, while the context lasts."""

    def __init__(self, size: Size, folder: Path) -> None:
        self.size, self.folder = size, folder
        self.started: dict[tuple[int, int], float] = {}
        """When the pod of a network on a node was created, by their numbers."""
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as undo:
            self.api = undo.enter_context(ApiServer(self.folder / "api"))
            undo.enter_context(served_crds(self.api))
            self._client = connect(ClusterOptions(str(self.api.kubeconfig)))
            self._workers = undo.enter_context(ThreadPoolExecutor(_CLIENTS))
            self.ovn = undo.enter_context(OvnZone("scale", self.folder / "ovn"))
            os.kill(self.ovn.pids()["northd"], signal.SIGKILL)
            self._session = Session(self.ovn.nb, 60.0, lambda: False)
            undo.callback(self._session.close)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def run(self, name: str, *options: str) -> tuple[Child, int]:
        """Start one of our processes; return it and the port of its metrics."""
        port = free_port()
        where = ("--kubeconfig", str(self.api.kubeconfig), "--metrics-bind-address", f"127.0.0.1:{port}")
        common = ("--mode", "own", "--log-format", "json", "--dynamic-udn-allocation")
        child = Child(name, [PROGRAM, *options, *common, *where], self.folder / f"{name}.log")
        self._undo.enter_context(child)
        return child, port

    def create(self, path: str, made: Iterable[dict[str, Any]]) -> None:
        """Create objects with their state, several at a time."""
        list(self._workers.map(lambda each: self._create(path, each), made))

    def _create(self, path: str, obj: dict[str, Any]) -> None:
        self._client.request("POST", path, None, obj)

    def start_pod(self, index: int, number: int) -> None:
        """Create a pod and let it run, as kwok does."""
        made = objects.pod(index, number)
        path = objects.PODS.format(f"n{index}")
        self.started[index, number] = time.monotonic()
        self._client.request("POST", path, None, made)
        place = f"{path}/{made['metadata']['name']}/status"
        self._client.request("PATCH", place, None, _STATUS, "application/merge-patch+json")

    def start_pods(self, places: list[tuple[int, int]], seconds: float = 0.0, look: Callable[[], Any] = int) -> float:
        """Start pods of networks on nodes, evenly over ``seconds``; return how long it took. ``look`` is called in
        between.
        """
        began = time.monotonic()
        waiting = []
        for count, place in enumerate(places):
            while (left := began + seconds * count / len(places) - time.monotonic()) > 0:
                look()
                time.sleep(min(left, 0.02))
            waiting.append(self._workers.submit(self.start_pod, *place))
        while not all(each.done() for each in waiting):
            look()
            time.sleep(0.02)
        for each in waiting:
            each.result()
        return time.monotonic() - began

    def rendered(self) -> set[str]:
        """The networks that the zone renders, by their gateway routers."""
        select = {"op": "select", "table": "Logical_Router", "where": [], "columns": ["name"]}
        names = (row["name"] for row in self._session.transact([select])[0]["rows"])
        end = f"_{objects.node_name(1)}"
        return {name[3 : -len(end)] for name in names if name.startswith("GR_cluster_udn_") and name.endswith(end)}

    def rows(self) -> int:
        """The rows of all tables that ovnguard writes."""
        schema = self._session.schema
        selects = [{"op": "select", "table": table, "where": [], "columns": ["_uuid"]} for table in schema.tables]
        return sum(len(found["rows"]) for found in self._session.transact(selects))

    def requests(self) -> Counter[str]:
        """The requests that the API server has counted, by verb and resource."""
        found: Counter[str] = Counter()
        for labels, count in _COUNT.findall(str(self.api.request("GET", "/metrics")[1])):
            named = dict(re.findall(r'(\w+)="([^"]*)"', labels))
            if named["resource"]:
                found[f"{named['verb']} {named['resource']}"] += int(float(count))
        return found

    def rests(self, seconds: float) -> bool:
        """Whether nobody writes anything but Leases for so long."""
        kinds = self.rate(seconds)[1]
        return not any(count for kind, count in kinds.items() if kind.split()[0] in _WRITES and "leases" not in kind)

    def rate(self, seconds: float) -> tuple[float, Counter[str]]:
        """Requests a second while nothing changes, and which these are."""
        before, began = self.requests(), time.monotonic()
        time.sleep(seconds)
        after = self.requests()
        passed = time.monotonic() - began
        after.subtract(before)
        return sum(after.values()) / passed, after


def text_of(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
        return str(answer.read().decode())


def memory(child: Child, name: str) -> float:
    """MiB: VmRSS now, VmHWM at most so far."""
    text = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii", errors="replace")
    return next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(f"{name}:"))


def seconds(child: Child) -> float:
    """Processor time."""
    fields = Path(f"/proc/{child.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
