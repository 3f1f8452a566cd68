"""Programs on the hosts of nodes, such as the API server."""

import contextlib
import json
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


def answer_to_host(node: OvnNode, address: str, port: int) -> str:
    """The name that a TCP server tells a program on a node's host; BedError when it does not answer."""
    argv = [sys.executable, "-I", talk.__file__, "ask", "tcp", address, str(port), "1000", "30"]
    return str(json.loads(node.namespace.run(*argv, seconds=40))["name"])
