"""The two forms of a test: a small one in every run, and a long one under ``make soak``, which sets OVNGUARD_SOAK=1.

Every test that is smaller than it could be takes its size from here.
"""

import os
from typing import Final, TypeVar

import pytest

_Size = TypeVar("_Size")

SOAK: Final = os.environ.get("OVNGUARD_SOAK") == "1"
SOAK_SECONDS: Final = 7200
"""After which a test of a soak has hung."""

soak_only: Final = pytest.mark.skipif(not SOAK, reason="by choice: make soak runs it")
"""Marks a test without a small form."""


def sized(few: _Size, many: _Size) -> _Size:
    """How many, how long, or which: ``few``, in a soak ``many``."""
    return many if SOAK else few


def examples(few: int) -> int:
    """How many examples Hypothesis draws: these, in a soak a hundred times as many."""
    return sized(few, 100 * few)


def limit(seconds: int) -> pytest.MarkDecorator:
    """Mark a test that has hung after ``seconds``, other than its folder says; a soak has `SOAK_SECONDS` for all."""
    return pytest.mark.timeout(sized(seconds, SOAK_SECONDS))
