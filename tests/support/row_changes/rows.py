"""Which rows of docs/designs.md fail without their implementation: the choice of a change for each, and its fate."""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Final, NamedTuple

from ovnguard.validators.network.rules import all_rules
from ovnguard.validators.network.rules.index import RULES
from tests.support.pages.designs_page import PAGE, Row, is_open, outside, quoted, read
from tests.support.paths import ROOT
from tests.support.row_changes.points import Point, points
from tests.support.row_changes.tree import Tree
from tests.support.rule_case_files import read as rule_cases

_PRODUCT: Final = ("crd_schemas/", "validators/", "webhook/", "reconciler/")
_RULE_CASES: Final = "rule-cases/"
_RULE_TEST: Final = "tests/unit/validators/network/rules/test_cases.py::test_case"
# From cheap to dear: a later one runs when the change survives the earlier ones.
_COSTS: Final = (("tests/unit/", "tests/attacks/", "tests/conformance/"), ("tests/functional/",), ("tests/e2e/",))


class Subject(NamedTuple):
    """A row with code: ``places`` are files, or names in them; ``tests`` are ids of pytest, in groups by cost."""

    id: str
    places: tuple[str, ...]
    tests: tuple[tuple[str, ...], ...]


class Fate(NamedTuple):
    """What became of a change: killed, survives, or why it could not be tried; ``change`` identifies it."""

    row: str
    change: str
    state: str

    def __str__(self) -> str:
        return f"{self.row}: {self.change}: {self.state}"


KILLED: Final = "killed"
SURVIVES: Final = "survives"


def subjects() -> list[Subject]:
    """The rows that name code which can be changed; rows that name only schemas, CEL rules or policies have none."""
    page = read(PAGE.read_text(encoding="utf-8"))
    found = (_subject(row) for row in page.rows if not is_open(row.test) and not outside(row))
    return [subject for subject in found if subject.places and subject.tests]


def chosen(subjects: list[Subject], seed: int, count: int) -> list[Subject]:
    """So many rows; another row on the page replaces at most one of them."""
    return sorted(subjects, key=lambda subject: _lot(seed, subject.id))[:count]


def fate(tree: Tree, subject: Subject, seed: int) -> Fate:
    """Change one point that the tests of a row run, and see whether they notice."""
    place = min(subject.places, key=lambda each: _lot(seed, subject.id, each))
    for index, tests in enumerate(subject.tests):
        result, seen = tree.seen(place, tests)
        if not result.passed:
            return Fate(subject.id, place, f"fails without a change:\n{result.output}")
        if seen:
            return _tried(tree, subject, place, _point(seen, f"{seed} {subject.id}"), index)
        if result.missing:
            return Fate(subject.id, place, f"needs {', '.join(result.missing)}")
    return Fate(subject.id, place, f"{SURVIVES}: no test of the row runs it")


def _tried(tree: Tree, subject: Subject, place: str, point: Point, first: int) -> Fate:
    change = f"{place.partition('::')[0]}::{point}"
    for tests in subject.tests[first:]:
        result = tree.changed(place, point, tests)
        if not result.passed:
            return Fate(subject.id, change, KILLED)
        if result.missing:
            return Fate(subject.id, change, f"needs {', '.join(result.missing)}")
    return Fate(subject.id, change, SURVIVES)


def _point(seen: list[Point], *words: object) -> Point:
    """One function, then one of its points: long functions count no more than short ones."""
    name = min({point.name for point in seen}, key=lambda each: _lot(*words, each))
    mine = [point for point in seen if point.name == name]
    return min(mine, key=lambda point: _lot(*words, point.kind, point.text))


def _lot(*words: object) -> str:
    return sha256(" ".join(map(str, words)).encode()).hexdigest()


def _subject(row: Row) -> Subject:
    places = tuple(dict.fromkeys(place for name in quoted(row.where) if (place := _place(name))))
    tests = [test for name in quoted(row.test) for test in _tests(name)]
    grouped = (tuple(test for test in tests if test.startswith(folders)) for folders in _COSTS)
    return Subject(row.id, tuple(filter(_can_change, places)), tuple(filter(None, grouped)))


def _place(name: str) -> str:
    """The file, or name in it, that a cell names; a rule's id means its module, or its check; empty for data."""
    if name.startswith("OVNG-"):
        module = next(entry.module for entry in RULES if entry.id == name)
        file = f"validators/network/rules/{module.replace('.', '/')}.py"
        check = next(rule.check for rule in all_rules() if rule.id == name)
        alone = [entry.module for entry in RULES].count(module) == 1
        place = f"{file}::{getattr(check, '__name__', '')}"
        return file if alone or not _can_change(place) else place
    return name if name.startswith(_PRODUCT) and name.partition("::")[0].endswith(".py") else ""


@cache
def _can_change(place: str) -> bool:
    file, _, name = place.partition("::")
    return bool(points((ROOT / file).read_text(encoding="utf-8"), name))


def _tests(name: str) -> Iterator[str]:
    """The tests that pytest knows for a name; cases of schemas and policies are about data, and run no code."""
    path, _, inside = name.partition("::")
    if path.endswith(".py"):
        yield name
    elif path.startswith(_RULE_CASES):
        file = ROOT / "tests/unit/validators/network/rules/cases" / path.removeprefix(_RULE_CASES)
        for case in rule_cases(file):
            if inside in {case.name, case.rule}:
                yield f"{_RULE_TEST}[{case.rule}-{case.name}]"
