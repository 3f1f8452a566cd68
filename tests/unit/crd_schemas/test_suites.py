"""Every bundled suite through our own verdict: outcome, exact texts of 1.35, the object as it would be stored."""

import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard import crd_schemas
from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from tests.support.soak import limit

_SERVER_SIDE = frozenset(
    ["name", "namespace", "generateName", "generation", "uid", "creationTimestamp", "resourceVersion"]
)
_ERRORS = frozenset({"expectedError", "expectedStatusError"})


def _loaded(text: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)
    return loaded


@cache
def _crd(path: str) -> tuple[CompiledCRD, dict[str, Any]]:
    source = next(_loaded(crd.read_text(encoding="utf-8")) for crd, _ in crd_schemas.suites() if str(crd) == path)
    return compile_crd(source), source


def _suites() -> Iterator[Any]:
    for crd, suite in crd_schemas.suites():
        folder = str(crd).rpartition("crd_schemas/")[2].split("/")[0]
        yield pytest.param(str(crd), suite, id=f"{folder}-{suite.parent.name.partition('.')[0]}-{suite.name}")


def _created(crd: CompiledCRD, text: str) -> Verdict:
    obj = _loaded(text)
    obj["metadata"] = {"generateName": "test-", "namespace": "default", **obj.get("metadata", {})}
    return crd.verdict(obj)


def _updated(crd: CompiledCRD, case: dict[str, Any]) -> Verdict:
    """The status of the first object, the spec update, then, where the text has a status, the status update."""
    stored = copy.deepcopy(_created(crd, case["initial"]).object)
    assert stored is not None
    stored["metadata"]["resourceVersion"] = "1"
    before = _loaded(case["initial"]).get("status")
    if before is not None and crd.has_status:
        written = crd.verdict({**stored, "status": before}, old=stored, subresource="status")
        assert written.object is not None
        stored = copy.deepcopy(written.object)
    wanted = _loaded(case["updated"])
    kept = {key: stored["metadata"][key] for key in ("name", "namespace") if key in stored["metadata"]}
    wanted["metadata"] = {**wanted.get("metadata", {}), **kept}
    verdict = crd.verdict(wanted, old=stored)
    if not verdict.allowed or "status" not in wanted or not crd.has_status:
        return verdict
    stored = copy.deepcopy(verdict.object)
    assert stored is not None
    return crd.verdict({**stored, "status": wanted["status"]}, old=stored, subresource="status")


def _as_written(obj: dict[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in obj.get("metadata", {}).items() if key not in _SERVER_SIDE}
    rest = {key: value for key, value in obj.items() if key != "metadata"}
    return {**rest, "metadata": metadata} if metadata else rest


def _faults(crd: CompiledCRD, phase: str, case: dict[str, Any]) -> Iterator[str]:
    """What differs from the case."""
    verdict = _created(crd, case["initial"]) if phase == "onCreate" else _updated(crd, case)
    texts = [error.text for error in verdict.errors]
    expected = case.get("expectedError") or case.get("expectedStatusError")
    if expected is not None:
        # a text from "is invalid:" on is the end of the whole message: these reasons and no other
        message = (verdict.status() or {}).get("message", "")
        whole = expected.startswith("is invalid: ") and message.endswith(expected)
        if verdict.allowed or not (whole or expected in texts):
            yield f"is not refused with {expected!r}, but with {texts}"
    elif texts or not verdict.allowed or verdict.object is None:
        yield f"is refused with {texts}"
    elif _as_written(verdict.object) != (
        stored := _loaded(case.get("expected") or case.get("updated") or case["initial"])
    ):
        yield f"would be stored as {_as_written(verdict.object)}, not as {stored}"


@pytest.mark.parametrize(("crd_path", "suite"), list(_suites()))
@limit(180)
def test_suite(crd_path: str, suite: Path) -> None:
    crd, source = _crd(crd_path)
    content = _loaded(suite.read_text(encoding="utf-8"))
    assert source["metadata"]["name"] == content["crdName"]
    found = [
        f"{phase} {case['name']!r} {fault}"
        for phase, cases in content["tests"].items()
        for case in cases
        for fault in _faults(crd, phase, case)
    ]
    assert found == []


def test_there_are_cases_of_both_kinds_for_every_crd() -> None:
    kinds: dict[str, set[str]] = {}
    for crd, suite in crd_schemas.suites():
        for phase, cases in _loaded(suite.read_text(encoding="utf-8"))["tests"].items():
            kinds.setdefault(str(crd), set()).add(phase)
            kinds[str(crd)].update("refused" if case.keys() & _ERRORS else "accepted" for case in cases)
    assert all(found == {"accepted", "refused", "onCreate", "onUpdate"} for found in kinds.values())
    assert set(kinds) == {str(crd) for crd, _ in crd_schemas.suites()}
