"""Private folders, and what becomes of those whose owners were killed."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ovnguard.webhook.private_tempdir import PrivateTempDir, sweep
from tests.support.paths import ROOT

PREFIX = "ovnguard-test-"
OWNER = """
import os, sys, time
from pathlib import Path
from ovnguard.webhook.private_tempdir import PrivateTempDir
made = PrivateTempDir("ovnguard-test-", Path(sys.argv[1]))
(made.path / "secret").write_text("x")
child = os.fork() if "fork" in sys.argv else 0
if child or "fork" not in sys.argv:
    print(made.path, child, flush=True)
time.sleep(60)
"""


def owner(folder, *more):
    """A process that has made a folder; with the folder and the pid of its child."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder), *more], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    path, child = process.stdout.readline().split()
    process.stdout.close()
    return process, folder / Path(path).name, int(child)


def end(process):
    process.kill()
    process.wait(60)


def listed(folder):
    return sorted(each.name for each in folder.iterdir())


def test_gone_after_close(tmp_path):
    scratch = PrivateTempDir(PREFIX, tmp_path)
    (scratch.path / "a").write_text("")
    assert scratch.path.stat().st_mode & 0o777 == 0o700
    scratch.close()
    assert listed(tmp_path) == []


@pytest.mark.timing
def test_killed_owner_leaves_it_to_the_next(tmp_path):
    process, left, _ = owner(tmp_path)
    living = PrivateTempDir(PREFIX, tmp_path)
    assert listed(tmp_path) == sorted([left.name, living.path.name])
    end(process)
    assert (left / "secret").exists()
    following = PrivateTempDir(PREFIX, tmp_path)
    assert listed(tmp_path) == sorted([living.path.name, following.path.name])
    living.close()
    following.close()


@pytest.mark.timing
def test_children_hold_it_on(tmp_path):
    process, left, child = owner(tmp_path, "fork")
    end(process)
    sweep(PREFIX, tmp_path)
    assert left.exists()
    pidfd = os.pidfd_open(child)
    os.kill(child, signal.SIGKILL)
    assert select.select([pidfd], [], [], 60)[0]
    os.close(pidfd)
    sweep(PREFIX, tmp_path)
    assert not left.exists()


def test_what_is_not_ours_stays(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "owner").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    (tmp_path / f"{PREFIX}file").touch()
    (tmp_path / f"{PREFIX}begun").mkdir()
    linked = tmp_path / f"{PREFIX}linked"
    linked.mkdir()
    (linked / "owner").symlink_to(elsewhere / "owner")
    before = listed(tmp_path)
    sweep(PREFIX, tmp_path)
    assert listed(tmp_path) == before
    assert (elsewhere / "owner").exists()


def test_that_of_another_user_stays(tmp_path, monkeypatch):
    left = tmp_path / f"{PREFIX}x"
    left.mkdir()
    (left / "owner").touch()
    monkeypatch.setattr("ovnguard.webhook.private_tempdir.os.geteuid", lambda: os.getuid() + 1)
    sweep(PREFIX, tmp_path)
    assert left.exists()
    monkeypatch.undo()
    sweep(PREFIX, tmp_path)
    assert not left.exists()
