"""A copy of the checkout in which one point of a module is changed while tests run."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Self

from tests.support.paths import shared_folder
from tests.support.row_changes.points import Point, changed, marked, points
from tests.testbed import store

RUN_SECONDS: Final = 900
"""After which a run has hung, as it may with a changed condition: its tests have not passed."""
_STOP_SECONDS: Final = 60
_ABSENT: Final = (".git", ".venv", ".hypothesis", ".*_cache", "__pycache__", "dist")
_PYTEST: Final = ("-m", "pytest", "-q", "-x", "-p", "no:randomly", "-p", "no:cacheprovider")
_MISSING: Final = re.compile(r"^missing part ([\w-]+):", re.MULTILINE)
_OF_THIS_RUN: Final = re.compile(r"PYTEST_|OVNGUARD_SOAK$|PYTHONDONTWRITEBYTECODE$")


class Result(NamedTuple):
    """How a run of tests ended; ``missing`` are the parts that this machine lacks for some of them."""

    passed: bool
    missing: tuple[str, ...]
    output: str


class Tree:
    """A copy of ``root`` in ``folder``. A place is ``file``, or ``file::name`` of a function, class or value in it."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = folder / "checkout"
        shutil.copytree(root, self._root, symlinks=True, ignore=shutil.ignore_patterns(*_ABSENT))

    @classmethod
    @contextmanager
    def of(cls, root: Path) -> Iterator[Self]:
        with tempfile.TemporaryDirectory(prefix="ovng-rows-") as folder:
            yield cls(root, Path(folder))

    def seen(self, place: str, tests: Sequence[str]) -> tuple[Result, list[Point]]:
        """How the tests end without a change, and which points of the place they run."""
        file, _, name = place.partition("::")
        text = (self._root / file).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="ovng-marks-") as folder:
            Path(folder).chmod(0o777)
            result = self._run(file, marked(text, name, Path(folder)), tests)
            numbers = {int(each.name) for each in Path(folder).iterdir()}
        return result, [point for point in points(text, name) if point.number in numbers]

    def changed(self, place: str, point: Point, tests: Sequence[str]) -> Result:
        """How the tests end when the point is changed."""
        file, _, name = place.partition("::")
        text = (self._root / file).read_text(encoding="utf-8")
        return self._run(file, changed(text, name, point.number), tests)

    def _run(self, file: str, text: str, tests: Sequence[str]) -> Result:
        """Run tests, up to the first failure, while a file has another text."""
        path = self._root / file
        before = path.read_text(encoding="utf-8")
        # Compiled files are as good as their time and size, which two texts may share.
        compiled = Path(importlib.util.cache_from_source(str(path)))
        try:
            compiled.unlink(missing_ok=True)
            path.write_text(text, encoding="utf-8")
            return self._run_tests(tests)
        finally:
            path.write_text(before, encoding="utf-8")
            compiled.unlink(missing_ok=True)

    def _run_tests(self, tests: Sequence[str]) -> Result:
        with tempfile.TemporaryDirectory(prefix="ovng-cache-") as cache:
            # What changed code compiles must not stay in the user's cache; the test bed is in the same folder.
            Path(cache, "ovnguard").mkdir()
            Path(cache, "ovnguard", "testbed").symlink_to(store.root())
            process = subprocess.Popen(
                [sys.executable, *_PYTEST, *tests],
                cwd=self._root,
                env={
                    **{name: value for name, value in os.environ.items() if not _OF_THIS_RUN.match(name)},
                    "PYTHONPATH": str(self._root),
                    "OVNGUARD_SHARED": str(shared_folder() or ""),
                    "XDG_CACHE_HOME": cache,
                },
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            output = _output(process)
        return Result(process.returncode == 0, tuple(_MISSING.findall(output)), output)


def _output(process: subprocess.Popen[str]) -> str:
    """What a run prints until it ends; one that hangs is interrupted, so that it stops what it started."""
    for seconds in (RUN_SECONDS, _STOP_SECONDS):
        try:
            return process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
    os.killpg(process.pid, signal.SIGKILL)
    return process.communicate()[0]
