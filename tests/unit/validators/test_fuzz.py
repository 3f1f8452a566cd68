"""Random definitions, rules and objects: each gets a verdict or an error in bounded time, and none runs its text.

Few cases, the same every time; tests/conformance/test_fuzz.py has more.
"""

import pytest

from tests.support.random_definitions import check_definition, check_expression, check_rule, real_rules
from tests.support.soak import limit

SECONDS = 5.0
START = 60_000


@pytest.fixture(scope="module")
def real() -> list[str]:
    return real_rules()


@limit(180)
def test_definitions_and_objects(real: list[str]) -> None:
    """Some definitions and objects are accepted and some refused; what each case asserts is in the check."""
    assert {check_definition(seed, real, 4, SECONDS) for seed in range(START, START + 100)} == {True, False}


@limit(180)
def test_rules(real: list[str]) -> None:
    """Some rules compile and some do not."""
    assert {check_rule(seed, real, SECONDS) for seed in range(START, START + 600)} == {True, False}


@limit(180)
def test_expressions(real: list[str]) -> None:
    """Some expressions compile and some do not."""
    assert {check_expression(seed, real, SECONDS) for seed in range(START, START + 400)} == {True, False}
