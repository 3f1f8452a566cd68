"""What unit tests share: bundled definitions that were compiled once, and the comparison of generated files."""

import json
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT
from validators.bundled import catalog
from validators.crd import compiled_crd
from validators.crd.compiled_crd import CompiledCRD

# Characters of a definition in JSON. The bundled ones are larger, those that tests write themselves are not.
_LARGE = 10_000
_DIFF_LINES = 40


@pytest.fixture
def generated(request: pytest.FixtureRequest) -> Callable[[Path, str, str], None]:
    """Compare a generated file with `text`, which `command` writes into it; with --update write it."""

    def check(file: Path, text: str, command: str) -> None:
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


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    """Compile each bundled definition once a process, as every door does, whatever number of catalogues tests make.

    It takes a tenth of a second. A compiled definition is a value, so tests can share it; with a store, what is
    compiled and what is read is the store's affair and left alone.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_crd, "_compiled", _of_definitions(compiled_crd._compiled))
        patch.setattr(catalog, "compile_source", _of_sources(compiled_crd.compile_source))
        yield


def _of_definitions(make: Callable[..., CompiledCRD]) -> Callable[..., CompiledCRD]:
    known: dict[tuple[str, str | None, str, bool], CompiledCRD] = {}

    def compiled(definition: Any, version: str | None, kubernetes: str, rule_id: Any = None) -> CompiledCRD:
        text = json.dumps(definition)
        if len(text) < _LARGE:
            return make(definition, version, kubernetes, rule_id)
        key = (text, version, kubernetes, rule_id is None)
        if key not in known:
            known[key] = make(definition, version, kubernetes, rule_id)
        return known[key]

    return compiled


def _of_sources(make: Callable[..., CompiledCRD]) -> Callable[..., CompiledCRD]:
    known: dict[tuple[bytes, str | None, str], CompiledCRD] = {}

    def compiled(
        source: bytes, define: Any, version: str | None, kubernetes: str, store: Any, rule_id: Any
    ) -> CompiledCRD:
        key = (source, version, kubernetes)
        if store is not None:
            return make(source, define, version, kubernetes, store, rule_id)
        if key not in known:
            known[key] = make(source, define, version, kubernetes, None, rule_id)
        return known[key]

    return compiled
