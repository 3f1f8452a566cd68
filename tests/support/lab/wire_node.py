"""Programs on the hosts of nodes, such as the API server."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.testbed import talk
from tests.testbed.ovs import OvnNode
from tests.testbed.process import Child, wait_until

_START_SECONDS = 60.0


@contextlib.contextmanager
def host_server(node: OvnNode, port: int, kind: str = "tcp") -> Iterator[None]:
    """A server on a node's host while the context lasts; it tells the node's name."""
    argv: list[str | Path] = [sys.executable, "-I", Path(talk.__file__), "serve", kind, str(port), node.name]
    log = node.directory / f"{node.name}-serve-{kind}-{port}.out"
    with Child(f"server of the host of {node.name}", node.namespace.inside(argv), log) as child:
        wait_until(lambda: "ready" in child.tail(), child.name, _START_SECONDS, [child])
        yield
