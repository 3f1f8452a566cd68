"""Lost races are run again, and not for ever."""

import gc
import weakref

import pytest

from ovnguard.reconciler.apply.ovn import converge as converging
from ovnguard.reconciler.apply.ovn.converge import ATTEMPTS, converge
from ovnguard.reconciler.apply.store_errors import StoreUnavailableError, TransactionRacedError
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.row_diff import apply

ROW = new_row("Logical_Switch", {"name": "s"})


class Store:
    def __init__(self, *failures: Exception) -> None:
        self.rows: tuple[Row, ...] = ()
        self.reads = 0
        self._failures = list(failures)

    def read(self):
        self.reads += 1
        return self.rows

    def apply(self, operations):
        if self._failures:
            raise self._failures.pop(0)
        self.rows = apply(operations, self.rows)

    def close(self):
        """Nothing."""


def test_it_ends_at_the_desired_rows():
    store = Store()
    assert [step.op for step in converge(store, [ROW])] == ["insert"]
    assert store.rows == (ROW,)
    assert converge(store, [ROW]) == ()


def test_a_race_reads_again():
    store = Store(TransactionRacedError("raced"), TransactionRacedError("raced"))
    converge(store, [ROW])
    assert store.reads == 3


def test_races_without_end_are_an_error():
    store = Store(*[TransactionRacedError("raced")] * 99)
    with pytest.raises(TransactionRacedError):
        converge(store, [ROW])
    assert store.reads == ATTEMPTS


def test_other_failures_are_not_tried_again():
    store = Store(StoreUnavailableError("gone"))
    with pytest.raises(StoreUnavailableError):
        converge(store, [ROW])
    assert store.reads == 1


def test_the_choice_is_what_happens():
    store = Store()
    assert converge(store, [ROW], lambda operations, observed: ()) == ()
    assert store.rows == ()


class Cycle:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize(("many", "frozen"), [(1, True), (2, False)])
def test_many_rows_are_frozen_and_garbage_is_not(many, frozen, monkeypatch):
    """A process that compares everything again and again would keep every cycle that it ever made."""
    monkeypatch.setattr(converging, "MANY", many)
    gc.disable()
    try:
        garbage, before = weakref.ref(Cycle()), gc.get_freeze_count()
        converge(Store(), [ROW])
        assert (garbage() is None, gc.get_freeze_count() > before) == (frozen, frozen)
    finally:
        gc.enable()
