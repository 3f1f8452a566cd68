"""Recorded answers of the API server's own code: a definition, a request for one of its objects, and the verdict.

The folder is `conformance/verdict-cases` of the upstream data. A case without a request asks for the verdict on the
definition itself.
"""

import json
from typing import Any

from ovnguard.validators.crd.compiled_crd import CompiledCRD, InvalidCRD, compile_crd
from tests.support.differential.compare import differences, ours
from tests.support.paths import shared_folder


def recorded_cases() -> dict[str, dict[str, Any]]:
    """Every case by its name; none where the upstream data is absent."""
    shared = shared_folder()
    files = [] if shared is None else sorted((shared / "conformance" / "verdict-cases").glob("*.json"))
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in files}


def case_differences(case: dict[str, Any]) -> list[str]:
    """What differs from the recorded answer, one line each; of an exception its type."""
    theirs = case["theirs"]
    try:
        compiled = _compiled(case["crd"])
        if case["request"] is None:
            return _definition_differences(compiled, theirs)
        if isinstance(compiled, list):
            return [f"the definition is refused: {compiled}"]
        return differences(ours(compiled, case["request"]), _answer(theirs))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as crash:
        return [f"{type(crash).__name__}: {crash}"]


def _compiled(definition: dict[str, Any]) -> CompiledCRD | list[str]:
    """The compiled definition, or the texts of its errors."""
    try:
        return compile_crd(definition)
    except InvalidCRD as refused:
        return [error.text for error in refused.errors]


def _definition_differences(compiled: CompiledCRD | list[str], theirs: dict[str, Any]) -> list[str]:
    mine = compiled if isinstance(compiled, list) else []
    if "error" in theirs:
        return [] if mine else [f"accepted, peer: {theirs['error']}"]
    return [] if mine == theirs["crdErrors"] else [f"only ours: {mine}", f"only the peer's: {theirs['crdErrors']}"]


def _answer(theirs: dict[str, Any]) -> dict[str, Any]:
    """A recorded verdict in the form in which the peer answers."""
    errors = [dict(zip(("type", "field", "detail", "text"), error, strict=True)) for error in theirs["errors"]]
    return {**theirs, "errors": errors, "object": json.loads(theirs["object"]) if theirs["object"] else None}
