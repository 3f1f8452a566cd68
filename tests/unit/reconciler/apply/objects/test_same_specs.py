"""What counts as the same spec, and what is compared only once."""

from typing import Any

import pytest

from ovnguard.reconciler.apply.objects.same_specs import SameSpecs, means_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"passwordSecret": {}, "raw": None}),
        ({"a": {"b": {}}}, {}),
        ({"mode": "filtered"}, {}),
        ([{"address": "a"}], [{"address": "a", "addressFamilies": ["unicast"], "disableMP": False}]),
    ],
)
def test_defaults_and_empty_structures_mean_nothing(one: Any, other: Any) -> None:
    assert means_same(one, other)
    assert means_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"mode": "all"}, {}),
        ({"mode": "all"}, {"mode": "filtered"}),
        ({"prefixes": []}, {}),
        ([1], [1, 2]),
        ([1, 2], [2, 1]),
        ({"a": {"b": 1}}, {"a": {}}),
        ({"a": {}}, {"a": []}),
        ({"port": 0}, {}),
    ],
)
def test_anything_else_is_a_difference(one: Any, other: Any) -> None:
    assert not means_same(one, other)
    assert not means_same(other, one)


def test_a_version_is_compared_once_with_the_same_spec() -> None:
    class Counted(dict[str, Any]):
        looks = 0

        def get(self, key: str, default: Any = None) -> Any:
            Counted.looks += key == "spec"
            return super().get(key, default)

    specs = SameSpecs()
    observed = Counted(metadata={"uid": "u", "resourceVersion": "1"}, spec={"a": 1})
    assert specs.same({"a": 1}, observed)
    assert specs.same({"a": 1}, observed)
    assert Counted.looks == 1
    assert not specs.same({"a": 2}, observed)
    observed["metadata"]["resourceVersion"], observed["spec"] = "2", {"a": 2}
    assert not specs.same({"a": 1}, observed)
    specs.forget_others([])
    assert specs.same({"a": 2}, observed)
    assert Counted.looks == 4
