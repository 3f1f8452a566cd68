"""`python -m tests.support.deployed.own_cluster up|down`: a cluster of the test bed for people, and its end."""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.support.deployed.own_cluster.place import MARK, Place
from tests.support.deployed.own_cluster.supervisor import NEEDED, supervise
from tests.support.paths import ROOT
from tests.testbed import parts as parts_module
from tests.testbed.process import BedError, wait_until

START_SECONDS: Final = 600.0
TRY: Final = """\

export KUBECONFIG={place.kubeconfig} PATH={place.bin}:$PATH

Five things to try (docs/tour.md has more):
  kubectl get nodes
  kubectl apply -f deploy/examples/invalid/join-overlap.yaml
  kubectl create namespace web && kubectl -n web run a --image=none && kubectl -n web wait --for=condition=Ready pod/a
  on node1 ovn-nbctl show
  on web/a ping -c 1 172.18.0.1

make cluster-down ends it.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0, or 1 when the cluster does not start."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.deployed.own_cluster", description=__doc__)
    parser.add_argument("command", choices=["up", "down", "supervise"])
    parser.add_argument("--folder", type=Path, default=ROOT / ".cluster", help="where it keeps its files")
    parser.add_argument(
        "--without-machines", action="store_true", help="nodes of kwok, also where machines are possible"
    )
    options = parser.parse_args(argv)
    place = Place(options.folder)
    if options.command == "supervise":
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # an exception, so that all contexts end
        supervise(place, with_machines=not options.without_machines)
    elif options.command == "down":
        return down(place)
    return up(place, ["--without-machines"] if options.without_machines else [])


def down(place: Place) -> int:
    """End the cluster, or what is left of it."""
    if not place.folder.exists() and not place.processes():
        print("no cluster is up")
        return 0
    place.clear()
    print("the cluster is down")
    return 0


def up(place: Place, options: Sequence[str]) -> int:
    """Start the cluster, unless it is up, and say how to use it."""
    if place.supervisor() is not None and place.state() is not None:
        print("the cluster is up already")
        return shown(place)
    lacking = [f"{name}: {part.reason}" for name in NEEDED if (part := parts_module.find()[name]).reason is not None]
    if lacking:
        print(f"cluster: the test bed lacks {'; '.join(lacking)}", file=sys.stderr)
        return 1
    place.clear()
    place.folder.mkdir(parents=True)
    print(f"starting a cluster in {place.folder} ...", file=sys.stderr)
    try:
        start(place, options)
    except (BedError, KeyboardInterrupt) as error:
        print(f"cluster: it does not start: {error}\n{tail(place)}", file=sys.stderr)
        place.clear()
        return 1
    return shown(place)


def start(place: Place, options: Sequence[str]) -> None:
    """Start the supervisor; return when all runs."""
    module, folder = "tests.support.deployed.own_cluster", str(place.folder)
    argv = [sys.executable, "-m", module, "supervise", "--folder", folder, *options]
    with place.log.open("ab") as log:
        supervisor = subprocess.Popen(
            argv,
            cwd=ROOT,
            env={**os.environ, MARK: str(place.folder)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    place.started(supervisor.pid)

    def done() -> bool:
        if supervisor.poll() is not None:
            raise BedError(f"the supervisor ended with status {supervisor.returncode}")
        return place.state() is not None

    wait_until(done, "all runs", START_SECONDS)


def tail(place: Place) -> str:
    """The last lines of the supervisor."""
    return "\n".join(place.log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])


def shown(place: Place) -> int:
    """Print how to use it."""
    state = place.state() or {}
    print(f"up after {state['seconds']} s, {place.memory()} MiB")
    for line in state["missing"]:
        print(f"missing: {line}")
    print(TRY.format(place=place), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
