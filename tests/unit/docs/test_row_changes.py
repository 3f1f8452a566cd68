"""The rows of docs/designs.md fail without their implementation: one change of each, and how it is made."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.paths import ROOT
from tests.support.row_changes.marks import row_other
from tests.support.row_changes.points import changed, marked, points
from tests.support.row_changes.rows import KILLED, SURVIVES, Subject, chosen, fate, subjects
from tests.support.row_changes.tree import Tree
from tests.support.soak import limit, soak_only

SEEDS: Final = (1, 2, 3)
ROWS: Final = 60
# Changes that no test can notice, with the reason.
EQUIVALENT: Final[dict[str, str]] = {}

PLANTED = '''"""A module."""

LIMIT = 3


def is_small(number: int) -> bool:
    """A condition and results."""
    if number < 0:
        return False
    return number < LIMIT


def even(numbers):
    yield from ()
    for number in numbers:
        yield number


def store(into: list) -> None:
    """No result."""
    into.append(1)


class Names:
    def first(self):
        return [each for each in ("a", "", "b") if each][:1]
'''
TESTS = """import planted


def test_small():
    assert planted.is_small(2) and not planted.is_small(3) and not planted.is_small(-1)


def test_even():
    assert list(planted.even([2, 4])) is not None


def test_nothing():
    assert planted.LIMIT
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    """A small project: one function is tested well, one not at all, and one has a test that cannot fail."""
    root = tmp_path_factory.mktemp("project")
    (root / "planted.py").write_text(PLANTED)
    (root / "test_planted.py").write_text(TESTS)
    with Tree.of(root) as found:
        yield found


def executed(text: str) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(text, module)
    return module


def stored(module: dict[str, Any]) -> list[int]:
    into: list[int] = []
    module["store"](into)
    return into


def test_points_are_conditions_results_yields_and_bodies() -> None:
    assert [str(point) for point in points(PLANTED)] == [
        "is_small: condition `number < 0`",
        "is_small: result `False`",
        "is_small: result `number < LIMIT`",
        "even: yield `yield from ()`",
        "even: yield `yield number`",
        "store: body",
        "Names.first: result `[each for each in ('a', '', 'b') if each][:1]`",
        "Names.first: condition `each`",
    ]
    assert [str(point) for point in points(PLANTED, "LIMIT")] == ["LIMIT: value `3`"]
    assert {point.name for point in points(PLANTED, "Names")} == {"Names.first"}
    assert points(PLANTED, "first") == points(PLANTED, "Names")


@pytest.mark.parametrize(
    ("name", "number", "call", "before", "after"),
    [
        pytest.param("is_small", 0, lambda module: module["is_small"](1), True, False, id="a condition"),
        pytest.param("is_small", 2, lambda module: module["is_small"](1), True, False, id="a result"),
        pytest.param("even", 1, lambda module: list(module["even"]([1, 2])), [1, 2], [], id="what is yielded"),
        pytest.param("store", 0, stored, [1], [], id="a body"),
        pytest.param("LIMIT", 0, lambda module: module["LIMIT"], 3, 4, id="a value"),
        pytest.param("Names", 0, lambda module: module["Names"]().first(), ["a"], [], id="a list"),
        pytest.param("Names", 1, lambda module: module["Names"]().first(), ["a"], [""], id="a condition of a list"),
    ],
)
def test_a_changed_point_behaves_differently(
    name: str, number: int, call: Callable[[dict[str, Any]], object], before: object, after: object
) -> None:
    assert call(executed(PLANTED)) == before
    assert call(executed(changed(PLANTED, name, number))) == after


@pytest.mark.parametrize(
    ("given", "other"),
    [
        (True, False),
        (1, 2),
        ("a", "a~"),
        (b"ab", b"a"),
        ((1, 2), (1,)),
        ([1], []),
        ({"a": 1, "b": 2}, {"a": 1}),
        (frozenset({"a", "b"}), frozenset({"a"})),
        (Subject("a", (), ()), Subject("a~", (), ())),
        (None, None),
        ((), ()),
    ],
)
def test_other_values_have_the_same_type(given: object, other: object) -> None:
    found = row_other(given)
    assert found == other
    assert type(found) is type(given)


def test_points_that_run_with_a_value_that_can_change_are_marked(tmp_path: Path) -> None:
    module = executed(marked(PLANTED, "", tmp_path))
    assert module["is_small"](7) is False
    assert list(module["even"]([5])) == [5]
    assert module["Names"]().first() == ["a"]
    assert sorted(int(each.name) for each in tmp_path.iterdir()) == [0, 2, 4, 6, 7]


@pytest.mark.parametrize(
    ("place", "test", "state"),
    [
        pytest.param("planted.py::is_small", "test_small", KILLED, id="tested well"),
        pytest.param("planted.py::even", "test_even", SURVIVES, id="a test that cannot fail"),
        pytest.param("planted.py::store", "test_small", f"{SURVIVES}: no test of the row runs it", id="no test"),
    ],
)
@limit(180)
def test_a_change_without_a_test_survives(tree: Tree, place: str, test: str, state: str) -> None:
    assert fate(tree, Subject("ROW-1", (place,), ((f"test_planted.py::{test}",),)), seed=1).state == state


@limit(180)
def test_a_row_whose_tests_fail_anyway_says_nothing(tree: Tree) -> None:
    found = fate(tree, Subject("ROW-1", ("planted.py",), (("test_planted.py::test_absent",),)), seed=1)
    assert found.state.startswith("fails without a change")


@limit(180)
def test_subjects_are_rows_that_name_code() -> None:
    found = {subject.id: subject for subject in subjects()}
    assert "NOOV-1" not in found, "its schema is data"
    assert found["L2TR-14"].places == ("validators/network/addresses/addressing.py::transit_pair",)
    assert found["L2TR-88"] == Subject(
        "L2TR-88",
        ("validators/network/rules/addresses/ip_families.py",),
        (("tests/unit/validators/network/rules/test_cases.py::test_case[OVNG-L2-029-IPv6 in an IPv4 cluster]",),),
    )
    costs = [test.split("/")[1] for tests in found["L2TR-94"].tests for test in tests]
    assert list(dict.fromkeys(costs)) == ["unit", "e2e"], "cheap ones first"


def test_a_new_row_replaces_at_most_one_of_those_that_a_seed_chooses() -> None:
    found = [Subject(f"ROW-{number}", ("a",), (("b",),)) for number in range(100)]
    before = chosen(found[:-1], 1, ROWS)
    assert len(before) == ROWS
    assert before != chosen(found[:-1], 2, ROWS)
    assert len(set(before) - set(chosen(found, 1, ROWS))) <= 1


@soak_only
@limit(7200)
@pytest.mark.parametrize("seed", SEEDS)
def test_rows_fail_without_their_implementation(seed: int, record_property: Callable[[str, object], None]) -> None:
    record_property("shown", f"rows of docs/designs.md without their implementation: seed {seed}")
    with Tree.of(ROOT) as tree:
        found = [fate(tree, subject, seed) for subject in chosen(subjects(), seed, ROWS)]
    assert [str(each) for each in found if each.state != KILLED and each.change not in EQUIVALENT] == []
