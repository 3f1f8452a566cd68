"""FRR nodes in network namespaces on one segment, started side by side."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Self, TypeVar

from tests.testbed import netns, parts
from tests.testbed.frr_daemons import FrrDaemons
from tests.testbed.process import BedError, scratch, wait_until

ESTABLISHED_SECONDS = 100.0
# vtysh at the same time: more would only wait for processors.
_TOGETHER: Final = 4

_T = TypeVar("_T")


class FrrNode(FrrDaemons):
    """One node: a name, its addresses on the shared segment, the gateway addresses of its pod subnets, an frr.conf.

    Addresses are given with prefix length. Pod addresses sit on a link of their own (`pods0`), so that their subnets
    are connected routes, as they are on a node. Runs while its lab does.
    """

    def __init__(self, name: str, addresses: Sequence[str], conf: str, pods: Sequence[str] = ()) -> None:
        super().__init__(name)
        self.addresses, self.conf, self.pods = tuple(addresses), conf, tuple(pods)

    def place(self, segment: netns.Segment, undo: contextlib.ExitStack) -> None:
        """Make the machine on a segment."""
        made = self._ns = undo.enter_context(netns.Namespace(self.name, undo.enter_context(scratch(self.name))))
        segment.plug(made)
        for address in self.addresses:
            made.add_address("eth0", address)
        made.ip("link", "add", "pods0", "type", "veth", "peer", "name", "pods1")
        for device in ("pods0", "pods1"):
            made.ip("link", "set", device, "up")
        for address in self.pods:
            made.add_address("pods0", address)
        made.forward()

    def configure(self) -> None:
        """Give FRR the node's configuration; BedError with vtysh's words when it is refused."""
        self.wait()
        if problems := self.load(self.conf):
            raise BedError(f"node {self.name} refuses its frr.conf: " + "; ".join(problems))


class FrrLab:
    """Nodes on one segment while the context lasts; logs in `directory`. LookupError when FRR is missing."""

    def __init__(self, nodes: Sequence[FrrNode], directory: Path, part: parts.Part | None = None) -> None:
        self.nodes = {node.name: node for node in nodes}
        self._directory = directory
        self._part = parts.find().frr if part is None else part
        self._cleanup = contextlib.ExitStack()
        self._machines: dict[str, contextlib.ExitStack] = {}

    def __enter__(self) -> Self:
        self._part.tool("bgpd")
        self._directory.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as undo:
            self._cleanup = undo
            self.segment = undo.enter_context(netns.Segment("segment", undo.enter_context(scratch("segment"))))
            undo.callback(self._terminate)
            nodes = tuple(self.nodes.values())
            self.place(nodes)
            self.start(nodes)
            self._cleanup = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._terminate()
        self._cleanup.close()

    def __getitem__(self, name: str) -> FrrNode:
        return self.nodes[name]

    def _terminate(self) -> None:
        for node in self.nodes.values():
            node.terminate()

    def place(self, nodes: Sequence[FrrNode]) -> None:
        """Make the machines of these nodes; nothing runs on them yet."""
        for node in nodes:
            self.nodes[node.name] = node
            self._machines[node.name] = self._cleanup.enter_context(contextlib.ExitStack())
            node.place(self.segment, self._machines[node.name])

    def start(self, nodes: Sequence[FrrNode]) -> None:
        """Start FRR on these nodes, all before any is waited for, and configure it.

        Programs belong to the calling thread; vtysh may run in others.
        """
        for node in nodes:
            node.start(node.namespace, self._part, self._directory, self._machines[node.name])
        self.each(FrrNode.configure, nodes)

    def each(self, task: Callable[[FrrNode], _T], nodes: Iterable[FrrNode] | None = None) -> list[_T]:
        """Run a task for every node, a few at a time; the first error after all have ended."""
        with ThreadPoolExecutor(_TOGETHER) as pool:
            return list(pool.map(task, self.nodes.values() if nodes is None else nodes))

    def remove(self, name: str) -> None:
        """The machine goes away with all that runs on it."""
        self.nodes.pop(name).terminate()
        self._machines.pop(name).close()

    def wait_established(self, seconds: float = ESTABLISHED_SECONDS) -> None:
        """Return when every node has peers and each of them is Established; BedError naming the states otherwise."""
        states: dict[str, dict[str, str]] = {}

        def done() -> bool:
            states.update({name: node.peers() for name, node in self.nodes.items()})
            return all(peers and set(peers.values()) == {"Established"} for peers in states.values())

        try:
            wait_until(done, "BGP sessions", seconds)
        except BedError as error:
            raise BedError(f"{error}: {states}") from error
