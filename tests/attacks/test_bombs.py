"""Each bomb ends with its exit code and its message before the kernel ends the process.

On a quiet machine each takes less than two seconds of CPU. The limit is five times as much: the same work takes more
CPU on a machine whose caches others use.
"""

import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest

from tests.attacks.bombs import MANY, READING, Bomb
from tests.attacks.definition_bombs import DEFINITIONS
from tests.attacks.judging_bombs import JUDGING, KEYS
from tests.attacks.suite_bombs import OTHERS
from tests.support.soak import limit, sized

# Other processes may take any time: only that of the preflight itself is limited.
pytestmark = [pytest.mark.timing, limit(600)]

_PROGRAM: Final = (sys.executable, "-c", "from ovnguard.validators.cli.main import main; main()")
_SECONDS: Final = sized(10, 60)
_OCTETS: Final = sized(1, 4) << 30
_FINDING: Final = re.compile(r"^ +(?:\S+:)?\d+:\d*.*", re.MULTILINE)
_BOMBS: Final = (*READING, *JUDGING, *DEFINITIONS, *OTHERS)


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_OCTETS, _OCTETS))


def _run(bomb: Bomb, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    for name, content in bomb.files().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return subprocess.run(
        [*_PROGRAM, *bomb.command, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_limited,
    )


def _first_message(done: subprocess.CompletedProcess[str]) -> str:
    """The first finding, or the first line."""
    found = _FINDING.search(done.stdout)
    return found[0].strip() if found else (done.stdout or done.stderr).partition("\n")[0]


def test_there_are_bombs_of_every_kind() -> None:
    names = [bomb.name for bomb in _BOMBS]
    assert len(names) == len(set(names)) >= 22
    assert all(bomb.attacks and bomb.says for bomb in _BOMBS)


@pytest.mark.parametrize("bomb", [pytest.param(bomb, id=bomb.name) for bomb in _BOMBS])
def test_a_bomb_ends_with_its_message(bomb: Bomb, tmp_path: Path) -> None:
    done = _run(bomb, tmp_path)
    assert "Traceback" not in done.stderr
    assert (done.returncode, _first_message(done)) == (bomb.code, bomb.says)


def test_people_read_a_hundred_findings_and_the_number_of_the_others(tmp_path: Path) -> None:
    lines = _run(KEYS[0], tmp_path).stdout.splitlines()
    assert sum(": error: unknown field" in line for line in lines) == 100
    assert lines[-2:] == [f"  and {MANY - 100:,} more", f"1 file, 1 object judged, {MANY:,} errors, 0 warnings"]


_COUNTS: Final[Mapping[str, Callable[[str], int]]] = {
    "json": lambda report: json.loads(report)["summary"]["errors"],
    "sarif": lambda report: len(json.loads(report)["runs"][0]["results"]),
    "junit": lambda report: len(list(ElementTree.fromstring(report).iter("failure"))),
    "tap": lambda report: report.count('\n    - severity: "error"\n'),
    "github": lambda report: len(report.splitlines()),
    "gitlab": lambda report: len(json.loads(report)),
}


@pytest.mark.parametrize("name", _COUNTS)
def test_machines_read_all_findings(name: str, tmp_path: Path) -> None:
    done = _run(KEYS[0], tmp_path, "-o", name)
    assert (done.returncode, done.stderr) == (1, "")
    assert _COUNTS[name](done.stdout) == MANY
