"""What unit tests share: bundled definitions that were compiled once, and the levels of the log."""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ovnguard.validators.bundled import catalog
from ovnguard.validators.crd import compiled_crd
from ovnguard.validators.crd.compiled_crd import CompiledCRD

# Characters of a definition in JSON. The bundled ones are larger, those that tests write themselves are not.
_LARGE = 10_000
_LOGGERS = ("ovnguard", "ovnguard.reconciler", "ovnguard.validators")


@pytest.fixture(autouse=True)
def _log_of_a_new_process() -> None:
    """Undo the log setup of an earlier command: a test would capture more lines than its own, or none."""
    logging.getLogger().setLevel(logging.WARNING)
    for logger in map(logging.getLogger, _LOGGERS):
        logger.setLevel(logging.NOTSET)
        logger.propagate = True
        logger.handlers.clear()


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
