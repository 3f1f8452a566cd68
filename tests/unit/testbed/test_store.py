"""A part's folder is whole or absent; failures are remembered; a second writer waits."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.testbed import parts, pins, store
from tests.testbed.store import Stamp

PIN = pins.load().parts["tools"]
STAMP = Stamp("tools", "1.0", "a test", {"ping": "bin/ping"}, {}, {"iputils-ping": "3:1-1"}, 0.1)


def build(base: Path, stamp: Stamp = STAMP, content: str = "#!/bin/sh\n") -> None:
    with store.building(base, PIN) as work:
        (work / "bin").mkdir()
        (work / "bin" / "ping").write_text(content)
        store.finish(base, PIN, work, stamp)


def test_finished_part_is_found(tmp_path: Path) -> None:
    build(tmp_path)
    assert store.read_stamp(tmp_path, PIN) == STAMP
    found = parts.find(tmp_path).tools
    assert (found.version, found.source, found.reason) == ("1.0", "a test", None)
    assert found.tool("ping") == tmp_path / f"tools-{PIN.digest}" / "bin" / "ping"
    assert [path.name for path in tmp_path.iterdir()] == [f"tools-{PIN.digest}"]


def test_finished_part_replaces_an_older_one(tmp_path: Path) -> None:
    build(tmp_path, content="old")
    build(tmp_path, content="new")
    assert parts.find(tmp_path).tools.tool("ping").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == [f"tools-{PIN.digest}"]


def test_interrupted_build_leaves_nothing(tmp_path: Path) -> None:
    def build_half() -> None:
        with store.building(tmp_path, PIN) as work:
            (work / "half").write_text("made")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_half()
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    build(tmp_path)
    half = tmp_path / ".tmp-1-ovn" / "modules"
    half.mkdir(parents=True)
    (half / "file").write_text("")
    half.chmod(0o500)
    (tmp_path / ".tmp-1-x.missing.json").write_text("{")
    store.remove_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"tools-{PIN.digest}"]


@pytest.mark.parametrize("damage", ["no stamp", "broken stamp", "other stamp", "tool gone", "other pin"])
def test_damaged_or_other_part_does_not_count(tmp_path: Path, damage: str) -> None:
    build(tmp_path)
    home, pin = store.folder(tmp_path, PIN), PIN
    match damage:
        case "no stamp":
            (home / store.STAMP).unlink()
        case "broken stamp":
            (home / store.STAMP).write_text('{"part": ')
        case "other stamp":
            (home / store.STAMP).write_text('{"part": "tools"}')
        case "tool gone":
            (home / "bin" / "ping").unlink()
        case "other pin":
            pin = replace(PIN, digest="0123456789")
    assert store.read_stamp(tmp_path, pin) is None
    assert parts.look_up(tmp_path, pin).reason == "not installed; run make testbed"


def test_missing_part_says_why(tmp_path: Path) -> None:
    store.write_missing(tmp_path, PIN, "no mirror")
    found = parts.find(tmp_path).tools
    assert found.reason == "no mirror"
    with pytest.raises(LookupError, match=r"^tools: no mirror$"):
        found.tool("ping")
    with pytest.raises(LookupError, match=r"^tools: no mirror$"):
        found.file("schema")


def test_success_forgets_the_failure(tmp_path: Path) -> None:
    store.write_missing(tmp_path, PIN, "no mirror")
    build(tmp_path)
    assert store.read_missing(tmp_path, PIN) is None


def test_an_unreadable_failure_does_not_count(tmp_path: Path) -> None:
    (tmp_path / f"tools-{PIN.digest}.missing.json").write_text(json.dumps(["no", "mapping"]))
    assert store.read_missing(tmp_path, PIN) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [("/var/cache/me", "/var/cache/me"), ("", "HOME/.cache"), ("relative", "HOME/.cache")],
)
def test_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: str, expected: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    assert str(store.root()) == expected.replace("HOME", str(tmp_path)) + "/ovnguard/testbed"


@pytest.mark.timing
def test_second_writer_waits_and_says_so(tmp_path: Path) -> None:
    order: list[str] = []
    waiting, base = threading.Event(), tmp_path / "not" / "there" / "yet"

    def second() -> None:
        with store.lock(base, waiting.set):
            order.append("second")

    with store.lock(base, lambda: pytest.fail("the first one need not wait")):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(60)
        order.append("first")
    thread.join(60)
    assert order == ["first", "second"]
