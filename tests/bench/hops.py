"""Count the calls between files of the product: `python -m tests.bench.hops`; -v lists the files in order of entry.

`--update` writes the figures into docs/architecture.md.

A hop is a call from one file of the product into another. The figures are of an update that a network rule
refuses, of an AdmissionReview that is allowed (both by an application that has answered before), and of
`ovnguard-reconciler plan` in a new process with compiled definitions on disk.
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, Self

from ovnguard.validators.admission import judge
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.manifest.yaml_reader import load_all
from ovnguard.validators.network.cluster_view import EmptyView
from ovnguard.webhook.app import create_app

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = f"{ROOT / 'ovnguard'}{os.sep}"
EXAMPLES = ROOT / "deploy" / "examples"
PLAN = ["plan", "-f", f"{EXAMPLES}/valid", "--nodes", f"{EXAMPLES}/nodes/worker-a.yaml"]
RELEASED = {"transport": "NoOverlay", "noOverlay": {"outboundSNAT": "Enabled", "routing": "Unmanaged"}}
WARM_UP = 12
PAGE = ROOT / "docs" / "architecture.md"
# The first cells of the rows of the page, in the order in which the figures are printed; the last cells have the hops.
WAYS = (
    "an update that a network rule refuses",
    "an AdmissionReview that is allowed",
    "`plan` of the three example networks on one node",
)


class CallCounter:
    """Counts the calls of the product's functions in all threads while it is entered, module bodies excepted."""

    def __init__(self) -> None:
        self.hops = 0
        self.calls = 0
        self.functions: set[CodeType] = set()
        self.files: dict[str, None] = {}

    def __enter__(self) -> Self:
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_name == "<module>" or not code.co_filename.startswith(PRODUCT):
            return
        self.calls += 1
        self.functions.add(code)
        self.files.setdefault(code.co_filename)
        caller = frame.f_back.f_code.co_filename if frame.f_back else ""
        self.hops += caller != code.co_filename and caller.startswith(PRODUCT)

    def report(self, title: str, verbose: bool) -> str:
        """The figures in one line, and with ``verbose`` a line for each file."""
        counts = f"{len(self.files)} files, {len(self.functions)} functions, {self.calls:,} calls, {self.hops:,} hops"
        names = [f"  {Path(name).relative_to(ROOT)}" for name in self.files] if verbose else []
        return "\n".join([f"{title}: {counts}", *names])


def network(**transport: Any) -> JsonObject:
    """A primary Layer3 network."""
    layer3 = {"role": "Primary", "subnets": [{"cidr": "10.40.0.0/16"}]}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": "blue"},
        "spec": {"namespaceSelector": {}, "network": {"topology": "Layer3", "layer3": layer3, **transport}},
    }


def review(obj: Any, old: JsonObject | None = None) -> bytes:
    """An AdmissionReview of a creation, or with ``old`` of an update."""
    request = {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": "k8s.ovn.org", "version": "v1", "kind": "ClusterUserDefinedNetwork"},
        "resource": {"group": "k8s.ovn.org", "version": "v1", "resource": "clusteruserdefinednetworks"},
        "name": obj["metadata"]["name"],
        "operation": "UPDATE" if old else "CREATE",
        "userInfo": {"username": "alice"},
        "object": obj,
        "oldObject": old,
    }
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).encode()


def counted(send: Callable[[bytes], bool | None], body: bytes, allowed: bool) -> CallCounter:
    """Count one request to an application that has answered the same before; the first may be late."""
    for _ in range(WARM_UP):
        send(body)
    with CallCounter() as counter:
        answer = send(body)
    assert answer is allowed
    return counter


def reviews(verbose: bool) -> Iterator[str]:
    """The figures of both reviews."""
    client = create_app(EmptyView(), judge).test_client()

    def send(body: bytes) -> bool | None:
        answer = client.post("/validate?timeout=10s", data=body, headers={"Content-Type": "application/json"})
        allowed: bool | None = answer.get_json().get("response", {}).get("allowed")
        return allowed

    green = next(iter(load_all((EXAMPLES / "valid" / "green-layer3.yaml").read_bytes()))).value
    refused = review(network(**RELEASED), network())
    yield counted(send, refused, allowed=False).report("refused update", verbose)
    yield counted(send, review(green), allowed=True).report("allowed review", verbose)


def plan(verbose: bool) -> str:
    """The figures of a plan of the example networks on one node, in this process."""
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet), CallCounter() as counter:
        from ovnguard.reconciler.cli import reconciler

        reconciler.main(PLAN, standalone_mode=False)
    return counter.report("planned networks", verbose)


def plan_elsewhere(options: Sequence[str]) -> str:
    """The figures of a plan in a new process, which finds compiled definitions on disk."""
    with tempfile.TemporaryDirectory(prefix="ovnguard-hops-") as cache:
        command = [sys.executable, "-m", "tests.bench.hops", "--plan", *options]
        settings = {**os.environ, "XDG_CACHE_HOME": cache}
        # the first run fills the store of compiled definitions
        subprocess.run(command, stdout=subprocess.DEVNULL, env=settings, cwd=ROOT, check=True)
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, env=settings, cwd=ROOT, check=True).stdout


def with_hops(page: str, figures: str) -> str:
    """The page with the hops of ``figures``, the text that `main` prints, in the last cell of each way."""
    for way, hops in zip(WAYS, re.findall(r" ([0-9,]+) hops$", figures, re.MULTILINE), strict=True):
        page, count = re.subn(rf"(?m)^(\| {re.escape(way)} \|.*\| )[0-9,]+ \|$", rf"\g<1>{hops} |", page)
        assert count == 1, f"no row of {PAGE.name} begins with {way!r}"
    return page


def main(options: list[str]) -> None:
    """Print all figures."""
    if "--plan" in options:
        print(plan("-v" in options))
        return
    further = [each for each in options if each != "--update"]
    figures = "\n".join([*reviews("-v" in options), plan_elsewhere(further).rstrip()])
    print(figures)
    if "--update" in options:
        PAGE.write_text(with_hops(PAGE.read_text(encoding="utf-8"), figures), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
