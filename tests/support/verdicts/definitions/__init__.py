"""Definitions of our own with everything that judging an object depends on, and objects to start from.

One kind for each matter. Most objects are valid; what is asked of the server and of ours are mutations of them.
"""

from tests.support.verdicts.definitions import rules, values, whole
from tests.support.verdicts.definitions.build import Sample

__all__ = ["Sample", "samples"]


def samples() -> tuple[Sample, ...]:
    """Every definition."""
    makers = (
        *(values.scalars, values.lists, values.embedded, values.defaults, values.logic),
        *(rules.transitions, rules.messages, rules.library, rules.budgets),
        *(whole.scaled, whole.hostile, whole.metadata),
    )
    return (*(make() for make in makers), *whole.versions())
