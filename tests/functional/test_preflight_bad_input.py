"""Bad input and bad places for reports: one clear line, the exit code of the table, and never a part of a report."""

import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.support.paths import ROOT

PROGRAM = """
from ovnguard.validators.cli.main import main
from ovnguard.validators.commandline import terminal
terminal._SECONDS = float(%s)
main()
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m%d}\n"
NETWORK = ROOT / "deploy/examples/valid/green-layer3.yaml"
FILES = 10_000
LIMIT = 512
PIPE = 4096


def command(*arguments: str, progress_after: str = "'inf'") -> list[str]:
    return [sys.executable, "-c", PROGRAM % progress_after, *arguments]


def run(
    *arguments: str, cwd: Path = ROOT, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=cwd, capture_output=True, text=True, timeout=100, check=False, preexec_fn=before
    )


def config_maps(folder: Path) -> None:
    for number in range(FILES):
        (folder / f"{number:05}.yaml").write_text(CONFIG_MAP % number)


def test_one_binary_file_among_ten_thousand_is_one_finding(tmp_path: Path) -> None:
    config_maps(tmp_path)
    (tmp_path / "05000.yaml").write_bytes(bytes(range(256)))
    done = run(str(tmp_path))
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.splitlines() == [
        f"{tmp_path}/05000.yaml",
        "  1:1: error: not YAML text: control characters are not allowed (byte 0)",
        f"{FILES:,} files, {FILES - 1:,} objects judged, 1 error, 0 warnings",
        f"{FILES - 1:,} objects of built-in kinds were judged by type: "
        "values are left to the API server (-v lists them)",
    ]


def test_a_disk_that_fills_up_leaves_the_last_report(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text("the last report")
    # a file that may not grow is a disk that is full after the first part of a report
    done = run(
        str(NETWORK), "-o", f"json={report}", before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"Error: cannot write {report}: File too large\n")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("report.json", "the last report")]


def test_an_interrupt_ends_a_run_without_a_report(tmp_path: Path) -> None:
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    config_maps(manifests)
    reading, writing = os.pipe()
    report = tmp_path / "report.json"
    # progress after every object, into a pipe that nobody empties, keeps the run from its end
    words = command(str(manifests), "-o", f"json={report}", progress_after="0")
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=writing) as started:
        os.close(writing)
        with os.fdopen(reading, "rb", buffering=0) as stream:
            assert stream.read(7) == b"judged "
            started.send_signal(signal.SIGINT)
            output = b"".join(iter(lambda: stream.read(PIPE), b"")).decode()
        out = started.communicate(timeout=60)[0]
    assert (started.returncode, out) == (130, b"")
    lines = [line for line in output.splitlines() if not re.search(r"\d+ of 10000 objects \.\.\.$", line)]
    assert lines == ["kubectl ovn-preflight: interrupted"]
    assert [each.name for each in tmp_path.iterdir()] == ["manifests"]


def test_a_configuration_with_an_unknown_key_is_one_line(tmp_path: Path) -> None:
    (tmp_path / ".ovnguard.yaml").write_text("ignor: []\n")
    (tmp_path / "net.yaml").write_bytes(NETWORK.read_bytes())
    done = run("net.yaml", "-o", "json=report.json", cwd=tmp_path)
    message = "Error: .ovnguard.yaml:1:1: ignor: unknown key; did you mean ignore?\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)
    assert not (tmp_path / "report.json").exists()
