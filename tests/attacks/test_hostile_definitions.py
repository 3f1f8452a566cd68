"""Whatever is wrong with a definition, it gets errors, and one that is accepted judges every object."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import compile_crd
from tests.attacks.hostile_definitions import case_of, judge, whole
from tests.attacks.hostile_inputs import INPUTS
from tests.attacks.hostile_values import crashes
from tests.support.small_definitions import definition
from tests.support.soak import limit, sized

SECONDS = 30.0
"""Of the processor, for one case; most take 0.02 s."""


def test_the_definition_with_every_field_is_accepted() -> None:
    assert compile_crd(whole()).kind == compile_crd(definition({"type": "object"})).kind


@pytest.mark.parametrize("make", [case_of, *(make for make, _ in INPUTS.values())])
def test_a_case_depends_on_its_seed_alone(make: Callable[[int], Any]) -> None:
    first = [json.dumps(make(seed)) for seed in range(100)]
    assert [json.dumps(make(seed)) for seed in reversed(range(100))] == first[::-1]


@limit(120)
def test_definitions(tmp_path: Path) -> None:
    cases = range(sized(200, 50_000))
    found, outcomes = crashes(cases, case_of, partial(judge, folder=tmp_path), SECONDS)
    assert not found, "\n".join(map(str, found))
    assert outcomes == {"accepted", "refused"}


@limit(120)
@pytest.mark.parametrize("name", INPUTS)
def test_other_inputs(name: str, tmp_path: Path) -> None:
    make, judge_input = INPUTS[name]
    found, outcomes = crashes(range(sized(100, 10_000)), make, lambda case: judge_input(case, tmp_path), SECONDS)
    assert not found, "\n".join(map(str, found))
    assert outcomes == {"accepted", "refused"}
