"""The fuzzing of tests/unit/validators/test_fuzz.py for a minute.

$OVNGUARD_FUZZ_SECONDS sets another time, $OVNGUARD_FUZZ_SEED where to start.
"""

import os
import time
from collections.abc import Callable

import pytest

from tests.support.random_definitions import check_budget, check_definition, check_expression, check_rule, real_rules

TOTAL = float(os.environ.get("OVNGUARD_FUZZ_SECONDS", "60"))
START = int(os.environ.get("OVNGUARD_FUZZ_SEED", "1000000"))
SECONDS = 30.0
REAL = real_rules()
CHECKS: dict[str, Callable[[int], bool]] = {
    "definitions": lambda seed: check_definition(seed, REAL, 6, SECONDS),
    "rules": lambda seed: check_rule(seed, REAL, SECONDS),
    "expressions": lambda seed: check_expression(seed, REAL, SECONDS),
    "budgets": lambda seed: check_budget(seed, SECONDS),
}


@pytest.mark.timeout(TOTAL + 60)
@pytest.mark.parametrize("name", CHECKS)
def test_for_a_while(name: str) -> None:
    until = time.monotonic() + TOTAL / len(CHECKS)
    outcomes = set()
    seed = START
    while time.monotonic() < until or seed < START + 2:
        outcomes.add(CHECKS[name](seed))
        seed += 1
    # Neither kind of outcome may be missing: else the generator does not do its work any more.
    assert outcomes == {True, False} or TOTAL < 20, f"{name}: {seed - START} cases, all {outcomes}"
