"""Plan and audit of many networks next to an earlier commit: `python -m tests.bench.earlier [--baseline REV]`.

Both checkouts run as commands in turns on the same objects and the same database, in the environment of this one;
what is timed is the processor time of the whole process. The database is a real ovsdb-server with one node's zone.
"""

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.bench import cluster_objects as objects
from tests.bench import northbound
from tests.bench.command_line import ROOT
from tests.bench.measure import Ratio
from tests.testbed import parts

BASELINE: Final = "c901717c"
NETWORKS: Final = 1000
_NODES: Final = 3
_ROUNDS: Final = 3
_CALL: Final = "from ovnguard.reconciler.cli import main; main()"


def measure(baseline: str = BASELINE) -> Iterator[str]:
    """Yield one line a command."""
    if parts.find().ovn.reason is not None:
        yield "no OVN here"
        return
    with tempfile.TemporaryDirectory() as folder, northbound.database() as zone:
        earlier, file = Path(folder) / "earlier", Path(folder) / "objects.json"
        if not _checked_out(baseline, earlier):
            yield f"no commit {baseline} here"
            return
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(_cluster())}), encoding="utf-8")
        inputs = ("-f", str(file), "--nodes", str(file))
        node = objects.node_name(1)
        database = ("--nb-db", f"{node}={zone.nb}")
        _seconds(ROOT, ("apply", *inputs, *database))
        commands = {
            "plan": ("plan", *inputs, "--node", node, "-o", "json"),
            "audit": ("audit", *inputs, *database, "-o", "json"),
        }
        for name, arguments in commands.items():
            yield _paired(f"{NETWORKS} networks: {name}", baseline, earlier, arguments).line()


def _cluster() -> Iterator[Mapping[str, object]]:
    yield objects.operator()
    for number in range(1, _NODES + 1):
        node = objects.node(number)
        layer3 = (f"cluster_udn_n{index}" for index in range(1, NETWORKS, 2))
        subnets = {"default": [f"10.128.{number}.0/24"], **{key: [f"10.0.{number}.0/24"] for key in layer3}}
        recorded = {"node-id": str(number + 1), "node-subnets": json.dumps(subnets)}
        node["metadata"]["annotations"] |= {f"k8s.ovn.org/{key}": value for key, value in recorded.items()}
        yield node
    for number in range(NETWORKS):
        yield objects.namespace(number)
        yield objects.network(number)


def _checked_out(revision: str, folder: Path) -> bool:
    """Whether git has the revision, whose files are in ``folder`` afterwards."""
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode == 0:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
    return archive.returncode == 0


def _paired(name: str, baseline: str, earlier: Path, arguments: Sequence[str]) -> Ratio:
    """The medians of both; a round in front of the first one compiles the sources."""
    _seconds(ROOT, arguments), _seconds(earlier, arguments)
    rounds = [(_seconds(ROOT, arguments), _seconds(earlier, arguments)) for _ in range(_ROUNDS)]
    ours, theirs = (statistics.median(each) for each in zip(*rounds, strict=True))
    return Ratio(name, baseline, ours, theirs, statistics.median(other / one for one, other in rounds))


def _seconds(checkout: Path, arguments: Sequence[str]) -> float:
    """The processor time of a command in a checkout; drift is no failure."""
    if checkout != ROOT and arguments[0] == "audit":
        arguments = ("diff", "--audit", *arguments[1:])  # as it was before
    argv = [sys.executable, "-c", _CALL, *arguments]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    process = subprocess.Popen(argv, cwd=checkout, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    with process.stderr:
        said = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(arguments)} in {checkout} ended with {process.returncode}: {said[-2000:]}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", metavar="REV", default=BASELINE)
    for line in measure(parser.parse_args().baseline):
        print(line, flush=True)


if __name__ == "__main__":
    main()
