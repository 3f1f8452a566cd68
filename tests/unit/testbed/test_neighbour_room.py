"""Raised limits of the neighbour tables come back, whatever happens to the test run."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testbed.neighbour_room import neighbour_room, why_not
from tests.testbed.process import wait_until

BEFORE = {"gc_thresh1": "128\n", "gc_thresh2": "512\n", "gc_thresh3": "90000\n"}


@pytest.fixture
def limits(tmp_path: Path) -> Path:
    """Files like the kernel's, of IPv4 only."""
    folder = tmp_path / "ipv4" / "neigh" / "default"
    folder.mkdir(parents=True)
    for name, text in BEFORE.items():
        (folder / name).write_text(text)
    return folder


def texts(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_limits_are_raised_and_restored(limits: Path, tmp_path: Path) -> None:
    with neighbour_room(15_000, tmp_path):
        assert texts(limits) == {"gc_thresh1": "15000\n", "gc_thresh2": "30000\n", "gc_thresh3": "90000\n"}
    assert texts(limits) == BEFORE


def test_limits_are_restored_after_an_error(limits: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"^oh$"), neighbour_room(15_000, tmp_path):
        raise RuntimeError("oh")
    assert texts(limits) == BEFORE


@pytest.mark.timing
def test_limits_are_restored_when_the_run_is_killed(limits: Path, tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from tests.testbed.neighbour_room import neighbour_room\n"
        "with neighbour_room(15_000, Path(sys.argv[1])): print('raised', flush=True); time.sleep(60)"
    )
    argv = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"raised\n"
        assert texts(limits) != BEFORE
        os.kill(run.pid, signal.SIGKILL)
    wait_until(lambda: texts(limits) == BEFORE, "the limits' end", 60)


def test_a_machine_without_the_limits(limits: Path, tmp_path: Path) -> None:
    assert why_not(tmp_path) is None
    assert why_not(tmp_path / "ipv4") == "the neighbour limits belong to another namespace"
