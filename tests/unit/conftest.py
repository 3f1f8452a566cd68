"""What unit tests share: bundled definitions that were compiled once."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from validators.bundled import catalog
from validators.crd import compiled_crd
from validators.crd.compiled_crd import CompiledCRD

# Characters of a definition in JSON. The bundled ones are larger, those that tests write themselves are not.
_LARGE = 10_000


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    """Compile each bundled definition once a process, as every door does, whatever number of catalogues tests make.

    It takes a tenth of a second. A compiled definition is a value, so tests can share it; with a store, what is
    compiled and what is read is the store's affair and left alone.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_crd, "_compiled", _of_definitions(compiled_crd._compiled))
        patch.setattr(catalog, "compile_text", _of_texts(catalog.compile_text))
        yield


def _of_definitions(make: Callable[[Any, str | None, str], CompiledCRD]) -> Callable[..., CompiledCRD]:
    known: dict[tuple[str, str | None, str], CompiledCRD] = {}

    def compiled(definition: Any, version: str | None, kubernetes: str) -> CompiledCRD:
        text = json.dumps(definition)
        if len(text) < _LARGE:
            return make(definition, version, kubernetes)
        key = (text, version, kubernetes)
        if key not in known:
            known[key] = make(definition, version, kubernetes)
        return known[key]

    return compiled


def _of_texts(make: Callable[..., CompiledCRD]) -> Callable[..., CompiledCRD]:
    known: dict[tuple[bytes, str | None, str], CompiledCRD] = {}

    def compiled(text: bytes, parse: Any, version: str | None, kubernetes: str, store: Any) -> CompiledCRD:
        key = (text, version, kubernetes)
        if store is not None:
            return make(text, parse, version, kubernetes, store)
        if key not in known:
            known[key] = make(text, parse, version, kubernetes)
        return known[key]

    return compiled
