"""The page of a large plan in headless Chromium: `python -m tests.bench.large_page [NETWORKS [NODES]]`.

The networks are primary, half Layer2 and half Layer3; the page is that of `plan -o html`.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.support.fake_cluster import cudn, node
from tests.support.reconciler_cli import run
from tests.testbed import parts
from tests.testbed.chromium import Chromium

NETWORKS, NODES, ROUNDS = 200, 20, 5
_NONE: Final = "a part is missing: make testbed"


def write_page(networks: int, nodes: int, folder: Path) -> Path:
    """Write manifests into the folder, and the page of their plan; return the page's file."""
    declared = [_network(number) for number in range(networks)]
    _write(folder / "networks", declared)
    _write(folder / "nodes", [_node(number, declared) for number in range(nodes)])
    done = run("plan", "-f", folder / "networks", "--nodes", folder / "nodes", "-o", "html")
    if done.code:
        raise RuntimeError(f"plan ended with {done.code}: {done.err}")
    page = folder / "page.html"
    page.write_text(done.out, encoding="utf-8")
    return page


def measure(networks: int = NETWORKS, nodes: int = NODES) -> Iterator[str]:
    """Yield lines about the page's making, size and opening."""
    found = parts.find()
    if found["chromium"].reason:
        yield _NONE
        return
    with tempfile.TemporaryDirectory() as name:
        started = time.monotonic()
        page = write_page(networks, nodes, Path(name))
        made = time.monotonic() - started
        size = page.stat().st_size / 1e6
        yield f"page of {networks} networks on {nodes} nodes: {size:.1f} MB, planned, drawn and written in {made:.1f} s"
        with Chromium(found["chromium"], Path(name) / "chromium.log") as chromium:
            seconds = sorted(chromium.open(page.as_uri()) for _ in range(ROUNDS))
            counted = ", ".join(f"{chromium.run(_COUNT % what)} {what}" for what in ("svg", "details", "*"))
            problems = len(chromium.problems)
        middle = seconds[len(seconds) // 2]
        yield f"opened {ROUNDS} times: {middle:.2f} s, at most {seconds[-1]:.2f}; {counted}; {problems} console errors"


_COUNT: Final = "document.querySelectorAll('%s').length"


def _network(number: int) -> dict[str, Any]:
    obj = cudn(f"n{number}", f"10.{number + 1}.0.0/16")
    if number % 2:
        block = {"role": "Primary", "subnets": [{"cidr": f"10.{number + 1}.0.0/16", "hostSubnet": 24}]}
        obj["spec"]["network"] = {"topology": "Layer3", "layer3": block}
    return obj


def _node(number: int, networks: list[dict[str, Any]]) -> dict[str, Any]:
    shares = {
        f"cluster_udn_{each['metadata']['name']}": [f"10.{at + 1}.{number}.0/24"] for at, each in enumerate(networks)
    }
    return node(f"node{number}", number + 2, **{"k8s.ovn.org/node-subnets": json.dumps(shares)})


def _write(folder: Path, objects: list[dict[str, Any]]) -> None:
    folder.mkdir()
    (folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


if __name__ == "__main__":
    for line in measure(*(int(each) for each in sys.argv[1:3])):
        print(line, flush=True)
