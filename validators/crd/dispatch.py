"""The first look at a request: ordinary objects are allowed here, the exact pipeline is imported for others only."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from validators.base.verdict import Verdict
from validators.fast.accept_path import FastPath

if TYPE_CHECKING:
    from validators.crd.strategy import Endpoint


@dataclass(frozen=True, slots=True)
class Front:
    """What is known of a served version without its schema, and what allows ordinary objects."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    has_status: bool
    deprecation: tuple[str, ...]
    fast: FastPath | None


def front_of(at: "Endpoint") -> Front:
    """The front of an endpoint."""
    kind = at.serves
    return Front(
        kind.group, kind.version, kind.kind, kind.plural, kind.namespaced, at.has_status, at.deprecation, at.fast
    )


def judge(
    front: Front,
    load: Callable[[], "Endpoint"],
    obj: Any,
    old: Any = None,
    subresource: str | None = None,
    field_validation: str = "Warn",
) -> Verdict:
    """`judge_exactly`, without it where that is possible. ``load`` gives the endpoint.

    Field validation makes no difference to an object whose schema and metadata are in order.
    """
    found = None if front.fast is None else front.fast.prepared(obj, old, subresource)
    count = partial(_count, load, obj, old, subresource)
    if found is None or front.fast is None:
        from validators.crd.strategy import judge_doubtful  # noqa: PLC0415 - see the top

        return judge_doubtful(load(), obj, old, subresource, field_validation, count)
    if front.fast.holds(*found):
        return _allowed(front, found[0], count)
    from validators.crd.strategy import judge_exactly, judge_rules  # noqa: PLC0415 - see the top

    at = load()
    return judge_rules(at, *found, count) or judge_exactly(at, obj, old, subresource, field_validation)


def allow(
    front: Front, load: Callable[[], "Endpoint"], obj: Any, old: Any = None, subresource: str | None = None
) -> Verdict | None:
    """What `judge` answers where that is certainly yes, with no field that is unknown; None where it has to look."""
    new = None if front.fast is None else front.fast.judge(obj, old, subresource)
    return None if new is None else _allowed(front, new, partial(_count, load, obj, old, subresource))


def _allowed(front: Front, new: dict[str, Any], count: Callable[[], int]) -> Verdict:
    return Verdict(True, new, (), front.deprecation, count, (), None, front.group, front.kind)


def _count(load: Callable[[], "Endpoint"], obj: Any, old: Any, subresource: str | None) -> int:
    from validators.crd.strategy import judge_exactly  # noqa: PLC0415 - see the top

    return judge_exactly(load(), obj, old, subresource).cost
