"""What every test may use: golden files, generated files, and an honest last word about what did not run."""

import gc
import os
import re
from collections import Counter
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.support.default_signals import restore_signals
from tests.support.pages.prose import wrapped
from tests.support.paths import GOLDEN, ROOT, TESTS, shared_folder
from tests.support.soak import SOAK, SOAK_SECONDS, examples

# A deadline for one example, or for making one, fails by load. CI draws the same examples every time.
settings.register_profile(
    "tests", max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("tests"), derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "tests")

# Seconds after which a test has hung, by the folder below tests/; pyproject.toml has that of the others, and a test may
# have its own (tests.support.soak.limit). A unit test under the limit takes at most half a second on a quiet machine.
_LIMITS = {"unit": 30, "attacks": 180, "conformance": 180}
# For those that wait for threads and processes on a busy machine, and for Hypothesis, which makes a failure smaller.
_LONG_LIMIT = 120
_DESELECTED = pytest.StashKey[int]()
_DIFF_LINES = 40
_NEEDS = re.compile(r"needs ([a-z0-9_-]+): (.*)")


def pytest_collection(session: pytest.Session) -> None:
    """Collect without the garbage collector: it takes a sixth of the time, and nothing that is collected goes away."""
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Collect garbage again, but of what the tests make, and a tenth as often: that is a twentieth of a run."""
    gc.freeze()
    gc.set_threshold(7000)
    gc.enable()


def pytest_configure() -> None:
    """Let every process that a test starts have default signals."""
    restore_signals()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write golden files instead of comparing with them")
    parser.addoption("--repeat", type=int, default=1, help="run every test marked timing so many times")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each repetition of a test that waits."""
    count: int = metafunc.config.getoption("--repeat")
    if count > 1 and metafunc.definition.get_closest_marker("timing"):
        metafunc.fixturenames.append("_repetition")
        metafunc.parametrize("_repetition", range(count), indirect=True)


@pytest.fixture
def _repetition() -> None:
    """Which repetition it is makes no difference to the test."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Conformance tests are not selected, and counted so, where the upstream data is absent; marks follow folders."""
    for item in items:
        folder = _folder(item)
        if folder in {"functional", "e2e", "conformance"}:
            item.add_marker(folder)
        if (limit := _limit(item, folder)) and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(limit))
    # Long tests first, so that no worker is left with one at the end.
    items.sort(key=lambda item: _folder(item) == "unit")
    if shared_folder() is None:
        absent = [item for item in items if item.get_closest_marker("conformance")]
        if absent:
            config.hook.pytest_deselected(items=absent)
            items[:] = [item for item in items if not item.get_closest_marker("conformance")]


def _limit(item: pytest.Item, folder: str) -> int | None:
    """After how many seconds a test has hung; None: see pyproject.toml."""
    if SOAK:
        return SOAK_SECONDS
    if folder in _LIMITS and (item.get_closest_marker("timing") or is_hypothesis_test(getattr(item, "obj", None))):
        return _LONG_LIMIT
    return _LIMITS.get(folder)


def _folder(item: pytest.Item) -> str:
    """The folder of a test below tests/."""
    inside = item.path.as_posix().removeprefix(f"{TESTS.as_posix()}/")
    return inside.partition("/")[0]


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count tests that are not selected: a worker of a parallel run hands its count to the run."""
    if items:
        stash = items[0].config.stash
        stash[_DESELECTED] = stash.get(_DESELECTED, 0) + len(items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand over how many tests this worker of a parallel run did not select."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["deselected"] = session.config.stash.get(_DESELECTED, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over how many tests a worker did not select: all workers collect the same tests."""
    node.config.stash[_DESELECTED] = getattr(node, "workeroutput", {}).get("deselected", 0)


@pytest.fixture
def shared() -> Path:
    """The folder with upstream data."""
    folder = shared_folder()
    assert folder is not None, "conformance tests are deselected where this is None"
    return folder


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare `text` with the golden file `name` (relative to tests/golden); with --update write it."""

    def check(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert file.exists(), f"no golden file {name}: run pytest --update and read what it wrote"
        assert text == file.read_text(encoding="utf-8")

    return check


@pytest.fixture
def generated(request: pytest.FixtureRequest) -> Callable[[Path, str, str], None]:
    """Compare a generated file with `text`, which `command` writes into it; with --update write it (pages wrapped)."""

    def check(file: Path, text: str, command: str) -> None:
        text = wrapped(text) if file.suffix == ".md" else text
        if request.config.getoption("--update"):
            file.write_text(text, encoding="utf-8")
        found = file.read_text(encoding="utf-8")
        if found != text:
            pytest.fail(
                f"{file.relative_to(ROOT)} is not up to date: run {command}\n{_diff(found, text)}", pytrace=False
            )

    return check


def _diff(found: str, text: str) -> str:
    """The first lines of the change that is due."""
    lines = list(unified_diff(found.splitlines(), text.splitlines(), "in the file", "generated", n=1, lineterm=""))
    more = [f"... and {len(lines) - _DIFF_LINES} lines"] if len(lines) > _DIFF_LINES else []
    return "\n".join(line[:200] for line in (*lines[:_DIFF_LINES], *more))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End with what passed, failed and was skipped, and name each part that this machine lacks."""
    stats = terminalreporter.stats
    missing: Counter[tuple[str, str]] = Counter()
    for report in (*stats.get("passed", []), *stats.get("failed", []), *stats.get("", [])):
        for line in (value for name, value in report.user_properties if name == "shown" and report.when == "teardown"):
            terminalreporter.write_line(line)
    for report in stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if found := _NEEDS.search(reason):
            missing[(found[1], found[2])] += 1
    terminalreporter.section("parts", sep="=")
    for (part, reason), count in sorted(missing.items()):
        terminalreporter.write_line(f"missing part {part}: {reason} ({count} tests skipped)")
    if not missing:
        terminalreporter.write_line("missing parts: none")
    deselected = terminalreporter.config.stash.get(_DESELECTED, 0)
    if deselected:
        why = "upstream data absent, or by choice on the command line"
        terminalreporter.write_line(f"not selected: {deselected} ({why})")
    counts = {key: len(stats.get(key, [])) for key in ("passed", "failed", "error", "skipped")}
    terminalreporter.write_line(
        f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, {counts['skipped']} skipped"
    )
