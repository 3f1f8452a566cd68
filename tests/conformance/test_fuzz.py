"""Random definitions, rules and expressions, as in tests/unit/validators/test_fuzz.py, from other seeds.

$OVNGUARD_FUZZ_SEED sets the first seed.
"""

import os
from collections.abc import Callable

import pytest

from tests.support.random_definitions import check_budget, check_definition, check_expression, check_rule, real_rules
from tests.support.soak import limit, sized

START = int(os.environ.get("OVNGUARD_FUZZ_SEED", "1000000"))
SECONDS = 30.0
REAL = real_rules()
# Of each kind as many cases as take a few seconds; a soak has 400 times as many.
CHECKS: dict[str, tuple[int, Callable[[int], bool]]] = {
    "definitions": (100, lambda seed: check_definition(seed, REAL, 6, SECONDS)),
    "rules": (600, lambda seed: check_rule(seed, REAL, SECONDS)),
    "expressions": (600, lambda seed: check_expression(seed, REAL, SECONDS)),
    "budgets": (2, lambda seed: check_budget(seed, SECONDS)),
}


@limit(300)
@pytest.mark.parametrize("name", CHECKS)
def test_random_cases(name: str) -> None:
    """Both outcomes, accepted and refused, occur; what each case asserts is in the check."""
    count, check = CHECKS[name]
    seeds = range(START, START + sized(count, 400 * count))
    assert {check(seed) for seed in seeds} == {True, False}
