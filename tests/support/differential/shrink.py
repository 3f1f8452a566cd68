"""Makes a case smaller while it still differs in the same way."""

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

Place = tuple[Any, ...]


def shrink(case: Any, holds: Callable[[Any], bool], seconds: float) -> Any:
    """Return the smallest case found in this time for which ``holds``; the case itself must not be changed by it.

    Each round tries to leave out or to simplify every place, the largest parts first, until nothing more goes.
    """
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for candidate in _smaller(case):
            if time.monotonic() > end:
                return case
            if holds(candidate):
                case, progress = candidate, True
                break
    return case


def _smaller(case: Any) -> Iterator[Any]:
    for place in sorted(_places(case), key=len):
        value = _at(case, place)
        yield _without(case, place)
        for simpler in _simpler(value):
            if simpler != value or type(simpler) is not type(value):
                yield _with(case, place, simpler)


def _simpler(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield {}
        yield from (one for one in value.values() if isinstance(one, dict))
    elif isinstance(value, list):
        yield []
        half = len(value) // 2
        if half:
            yield value[:half]
            yield value[half:]
    elif isinstance(value, str):
        half = len(value) // 2
        yield from ("a", value[:half], value[half:], value[1:], value[:-1]) if len(value) > 1 else ()
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from (0, 1) if value not in {0, 1} else ()


def _places(value: Any, at: Place = ()) -> Iterator[Place]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in items:
        yield (*at, key)
        yield from _places(one, (*at, key))


def _at(value: Any, place: Place) -> Any:
    for step in place:
        value = value[step]
    return value


def _without(case: Any, place: Place) -> Any:
    made = copy.deepcopy(case)
    del _at(made, place[:-1])[place[-1]]
    return made


def _with(case: Any, place: Place, value: Any) -> Any:
    made = copy.deepcopy(case)
    _at(made, place[:-1])[place[-1]] = copy.deepcopy(value)
    return made
