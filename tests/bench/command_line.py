"""The preflight as a whole process against kubectl-validate, on the same manifests and CRDs.

The peer is $KUBECTL_VALIDATE, else one on the path, else one that `go install` brings into the user's cache. It is
given the CRDs as files; ours takes the bundled ones, which are the same.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import crd_schemas
from tests.bench.measure import Ratio

PROGRAM = Path(sys.executable).parent / "kubectl-ovn_preflight"
MODULE = "sigs.k8s.io/kubectl-validate@v0.0.4"
MANY = 1000
ROUNDS = 5
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


def measure(program: Path) -> Iterator[Ratio]:
    """Wall time on one manifest and on a thousand files."""
    with tempfile.TemporaryDirectory(prefix="ovnguard-bench-") as scratch:
        crds, one, many = (Path(scratch) / name for name in ("crds", "one", "many"))
        for folder in (crds, one, many):
            folder.mkdir()
        definition = crd_schemas.find(GROUP, VERSION, KIND)["released"]
        (crds / "cudn.yaml").write_bytes(definition.read_bytes())
        _write(one, 1)
        _write(many, MANY)
        for name, folder, rounds in (("1 manifest", one, ROUNDS), (f"{MANY} manifests", many, 1)):
            ours = [str(PROGRAM), str(folder), "--schema-set", "released"]
            theirs = [str(program), str(folder), "--local-crds", str(crds), "--version", "1.30"]
            yield _ratio(f"preflight of {name}, whole process", ours, theirs, rounds)


def _write(folder: Path, count: int) -> None:
    for number in range(count):
        template = LAYER2 if number % 2 else LAYER3
        (folder / f"{number:04}.yaml").write_text(template.format(number=number, high=number % 200 + 20))


def _ratio(name: str, ours: list[str], theirs: list[str], rounds: int) -> Ratio:
    _wall(ours)  # fills the cache of compiled definitions, as any run before this one would have
    times = [(_wall(ours), _wall(theirs)) for _ in range(rounds)]
    return Ratio(
        name,
        "kubectl-validate",
        statistics.median(one for one, _ in times),
        statistics.median(other for _, other in times),
        statistics.median(other / one for one, other in times),
    )


def _wall(command: list[str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    taken = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{command[0]} ends with {done.returncode}: {done.stderr or done.stdout[-2000:]}")
    return taken
