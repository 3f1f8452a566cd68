"""What runs in a large cluster: an API server, kwok, a Northbound database, our processes, clients that make pods."""

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

from ovnguard.reconciler.apply.ovn.session import Session
from ovnguard.validators.cluster.client_protocol import ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import connect
from tests.bench import cluster_objects as objects
from tests.bench.own_requests import OwnRequests, writes
from tests.support.deployed.installed import served_crds
from tests.support.deployed.running import ACCOUNTS, OURS, as_deployed, bound_to
from tests.testbed import parts
from tests.testbed.apiserver import ApiServer, free_port
from tests.testbed.kwok_controller import Kwok
from tests.testbed.ovn import OvnZone
from tests.testbed.process import Child

PROGRAM: Final = Path(sys.executable).parent / "ovnguard-reconciler"
_CLIENTS: Final = 8
LEADER: Final = "ovnguard-reconciler-cluster"
_STATUSES: Final = re.compile(
    r'^apiserver_request_total\{(?=.*resource="nodes")(?=.*subresource="status").*\} (\S+)$', re.MULTILINE
)
_TICKS: Final = os.sysconf("SC_CLK_TCK")


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
    """What runs, while the context lasts; ``options`` are those of leader and zone."""

    def __init__(self, size: Size, folder: Path, *options: str) -> None:
        self.size, self.folder, self._options = size, folder, options
        self.started: dict[tuple[int, int], float] = {}
        """When the pod of a network on a node was created, by their numbers."""
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as undo:
            found = parts.find()
            self._requests = OwnRequests(self.folder / "audit", OURS)
            self.api = undo.enter_context(ApiServer(self.folder / "api", found, self._requests.flags))
            undo.enter_context(served_crds(self.api))
            self.kwok = undo.enter_context(Kwok(found.kwok, self.api.kubeconfig, self.folder / "kwok")).child
            self._leader = as_deployed(self.api, self.folder, LEADER, *ACCOUNTS)
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

    def lead(self) -> tuple[Child, int]:
        """Start the leader; return it and the port of its metrics."""
        return self._run("leader", self._leader, "cluster")

    def render(self) -> tuple[Child, int]:
        """Start the zone of the first node; return it and the port of its metrics."""
        node = objects.node_name(1)
        kubeconfig = bound_to(self.api, self.folder, node)
        return self._run("zone", kubeconfig, "run", "--node", node, "--nb-db", self.ovn.nb, "--report", OURS)

    def _run(self, name: str, kubeconfig: Path, *options: str) -> tuple[Child, int]:
        port = free_port()
        where = ("--kubeconfig", str(kubeconfig), "--metrics-bind-address", f"127.0.0.1:{port}")
        common = ("--mode", "own", "--log-format", "json", *self._options)
        child = Child(name, [PROGRAM, *options, *common, *where], self.folder / f"{name}.log")
        self._undo.enter_context(child)
        return child, port

    def create(self, path: str, made: Iterable[dict[str, Any]]) -> None:
        """Create objects, several at a time."""
        list(self._workers.map(lambda each: self._create(path, each), made))

    def _create(self, path: str, obj: dict[str, Any]) -> None:
        self._client.request("POST", path, None, obj)

    def start_pod(self, index: int, number: int) -> None:
        """Create a pod, which kwok runs."""
        self.started[index, number] = time.monotonic()
        self._create(objects.PODS.format(f"n{index}"), objects.pod(index, number))

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

    def running(self) -> int:
        """How many pods of networks kwok runs."""
        items = self.api.request("GET", f"{objects.ALL_PODS}?fieldSelector=status.phase%3DRunning")[1]["items"]
        return sum(item["metadata"].get("labels") == objects.POD_LABELS for item in items)

    def statuses(self) -> int:
        """How often kwok has written the status of a node."""
        return int(sum(map(float, _STATUSES.findall(str(self.api.request("GET", "/metrics")[1])))))

    def requests(self) -> Counter[str]:
        """The requests of our processes so far, by verb and resource."""
        return self._requests.count()

    def rests(self, seconds: float) -> bool:
        """Whether our processes write nothing but Leases for so long."""
        before = self.requests()
        time.sleep(seconds)
        return not writes(self.requests() - before)


def text_of(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
        return str(answer.read().decode())


def memory(child: Child | int, name: str) -> float:
    """MiB of a process, or of that with an id: VmRSS now, VmHWM at most so far."""
    pid = child if isinstance(child, int) else child.pid
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    return next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(f"{name}:"))


def seconds(child: Child) -> float:
    """Processor time."""
    fields = Path(f"/proc/{child.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
