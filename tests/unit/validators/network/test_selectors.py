from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network.selectors import labels_of, matches

LABELS = {"zone": "a", "tier": "db", "empty": ""}


def expression(key: object, operator: object, *values: object) -> dict[str, Any]:
    made = {"key": key, "operator": operator}
    return {"matchExpressions": [{**made, "values": list(values)} if values else made]}


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({}, True),
        ({"matchLabels": None, "matchExpressions": None}, True),
        (None, False),
        ("zone=a", False),
        ({"matchLabels": {"zone": "a"}}, True),
        ({"matchLabels": {"zone": "a", "tier": "web"}}, False),
        ({"matchLabels": {"other": ""}}, False),
        ({"matchLabels": {"empty": ""}}, True),
        ({"matchLabels": ["zone"]}, False),
        ({"matchExpressions": {"zone": "a"}}, False),
        (expression("zone", "In", "b", "a"), True),
        (expression("zone", "In", "b"), False),
        (expression("other", "In", "b"), False),
        (expression("zone", "NotIn", "b"), True),
        (expression("zone", "NotIn", "a"), False),
        (expression("other", "NotIn", "a"), True),
        (expression("zone", "Exists"), True),
        (expression("other", "Exists"), False),
        (expression("other", "DoesNotExist"), True),
        (expression("zone", "DoesNotExist"), False),
        (expression("zone", "Equals", "a"), False),
        (expression("zone", "In"), False),
        (expression("zone", "Exists", "a"), False),
        (expression(["zone"], "Exists"), False),
        (expression("zone", ["Exists"]), False),
        ({"matchLabels": {"zone": "a"}, **expression("tier", "In", "web")}, False),
        ({"matchExpressions": ["zone"]}, False),
    ],
)
def test_matches(selector: object, expected: bool) -> None:
    assert matches(selector, LABELS) is expected


def test_labels_are_texts() -> None:
    assert labels_of({"metadata": {"labels": {"a": "b", "c": 1}}}) == {"a": "b"}
    assert labels_of({"metadata": None}) == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(exact=JSON, expressions=JSON, whole=JSON)
def test_never_raises(exact: object, expressions: object, whole: object) -> None:
    assert matches({"matchLabels": exact, "matchExpressions": expressions}, LABELS) in {True, False}
    assert matches(whole, LABELS) in {True, False}
