"""The difference of two JSON values as an RFC 6902 patch of ``add``, ``replace`` and ``remove`` only.

No ``move``, ``copy`` or ``test``: whoever audits a mutation reads every value it writes. The patch of equal values is
empty, so applying a patch and asking again asks for nothing more.
"""

from collections.abc import Iterator
from typing import Any, TypedDict

from validators.base.json_types import Json


class _Target(TypedDict):
    op: str
    path: str


class Operation(_Target, total=False):
    """One operation; ``value`` is absent in a ``remove``."""

    value: Any


def diff(before: Json, after: Json) -> list[Operation]:
    """Return the operations that turn ``before`` into ``after``, to be applied in this order.

    Numbers are compared as they are written: 1, 1.0 and true are three values. Lists are aligned by their common head
    and tail; what lies between is compared in place. Both values must be trees; recursion is as deep as they are.
    """
    return list(_diff("", before, after))


def pointer(*tokens: str) -> str:
    """Return the JSON pointer (RFC 6901) of a path of member names and indexes."""
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)


def same(one: Json, other: Json) -> bool:
    """Return whether two JSON values are equal, number types included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def _diff(path: str, before: Json, after: Json) -> Iterator[Operation]:
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _diff_objects(path, before, after)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _diff_lists(path, before, after)
    elif not same(before, after):
        yield {"op": "replace", "path": path, "value": after}


def _diff_objects(path: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[Operation]:
    for key in before:
        if key not in after:
            yield {"op": "remove", "path": path + pointer(key)}
    for key, value in after.items():
        if key in before:
            yield from _diff(path + pointer(key), before[key], value)
        else:
            yield {"op": "add", "path": path + pointer(key), "value": value}


def _diff_lists(path: str, before: list[Any], after: list[Any]) -> Iterator[Operation]:
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    paired = min(len(old), len(new))
    for index in range(paired):
        yield from _diff(f"{path}/{head + index}", old[index], new[index])
    # from the end, so that no removal moves what a later one names
    for index in reversed(range(paired, len(old))):
        yield {"op": "remove", "path": f"{path}/{head + index}"}
    for index in range(paired, len(new)):
        yield {"op": "add", "path": f"{path}/{head + index}", "value": new[index]}


def _common(one: list[Any], other: list[Any]) -> int:
    """How many leading elements are the same."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if not same(left, right):
            break
        count += 1
    return count
