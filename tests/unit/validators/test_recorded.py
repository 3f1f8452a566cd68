"""Our verdicts against more than 2,000 recorded ones of the API server's own code, where that code is not at hand."""

import itertools
import json
from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import compile_crd
from tests.support.differential.compare import definition, ours
from tests.support.differential.record import FILE, SEEDS, summary
from tests.support.differential.samples import sample
from tests.support.soak import limit

RECORDED = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
CHUNK = 20


def test_the_sample_is_large_and_says_both() -> None:
    answers = [answer for line in RECORDED for answer in line["answers"] if answer is not None]
    assert [(line["seed"], line["rules"]) for line in RECORDED] == list(itertools.product(SEEDS, (False, True)))
    assert len(answers) >= 2000
    assert 0.1 < sum(answer[0] for answer in answers) / len(answers) < 0.9


@pytest.mark.parametrize("start", range(0, len(RECORDED), CHUNK))
@limit(180)
def test_verdicts_are_the_recorded_ones(start: int) -> None:
    wrong: list[Any] = []
    for line in RECORDED[start : start + CHUNK]:
        schema, has_status, requests = sample(line["seed"], rules=line["rules"])
        if all(answer is None for answer in line["answers"]):
            continue
        crd = compile_crd(definition(schema, status=has_status))
        for request, expected in zip(requests, line["answers"], strict=True):
            if expected is None:
                continue
            verdict = ours(crd, request)
            strict = verdict.refusal is not None
            texts = [] if strict else [error.text for error in verdict.errors]
            found = summary(verdict.allowed, texts, list(verdict.warnings), verdict.object, verdict.status())
            if found != expected:
                wrong.append((line["seed"], request, found, expected))
    assert wrong == []
