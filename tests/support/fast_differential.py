"""Compare the fast path with the exact path on one request."""

import json
from typing import Any

from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.crd.compiled_crd import CompiledCRD
from ovnguard.validators.crd.strategy import judge_exactly
from tests.support import small_definitions
from tests.support.small_definitions import STATUS


def definition(schema: dict[str, Any], *, status: bool = False, scope: str = "Namespaced") -> dict[str, Any]:
    return small_definitions.definition(schema, scope=scope, **STATUS if status else {})


def of(value: Any) -> dict[str, Any]:
    """An object with a value at spec.v."""
    return {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": {"v": value}}


def with_node(node: dict[str, Any]) -> dict[str, Any]:
    """A definition with a node at spec.v."""
    return definition({"type": "object", "properties": {"spec": {"type": "object", "properties": {"v": node}}}})


def accepted(crd: CompiledCRD, obj: Any, old: Any = None, subresource: str | None = None) -> dict[str, Any] | None:
    """The object that would be stored if generated code accepts the request, else None."""
    fast = crd.endpoint.fast
    assert fast is not None
    found = fast.prepared(obj, old, subresource)
    return fast.stored(*found) if found is not None and fast.holds(*found) else None


def same(crd: CompiledCRD, obj: Any, old: Any = None, subresource: str | None = None) -> tuple[bool, Verdict]:
    """Whether the fast path took the request, and the exact verdict; asserts that they do not contradict each other."""
    assert crd.endpoint.fast is not None
    before = json.dumps([obj, old])
    new = accepted(crd, obj, old, subresource)
    exact = judge_exactly(crd.endpoint, obj, old, subresource)
    assert json.dumps([obj, old]) == before, "the request was changed"
    if new is not None:
        assert exact.allowed, (obj, old, exact.errors, exact.refusal)
        assert json.dumps(new, sort_keys=True) == json.dumps(exact.object, sort_keys=True)
        assert exact.warnings == crd.endpoint.deprecation
        assert not exact.unknown
    verdict = crd.verdict(obj, old, subresource)
    assert (verdict.allowed, verdict.errors) == (exact.allowed, exact.errors)
    assert json.dumps(verdict.object, sort_keys=True) == json.dumps(exact.object, sort_keys=True)
    assert (verdict.object, verdict.warnings) == (exact.object, exact.warnings)
    assert (verdict.refusal, verdict.unknown, verdict.status()) == (exact.refusal, exact.unknown, exact.status())
    return new is not None, exact
