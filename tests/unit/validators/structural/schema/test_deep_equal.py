from datetime import date
from typing import Any

import pytest

from ovnguard.validators.structural.schema.deep_equal import MAX_DEPTH, UnfitValue, as_json, deep_equal


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1, True),
        (1, 1.0, False),
        (1, True, False),
        (None, False, False),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, {"a": 1, "b": 1}, False),
        ([1, 2], [2, 1], False),
        ("a", "a", True),
    ],
)
def test_types_count(left: Any, right: Any, same: bool) -> None:
    assert deep_equal(left, right) is same


def test_json_stays_itself() -> None:
    value: dict[str, Any] = {"a": [1, 2.5, True, None, "x", {}], "b": {"c": -(2**63)}}
    assert as_json(value) is value


def test_integers_beyond_64_bits_become_floats() -> None:
    value = {"a": [2**63, 2**63 - 1]}
    read = as_json(value)
    assert read == {"a": [float(2**63), 2**63 - 1]}
    assert type(read["a"][0]) is float
    assert type(value["a"][0]) is int


def test_half_characters_are_replaced_as_go_replaces_them() -> None:
    value = {"a\ud800": ["\udfffx", {"b": "\ud83d"}], "é": "😀", "c": "é"}
    assert as_json(value) == {"a\ufffd": ["\ufffdx", {"b": "\ufffd"}], "é": "😀", "c": "é"}
    assert value["c"] == "é"
    assert as_json(["\ud83d\ude00", "\ude00\ud83d", "é\ud800é"]) == ["😀", "\ufffd\ufffd", "é\ufffdé"]
    ordinary = {"é": ["😀", {"b": "é"}]}
    assert as_json(ordinary) is ordinary


def test_subclasses_become_plain_values() -> None:
    class Text(str):
        __slots__ = ()

    class Map(dict[str, Any]):
        pass

    read = as_json(Map(a=Text("x"), b=[Text("y")]))
    assert [type(read), type(read["a"]), type(read["b"][0])] == [dict, str, str]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ({"a": {"b": [float("nan")]}}, "a.b[0]: nan is not a JSON number"),
        ([10**400], "[0]: this integer is not a JSON number"),
        ({"a": date(2020, 1, 1)}, "a: date is not a JSON value"),
        ({"a": {1: 2}}, "a: key 1 is not a string"),
        ({"a": (1,)}, "a: tuple is not a JSON value"),
        (nested(MAX_DEPTH + 2), f"{'a.' * 20}...{'.a' * 20}: nested deeper than {MAX_DEPTH} levels"),
    ],
)
def test_what_no_json_document_holds_is_refused(value: Any, complaint: str) -> None:
    with pytest.raises(UnfitValue) as caught:
        as_json(value)
    assert str(caught.value) == complaint


def test_the_number_of_values_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ovnguard.validators.structural.schema.deep_equal.MAX_VALUES", 10)
    with pytest.raises(UnfitValue, match="more than 10 values"):
        as_json({"a": list(range(11))})
