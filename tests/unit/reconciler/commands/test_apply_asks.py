"""`apply` asks at a terminal before it writes; `--yes` and `--dry-run` do not."""

from pathlib import Path

import pytest

from tests.support.reconciler_cli import APPLICABLE, Outcome, run

QUESTION = "Apply these changes? Only yes applies them: "
PLAN = "Plan: 330 to add, 0 to change, 0 to destroy on 3 nodes"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for a store, at a terminal."""
    monkeypatch.setattr("ovnguard.reconciler.commands.apply.at_terminal", lambda: True)
    return tmp_path / "store"


def apply(store: Path, *words: str, stdin: str = "") -> Outcome:
    return run("apply", *APPLICABLE, "--store", store, *words, stdin=stdin)


def written(store: Path) -> bool:
    return any(file.name != ".lock" for file in store.rglob("*.*"))


def test_yes_applies(store: Path) -> None:
    done = apply(store, stdin="yes\n")
    assert (done.code, done.err.startswith(QUESTION)) == (0, True)
    assert PLAN in done.out
    assert "\nApplied: 330 added, " in done.out
    assert written(store)


@pytest.mark.parametrize("answer", ["\n", "no\n", "y\n"])
def test_any_other_answer_writes_nothing(store: Path, answer: str) -> None:
    done = apply(store, stdin=answer)
    assert (done.code, done.out.splitlines()[-1]) == (1, "Nothing was applied.")
    assert not written(store)


def test_no_changes_need_no_confirmation(store: Path) -> None:
    assert QUESTION not in apply(store, "--yes").err
    assert apply(store).out == "no changes\n"


def test_a_dry_run_writes_nothing_and_asks_nothing(store: Path) -> None:
    done = apply(store, "--dry-run")
    assert (done.code, QUESTION in done.err) == (0, False)
    assert done.out.splitlines()[-2].startswith(PLAN)
    assert done.out.splitlines()[-1] == "Nothing was applied."
    assert not store.exists()
