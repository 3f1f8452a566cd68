"""Definitions, rules and objects at random: a verdict or a complaint comes of them, in time, and nothing runs.

Few cases, the same every time; tests/conformance/test_fuzz.py goes on for a minute.
"""

import pytest

from tests.support.random_definitions import check_definition, check_expression, check_rule, real_rules

pytestmark = pytest.mark.timeout(30)
SECONDS = 5.0
START = 60_000


@pytest.fixture(scope="module")
def real() -> list[str]:
    return real_rules()


def test_definitions_and_objects(real: list[str]) -> None:
    valid = sum(check_definition(seed, real, 4, SECONDS) for seed in range(START, START + 250))
    assert 50 < valid < 200


def test_rules(real: list[str]) -> None:
    assert sum(check_rule(seed, real, SECONDS) for seed in range(START, START + 1500)) < 1500


def test_expressions(real: list[str]) -> None:
    assert 50 < sum(check_expression(seed, real, SECONDS) for seed in range(START, START + 1000)) < 900
