"""`make cluster` and docs/tour.md: one cluster starts, shows what the page shows, is killed, and leaves nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.deployed.own_cluster.place import Place
from tests.support.pages.console import replayed
from tests.support.paths import ROOT
from tests.support.soak import limit
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

pytestmark = limit(900)
PAGE = ROOT / "docs" / "tour.md"
COMMAND = (sys.executable, "-m", "tests.support.deployed.own_cluster")
MOST_MEMORY = 2560


def run(place: Place, command: str, *options: str) -> str:
    """A command that succeeds; what it prints."""
    argv = [*COMMAND, command, "--folder", str(place.folder), *options]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=700, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def left(place: Place, supervisor: int) -> list[object]:
    """What is there of a cluster."""
    files = [*Path("/dev/shm").glob(f"ovng-{supervisor}-*"), *([place.folder] if place.folder.exists() else [])]
    return [*place.processes(), *files]


@pytest.fixture(scope="module")
def place(parts: Parts, netns_allowed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    need(parts, "ovn", "tools", "frr", "etcd", "kube-apiserver", "kwok")
    place = Place(tmp_path_factory.mktemp("tour") / "cluster")
    try:
        assert f"export KUBECONFIG={place.kubeconfig} " in run(place, "up")
        yield place
        nothing_is_left_after_a_kill(place)
    finally:
        place.clear()


def nothing_is_left_after_a_kill(place: Place) -> None:
    """The kernel ends everything with the supervisor, and `down` removes the files."""
    supervisor = place.supervisor()
    assert supervisor is not None
    os.kill(supervisor, signal.SIGKILL)
    wait_until(lambda: place.processes() == [], "all processes end with the supervisor", 60)
    assert run(place, "down") == "the cluster is down\n"
    assert left(place, supervisor) == []
    assert run(place, "down") == "no cluster is up\n"


def test_a_second_start_says_that_it_is_up(place: Place) -> None:
    before = place.supervisor()
    assert run(place, "up").startswith("the cluster is up already\nup after ")
    assert place.supervisor() == before is not None
    assert 0 < place.memory() < MOST_MEMORY


def test_every_command_of_the_tour_prints_what_is_shown(
    place: Place, tmp_path: Path, generated: Callable[[Path, str, str], None]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "deploy").symlink_to(ROOT / "deploy")
    path = f"{place.bin}{os.pathsep}{os.environ['PATH']}"
    shown = replayed(PAGE.read_text(encoding="utf-8"), work, "", PATH=path, KUBECONFIG=str(place.kubeconfig))
    generated(PAGE, shown, "pytest tests/e2e/test_tour.py --update")


def test_nodes_of_kwok_where_machines_are_impossible(parts: Parts, tmp_path: Path) -> None:
    need(parts, "etcd", "kube-apiserver", "kwok")
    place = Place(tmp_path / "cluster")
    try:
        shown = run(place, "up", "--without-machines")
        supervisor = place.supervisor()
        assert supervisor is not None
        missing = "missing: machines (network namespaces: not wanted): nodes and pods are kwok's, and no packet moves\n"
        assert missing in shown
        assert run(place, "down") == "the cluster is down\n"
        assert left(place, supervisor) == []
    finally:
        place.clear()
