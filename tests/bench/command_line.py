"""The preflight as a whole process against kubectl-validate, on the same manifests and CRDs; part of `make bench`.

`python -m tests.bench.command_line` measures only this.

The peer is $KUBECTL_VALIDATE, else one on the path, else one that `go install` brings into the user's cache. It is
given the CRDs as files; ours takes the bundled ones, which are the same.
"""

import compileall
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ovnguard import crd_schemas
from tests.bench.measure import Ratio

PROGRAM = Path(sys.executable).parent / "kubectl-ovn_preflight"
MODULE = "sigs.k8s.io/kubectl-validate@v0.0.4"
FEW, MANY, MOST = 100, 1000, 10_000
ROUNDS = 15
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("crd_schemas", "validators")
SCHEMAS = ("--schema-set", "released")
GROWTH_ROUNDS = 5
GROUP, VERSION, KIND = "k8s.ovn.org", "v1", "ClusterUserDefinedNetwork"

LAYER2 = """apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata:
  name: two-{number}
spec:
  namespaceSelector:
    matchLabels:
      tenant: t{number}
  network:
    topology: Layer2
    layer2:
      role: Primary
      subnets:
      - 10.{high}.0.0/16
"""
LAYER3 = """apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata:
  name: three-{number}
spec:
  namespaceSelector:
    matchLabels:
      tenant: t{number}
  network:
    topology: Layer3
    layer3:
      role: Primary
      subnets:
      - cidr: 10.{high}.0.0/16
        hostSubnet: 24
"""


# Two join subnets of one family: refused by a rule.
REFUSED = """      joinSubnets:
      - 100.70.0.0/16
      - 100.71.0.0/16
"""


def peer() -> Path | None:
    """The program to compare with; None where it cannot be had."""
    named = os.environ.get("KUBECTL_VALIDATE") or shutil.which("kubectl-validate")
    if named:
        return Path(named)
    go = shutil.which("go")
    if go is None:
        return None
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ovnguard" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "kubectl-validate").is_file():
        print(f"building {MODULE}, once, in some minutes ...", file=sys.stderr)
        built = subprocess.run([go, "install", MODULE], env={**os.environ, "GOBIN": str(folder)}, check=False)
        if built.returncode:
            return None
    return folder / "kubectl-validate"


def compile_sources() -> None:
    """Write the byte code of what is started, as installing does; the environment may keep Python from it."""
    for package in PACKAGES:
        if not compileall.compile_dir(ROOT / package, quiet=1):
            raise SystemExit(f"{package} does not compile")


def measure(program: Path) -> Iterator[Ratio]:
    """Wall time on one manifest, on one that is refused, on many in one file, and on many files."""
    with tempfile.TemporaryDirectory(prefix="ovnguard-bench-") as scratch:
        crds, one, bad, many, files = (Path(scratch) / name for name in ("crds", "one", "bad", "many", "files"))
        for folder in (crds, one, bad, many, files):
            folder.mkdir()
        definition = crd_schemas.find(GROUP, VERSION, KIND)["released"]
        (crds / "cudn.yaml").write_bytes(definition.read_bytes())
        _write(one, 1)
        (bad / "0000.yaml").write_text((one / "0000.yaml").read_text() + REFUSED)
        _write(many, MANY)
        for name, place, rounds in (
            ("1 manifest", one, ROUNDS),
            ("1 refused manifest", bad, ROUNDS),
            (f"{FEW} in a file", _together(files, FEW), 3),
            (f"{MANY} in a file", _together(files, MANY), 1),
            (f"{MANY} manifests", many, 1),
        ):
            ours = [str(PROGRAM), str(place), *SCHEMAS]
            theirs = [str(program), str(place), "--local-crds", str(crds), "--version", "1.30"]
            yield _ratio(f"preflight of {name}, whole process", ours, theirs, rounds)


def growth() -> Iterator[str]:
    """The processor time and the memory of the preflight by the number of documents in a file, in alternating rounds.

    More networks than there are network ids are refused, each with its position, so 10,000 have 10,000 findings.
    """
    sizes = (MANY, MOST)
    with tempfile.TemporaryDirectory(prefix="ovnguard-bench-") as scratch:
        commands = [[str(PROGRAM), str(_together(Path(scratch), size)), *SCHEMAS] for size in sizes]
        rounds = [[_run(command) for command in commands] for _ in range(GROWTH_ROUNDS)]
    each = list(zip(*rounds, strict=True))
    for size, runs in zip(sizes, each, strict=True):
        seconds, memory = statistics.median(run.busy for run in runs), max(run.memory for run in runs) / 1024
        yield f"{f'preflight of {size} in a file: processor time':<46} {seconds * 1e3:7.0f} ms  {memory:.0f} MiB"
    times = statistics.median(more.busy / fewer.busy for fewer, more in rounds)
    yield f"{f'the same: times the time of {MANY}':<46} {times:7.2f} x"


def _write(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / f"{number:04}.yaml").write_text(_manifest(number))


def _together(folder: Path, count: int) -> Path:
    """Return a new file with many manifests."""
    file = folder / f"{count}.yaml"
    file.write_text("---\n".join(map(_manifest, range(count))))
    return file


def _manifest(number: int) -> str:
    return (LAYER2 if number % 2 else LAYER3).format(number=number, high=number % 200 + 20)


def _ratio(name: str, ours: list[str], theirs: list[str], rounds: int) -> Ratio:
    first, second = _run(ours), _run(theirs)  # the first fills the cache of compiled definitions, as any run would have
    if first.code != second.code:
        raise SystemExit(f"{name}: ours ends with {first.code}, the peer with {second.code}")
    runs = [(_run(ours), _run(theirs)) for _ in range(rounds)]
    memory = " and ".join(f"{max(run.memory for run in column) / 1024:.0f}" for column in zip(*runs, strict=True))
    return Ratio(
        name,
        f"kubectl-validate; {memory} MiB",
        statistics.median(one.seconds for one, _ in runs),
        statistics.median(other.seconds for _, other in runs),
        statistics.median(other.seconds / one.seconds for one, other in runs),
    )


@dataclass(frozen=True)
class Run:
    """A process that has ended: wall time, processor time, peak memory in KiB, exit code."""

    seconds: float
    busy: float
    memory: int
    code: int


# A process inherits the peak memory of the one that starts it, so a small one does.
STARTER = """
import json, os, subprocess, sys, time
started = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=sys.stderr, stderr=sys.stderr)
_, status, usage = os.wait4(process.pid, 0)
busy = usage.ru_utime + usage.ru_stime
print(json.dumps([time.perf_counter() - started, busy, usage.ru_maxrss, os.waitstatus_to_exitcode(status)]))
process.returncode = 0
"""


def _run(command: list[str]) -> Run:
    done = subprocess.run([sys.executable, "-c", STARTER, *command], capture_output=True, text=True, check=True)
    found = Run(*json.loads(done.stdout))
    if found.code not in {0, 1}:
        raise SystemExit(f"{command[0]} ends with {found.code}: {done.stderr[-2000:]}")
    return found


def main() -> None:
    """Print one line a figure."""
    compile_sources()
    tool = peer()
    for ratio in measure(tool) if tool else ():
        print(ratio.line(), flush=True)
    for line in growth():
        print(line, flush=True)


if __name__ == "__main__":
    main()
