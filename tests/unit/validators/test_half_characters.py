"""Half of a surrogate pair in an object: both paths keep U+FFFD, which is what the API server stores."""

from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from ovnguard.validators.crd.strategy import judge_exactly
from tests.support.differential.compare import definition

SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "short": {"type": "string", "maxLength": 1},
        "mode": {"type": "string", "enum": ["\ufffd", "x"]},
        "port": {"x-kubernetes-int-or-string": True},
        "list": {"type": "array", "items": {"type": "string"}},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}


@pytest.fixture(scope="module")
def crd() -> CompiledCRD:
    return compile_crd(definition({"type": "object", "properties": {"spec": SPEC}}, status=False))


@pytest.mark.parametrize("again", [1, 5], ids=["cold", "warm"])
@pytest.mark.parametrize(
    ("spec", "stored"),
    [
        ({"text": "a\ud800"}, {"text": "a\ufffd"}),
        ({"short": "\udfff"}, {"short": "\ufffd"}),
        ({"mode": "\ud800"}, {"mode": "\ufffd"}),
        ({"port": "\ud800"}, {"port": "\ufffd"}),
        ({"list": ["\ud800", "é"]}, {"list": ["\ufffd", "é"]}),
        ({"map": {"\ud800": "\ud801x"}}, {"map": {"\ufffd": "\ufffdx"}}),
        ({"map": dict(zip(("\ud800", "\ud801"), "12", strict=True))}, {"map": {"\ufffd": "2"}}),
        ({"open": {"a": {"\udc00": ["\ud801"]}}}, {"open": {"a": {"\ufffd": ["\ufffd"]}}}),
        ({"text": "\ud83d\ude00"}, {"text": "😀"}),
    ],
)
def test_both_paths_store_the_replacement(crd: CompiledCRD, spec: Any, stored: Any, again: int) -> None:
    head = {"apiVersion": "example.com/v1", "kind": "Foo"}
    obj = {**head, "metadata": {"name": "x", "annotations": {"a": "\ud800"}}, "spec": spec}
    for old in (None, {**head, "metadata": {"name": "x"}, "spec": spec}):
        found = [crd.verdict(obj, old=old) for _ in range(again)][-1]
        exact = judge_exactly(crd.endpoint, obj, old)
        assert found.allowed
        assert found.object is not None
        assert (found.object["spec"], found.object["metadata"]["annotations"]) == (stored, {"a": "\ufffd"})
        assert found.object == exact.object


def test_a_name_with_half_a_character_is_refused(crd: CompiledCRD) -> None:
    obj = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a\ud800"}}
    (error,) = crd.verdict(obj).errors
    assert error.text.startswith('metadata.name: Invalid value: "a\ufffd": a lowercase RFC 1123 subdomain must consist')
