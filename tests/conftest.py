"""What every test may use: golden files, and an honest last word about what did not run."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.paths import GOLDEN, shared_folder

_NEEDS = re.compile(r"needs ([a-z0-9_-]+): (.*)")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write golden files instead of comparing with them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Conformance tests are not selected, and counted so, where the upstream data is absent; marks follow folders."""
    for item in items:
        for mark in ("functional", "e2e", "conformance"):
            if f"tests/{mark}/" in item.path.as_posix():
                item.add_marker(mark)
    if shared_folder() is None:
        absent = [item for item in items if item.get_closest_marker("conformance")]
        if absent:
            config.hook.pytest_deselected(items=absent)
            items[:] = [item for item in items if not item.get_closest_marker("conformance")]


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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End with what passed, failed and was skipped, and name each part that this machine lacks."""
    stats = terminalreporter.stats
    missing: Counter[tuple[str, str]] = Counter()
    for report in stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if found := _NEEDS.search(reason):
            missing[(found[1], found[2])] += 1
    terminalreporter.section("parts", sep="=")
    for (part, reason), count in sorted(missing.items()):
        terminalreporter.write_line(f"missing part {part}: {reason} ({count} tests skipped)")
    if not missing:
        terminalreporter.write_line("missing parts: none")
    deselected = len(stats.get("deselected", []))
    if deselected:
        why = "upstream data absent, or by choice on the command line"
        terminalreporter.write_line(f"not selected: {deselected} ({why})")
    counts = {key: len(stats.get(key, [])) for key in ("passed", "failed", "error", "skipped")}
    terminalreporter.write_line(
        f"{counts['passed']} passed, {counts['failed'] + counts['error']} failed, {counts['skipped']} skipped"
    )
