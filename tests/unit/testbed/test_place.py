"""What belongs to a cluster for people is found by its mark, and nothing of it stays."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.support.deployed.own_cluster.place import MARK, Place
from tests.testbed.process import scratch

pytestmark = pytest.mark.timing


def test_what_outlives_the_supervisor_is_found_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place = Place(tmp_path / "cluster")
    place.folder.mkdir()
    with scratch("node1") as own:
        place.started(os.getpid())
        environment = {**os.environ, MARK: str(place.folder)}
        child = subprocess.Popen(["sleep", "100"], env=environment)
        keys = tmp_path / "ovnguard-tls-x"
        keys.mkdir()
        (keys / "owner").touch()
        assert place.processes() == [child.pid]
        assert place.supervisor() is None, "this process has no mark"
        place.clear()
        assert child.wait() == -9
        assert not place.folder.exists()
        assert not own.exists()
        assert not keys.exists()
        own.mkdir()


def test_nothing_is_cleared_where_nothing_was(tmp_path: Path) -> None:
    place = Place(tmp_path / "cluster")
    place.clear()
    assert (place.processes(), place.supervisor(), place.state()) == ([], None, None)


def test_a_state_is_told_as_a_whole(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.ready({"seconds": 3, "missing": []})
    assert place.state() == {"seconds": 3, "missing": []}
