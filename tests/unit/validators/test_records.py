"""Our dataclasses against those of the standard module."""

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from validators.base import records


class Plain:
    """Has everything that a class here may have."""

    first: int
    second: str = "two"
    third: list[int] = records.field(default_factory=list, hash=False)
    fourth: int = records.field(default=4, compare=False, repr=False)

    @property
    def both(self) -> str:
        return f"{self.first}{self.second}"


OURS: Any = records.dataclass(frozen=True, slots=True)(Plain)
THEIRS: Any = dataclasses.dataclass(frozen=True, slots=True)(
    type(
        "Plain",
        (),
        {
            "__annotations__": Plain.__annotations__,
            "second": "two",
            "third": dataclasses.field(default_factory=list, hash=False),
            "fourth": dataclasses.field(default=4, compare=False, repr=False),
            "both": Plain.both,
        },
    )
)
Plain = OURS  # what pickle finds under the name
CALLS = [
    ((1,), {}),
    ((1, "b"), {}),
    ((1, "b", [3], 5), {}),
    ((), {"first": 1, "third": [1]}),
    ((), {}),
    ((1,), {"x": 2}),
]


def told(make: Any, args: Any, kwargs: Any) -> Any:
    try:
        made = make(*args, **kwargs)
    except TypeError as error:
        return str(error).partition("__init__")[2]
    return repr(made), [getattr(made, name) for name in made.__slots__], made.both


@pytest.mark.parametrize(("args", "kwargs"), CALLS)
def test_instances_are_made_and_shown_alike(args: Any, kwargs: Any) -> None:
    assert told(OURS, args, kwargs) == told(THEIRS, args, kwargs)


@pytest.mark.parametrize("other", [(1,), (2,), (1, "b"), (1, "two", [0]), (1, "two", [], 9)])
def test_equality_and_hash_look_at_the_same_fields(other: Any) -> None:
    assert (OURS(1) == OURS(*other)) is (THEIRS(1) == THEIRS(*other))
    assert (hash(OURS(1)) == hash(OURS(*other))) is (hash(THEIRS(1)) == hash(THEIRS(*other)))
    assert OURS(1) != THEIRS(1)
    assert OURS(1) != (1, "two", [], 4)


@pytest.mark.parametrize("make", [OURS, THEIRS])
def test_nothing_can_be_changed_or_added(make: Any) -> None:
    one = make(1)
    for name in ("first", "fourth"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(one, name, 2)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(one, name)
    with pytest.raises((AttributeError, TypeError)):
        one.fifth = 5
    assert not hasattr(one, "__dict__")


def test_factories_make_one_value_for_each_instance() -> None:
    assert OURS(1).third is not OURS(1).third


def test_the_standard_module_takes_them_for_its_own() -> None:
    one = OURS(1, fourth=7)
    assert dataclasses.is_dataclass(one)
    assert dataclasses.asdict(one) == dataclasses.asdict(THEIRS(1, fourth=7))
    for replace in (records.replace, dataclasses.replace):
        changed = replace(one, first=2)
        assert (type(changed), changed.first, changed.third, changed.fourth) == (OURS, 2, [], 7)
        with pytest.raises(TypeError):
            replace(one, fifth=2)
    described = [(one.name, one.repr, one.compare, one.hash) for one in dataclasses.fields(OURS)]
    assert [one[:3] for one in described] == [(one.name, one.repr, one.compare) for one in dataclasses.fields(THEIRS)]
    assert list(inspect.signature(OURS).parameters) == list(inspect.signature(THEIRS).parameters)
    assert OURS.__match_args__ == THEIRS.__match_args__


def test_copies_are_equal() -> None:
    one = OURS(1, third=[1])
    for copied in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (copied, copied.fourth, type(copied)) == (one, 4, OURS)
    assert copy.deepcopy(one).third is not one.third


def test_the_standard_module_is_not_imported() -> None:
    script = "import sys, validators.cli.judge_documents; print({'dataclasses', 'inspect'} & set(sys.modules))"
    root = Path(__file__).parents[3]
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root)
    assert ran.stdout == "set()\n"
