"""The webhook behind TLS against a Go server that only echoes, both under the same load.

`ovnguard-webhook serve` judges in full, with a view; eight connections are kept. The
peer and the load are Go programs, built here; where there is no ``go``, nothing is measured.
"""

import contextlib
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ovnguard.validators.manifest.sources import read_sources
from ovnguard.webhook.certificates.self_signed import SelfSigned

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "deploy" / "examples"
PROGRAM = Path(sys.executable).parent / "ovnguard-webhook"
WORKERS = 2
ROUNDS = 5
SECONDS = 2.0
CONNECTIONS = 8
RATIO = 0.08
LATE_MS = 15.0
RATE = 100
"""Requests a second at which `LATE_MS` is wanted."""
BUILD_SECONDS = 300


@dataclass(frozen=True)
class Load:
    """One run: requests a second, median and 99th percentile of their times in milliseconds.

    ``processor``: microseconds that the server's processes ran for a request, which other work on the machine changes
    less than it does the rate.
    """

    rate: float
    median: float
    late: float
    processor: float


@dataclass(frozen=True)
class Started:
    """A server and its URL."""

    process: int
    url: str

    def ran(self) -> float:
        """Seconds on a processor of the process and its children so far, all threads."""
        children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
        threads = (each for one in (self.process, *children) for each in Path(f"/proc/{one}/task").iterdir())
        return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e9


@dataclass(frozen=True)
class Side:
    """A server, what loads it, and what its answers hold."""

    server: Started
    load: list[str | Path]
    expected: str


def measure() -> Iterator[str]:
    """Lines of the report. Raises CalledProcessError when an answer is not the expected one."""
    go = shutil.which("go")
    if go is None:
        yield "webhook: not measured, there is no go"
        return
    with tempfile.TemporaryDirectory(prefix="ovnguard-bench-") as scratch:
        folder = Path(scratch)
        programs = {name: _build(go, name, folder) for name in ("echo", "load")}
        made = SelfSigned(folder)
        made.ensure()
        body = folder / "review.json"
        body.write_text(json.dumps(_review()))
        view: list[str | Path] = ["--manifests", EXAMPLES / "nodes", "--manifests", EXAMPLES / "valid"]
        pair: list[str | Path] = ["--cert", made.files.certificate, "--key", made.files.key]
        serve: list[str | Path] = [PROGRAM, "serve", "--port", "0", *pair, *view, "--workers", str(WORKERS)]
        echo: list[str | Path] = [programs["echo"], made.files.certificate, made.files.key]
        load: list[str | Path] = [programs["load"], "-ca", folder / "ca.crt", "-body", body]
        with _started(serve) as ours, _started(echo) as theirs:
            to_us = Side(ours, [*load, "-url", f"{ours.url}/validate?timeout=5s"], '"allowed": true')
            yield from _compare(to_us, Side(theirs, [*load, "-url", theirs.url], '"uid"'))


def _compare(ours: "Side", theirs: "Side") -> Iterator[str]:
    _run(ours, 1.0), _run(theirs, 0.5)
    rounds = [(_run(ours, SECONDS), _run(theirs, SECONDS)) for _ in range(ROUNDS)]
    ratio = statistics.median(one.rate / other.rate for one, other in rounds)
    late = statistics.median(_run(ours, SECONDS, RATE).late for _ in range(ROUNDS))
    for name, column in zip(("webhook", "Go echo"), zip(*rounds, strict=True), strict=True):
        rate, median, last, processor = (
            statistics.median(getattr(run, each) for run in column) for each in ("rate", "median", "late", "processor")
        )
        times = f"median {median:6.2f} ms   p99 {last:6.2f} ms   processor {processor:4.0f} us a request"
        yield f"{name:<10} {rate:8.0f} requests/s   {times}"
    spread = ", ".join(f"{one.rate / other.rate:.2f}" for one, other in rounds)
    yield f"ratio {ratio:.2f} ({spread}), wanted {RATIO}: {_held(ratio >= RATIO)}"
    yield f"p99 {late:.1f} ms at {RATE} requests/s, wanted below {LATE_MS:g} ms: {_held(late < LATE_MS)}"


def _held(well: bool) -> str:
    return "held" if well else "MISSED"


def _review() -> dict[str, object]:
    obj = read_sources([str(EXAMPLES / "valid" / "green-layer3.yaml")]).documents[0].value
    group, _, version = obj["apiVersion"].rpartition("/")
    request = {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": group, "version": version, "kind": obj["kind"]},
        "resource": {"group": group, "version": version, "resource": "clusteruserdefinednetworks"},
        "name": obj["metadata"]["name"],
        "operation": "CREATE",
        "userInfo": {"username": "alice"},
        "object": obj,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def _build(go: str, name: str, folder: Path) -> Path:
    command = [go, "build", "-o", str(folder / name), str(HERE / name / "main.go")]
    subprocess.run(command, check=True, timeout=BUILD_SECONDS)
    return folder / name


@contextlib.contextmanager
def _started(command: list[str | Path]) -> Iterator[Started]:
    """A server that prints its URL first; ended afterwards. Its log goes where nobody reads it, like a container's."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        if not url:
            raise SystemExit(f"{command[0]} does not start")
        yield Started(process.pid, url)
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def _run(side: Side, seconds: float, rate: float = 0) -> Load:
    more = ["-expect", side.expected, "-seconds", str(seconds), "-connections", str(CONNECTIONS), "-rate", str(rate)]
    before = side.server.ran()
    done = subprocess.run([*side.load, *more], check=True, stdout=subprocess.PIPE, timeout=60)
    found = json.loads(done.stdout)
    requests = found["requests"]
    processor = (side.server.ran() - before) / requests * 1e6
    return Load(requests / found["seconds"], found["median_ms"], found["p99_ms"], processor)


if __name__ == "__main__":
    for line in measure():
        print(line, flush=True)
