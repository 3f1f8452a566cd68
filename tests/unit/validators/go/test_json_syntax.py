"""JSON texts against what Go's encoding/json made of them (json_texts.jsonl, recorded with Go 1.26)."""

import json
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.go.json_syntax import MAX_DEPTH, Members, NotJSON, Number, json_of, read_json

TEXTS = [json.loads(line) for line in (Path(__file__).parent / "json_texts.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("row", TEXTS, ids=lambda row: ascii(row["text"]))
def test_a_text_is_read_or_refused_as_in_go(row: dict[str, str]) -> None:
    found = read_json(row["text"])
    if "error" in row:
        assert found == NotJSON(row["error"])
    else:
        assert json.loads(json_of(found)) == json.loads(row["compact"])


def test_members_keep_their_order_and_numbers_their_text() -> None:
    assert read_json('{"b": 1.50, "a": [2], "b": null}') == Members(
        [("b", Number("1.50")), ("a", [Number("2")]), ("b", None)]
    )


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_ten_thousand_levels_are_read_and_no_more(opening: str, closing: str) -> None:
    inside = "1" if "a" in opening else ""
    text = opening * MAX_DEPTH + inside + closing * MAX_DEPTH
    assert json_of(read_json(text)) == text
    deeper = read_json(opening + text + closing)
    assert deeper == NotJSON(f"invalid character '{opening[0]}' exceeded max depth")


def test_half_a_surrogate_pair_is_the_replacement_character() -> None:
    assert read_json('"\ud800"') == "\ufffd"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Members([("b", Number("1e400")), ("a", "é\n\u2028"), ("b", True)]), '{"a":"é\\n\u2028","b":true}'),
        ([None, False, [], Members()], "[null,false,[],{}]"),
    ],
)
def test_values_are_written_compactly_with_sorted_keys(value: Any, expected: str) -> None:
    assert json_of(value) == expected
