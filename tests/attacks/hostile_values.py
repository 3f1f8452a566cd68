"""Faults in any JSON value: what no schema expects at its place, two and three of them near each other."""

import copy
import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from traceback import extract_tb
from typing import Any, Final, NamedTuple

from tests.support.differential.shrink import shrink
from tests.support.paths import ROOT
from tests.support.random_definitions import harmless

SHRINK_SECONDS: Final = 20.0
NUMBERS: Final = (
    *(0, -1, 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30, 10**400, -(10**19)),
    *(0.5, -0.0, 1.0, 1e21, 1e308, -1e308, 5e-324, 1e-7),
)
TEXTS: Final = (
    *("", " ", "\n", "a\nb", "\x00", "\x7f", "\u2028", "\ud800", "é", "😀", "e\u0301", "a" * 254, "x" * 5000),
    *(
        "NaN",
        "nan",
        ".nan",
        "Infinity",
        "-Infinity",
        ".inf",
        "null",
        "~",
        "true",
        "0x1F",
        "1_000",
        "1e400",
        "-0",
        "0o7",
    ),
    *("unknown", "Unknown", "FieldValueNope", "InternalError", "FieldValueNotFound", "string", "object", "integer"),
    *("Namespaced", "Webhook", "v1", "v0", "self", "spec", "metadata", ".spec", ".spec[", ".spec['a", ".spec.a[*]"),
    *(
        "(",
        "[",
        "a{2,1}",
        "a{1001}",
        "(?<n>a)",
        "(?=a)",
        "\\p{Nope}",
        "\\1",
        "*",
        "(" * 300,
        "[[:nope:]]",
        "\\Q",
        "a**",
    ),
    *(
        "self.",
        "self == ",
        "1 / 0",
        "self.all(",
        "[0][1] == 0",
        "true",
        "false",
        "self" + ".a" * 80,
        "((((((((1))))))))",
    ),
    *("%s", "%", "{0}", "$ref", "a//b", "a/../b", "http://[", "2020-13-45T99:99:99Z", "1.35", "-1h", "10.0.0.0/33"),
)
WRONG: Final[tuple[Any, ...]] = (
    *(None, True, False, [], {}, [None], [[]], [{}], [1, "1", 1.0, True], {"": 1}, {"a": None}, {"\ud800": "\ud800"}),
    *({"a": {"b": [{"c": None}]}}, ["a", "a"], [{"a": 1}, {"a": 1}], {"type": "object"}, {"type": "nope"}),
)
KEYS: Final = (
    "",
    "é",
    "\ud800",
    "a b",
    "0",
    "a.b",
    "$ref",
    "__x",
    "metadata",
    "Kind",
    "type",
    "x-kubernetes-nope",
    "NaN",
)
DEPTHS: Final = (2, 10, 30, 60, 85)
_NEAR: Final = 6

Place = tuple[Any, Any]
"""A mapping and one of its keys, or a list and one of its indices."""


def hostile(rng: random.Random) -> Any:
    """Any value of the above."""
    return copy.deepcopy(rng.choice(rng.choice((NUMBERS, TEXTS, TEXTS, WRONG))))


def places(value: Any) -> Iterator[Place]:
    """Iterate over every place of a value, each before those inside it."""
    for key, one in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(one, dict | list):
            yield from places(one)


def spoil(rng: random.Random, value: Any, times: int) -> None:
    """Change so many places of ``value``. Every other fault is near the one before: some crashes need two."""
    at: int | None = None
    for _ in range(times):
        found = list(places(value))
        if not found:
            return
        if at is None or rng.random() < 0.5:
            at = rng.randrange(len(found))
        else:
            at = max(0, min(at + rng.randint(-_NEAR, _NEAR), len(found) - 1))
        change(rng, *found[at])


def change(rng: random.Random, parent: Any, key: Any) -> None:
    """Give one place a fault."""
    value = parent[key]
    match rng.randrange(9):
        case 0:
            del parent[key]
        case 1:
            parent[key] = None
        case 2:
            parent[key] = [copy.deepcopy(value)] if rng.random() < 0.5 else {rng.choice(KEYS): copy.deepcopy(value)}
        case 3 if isinstance(value, dict):
            value[rng.choice(KEYS)] = hostile(rng)
        case 3 if isinstance(value, list):
            value.insert(rng.randrange(len(value) + 1), hostile(rng))
        case 4 if isinstance(parent, dict):
            parent[rng.choice((key.swapcase(), key + "x", *KEYS))] = copy.deepcopy(value)
        case 4:
            parent.insert(key, copy.deepcopy(value))
        case 5:
            parent[key] = json.dumps(value) if isinstance(value, dict | list) else str(value)
        case 6 if isinstance(value, str):
            parent[key] = rng.choice((value + rng.choice(TEXTS), rng.choice(TEXTS) + value, value[:-1], value * 40))
        case 6 if type(value) in {int, float}:
            parent[key] = rng.choice((-value, value * 2**62, value - 1, str(value)))
        case 7 if rng.random() < 0.3:
            parent[key] = nested(value, rng.choice(DEPTHS), rng.choice(KEYS))
        case _:
            parent[key] = hostile(rng)


def nested(value: Any, depth: int, key: str) -> Any:
    """Return the value below so many lists and mappings."""
    for level in range(depth):
        value = [value] if level % 2 else {key: value}
    return value


class Crash(NamedTuple):
    """An exception that judging a case raised, the line that raised it, and the smallest case that does."""

    seed: int
    fault: str
    line: str
    case: Any

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.fault} in {self.line}: {json.dumps(self.case)}"


def crashes(
    seeds: Iterable[int], make: Callable[[int], Any], judge: Callable[[Any], str], seconds: float
) -> tuple[list[Crash], set[str]]:
    """Judge the case of every seed; return one crash for each line that raises, and what judging returned otherwise.

    A case that takes longer than ``seconds`` of the processor counts as a crash, and so does one that runs its text.
    """
    found: dict[str, Crash] = {}
    outcomes: set[str] = set()
    for seed in seeds:
        case = make(seed)
        outcome, line = _judged(case, judge, seconds)
        if not line:
            outcomes.add(outcome)
        elif line not in found:
            small = shrink(case, lambda one, line=line: _judged(one, judge, seconds)[1] == line, SHRINK_SECONDS)
            found[line] = Crash(seed, outcome, line, small)
    return list(found.values()), outcomes


def _judged(case: Any, judge: Callable[[Any], str], seconds: float) -> tuple[str, str]:
    """What judging a case returns; or the exception, and the line that raised it."""
    try:
        with harmless("under attack", seconds):
            return judge(copy.deepcopy(case)), ""
    except Exception as fault:  # noqa: BLE001 - whatever it is, it is what we look for
        ours = [each for each in extract_tb(fault.__traceback__) if each.filename.startswith(f"{ROOT}/")]
        return f"{type(fault).__name__}: {str(fault)[:200]}", f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
