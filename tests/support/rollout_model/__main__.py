"""Prints how many states and transitions each exploration has: ``python -m tests.support.rollout_model [soak]``."""

import sys

from tests.support.rollout_model.settings import CASES, SOAK_CASES
from tests.support.rollout_model.trace import shown

for name, case in (SOAK_CASES if "soak" in sys.argv[1:] else CASES).items():
    result = case.explore()
    print(f"| {name} | {result.states:,} | {result.transitions:,} |", flush=True)
    if result.problem:
        print(shown(result.problem, result.trace))
