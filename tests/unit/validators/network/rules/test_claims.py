"""Nothing that an object says about itself makes its verdict milder: labels, owners, key spelling and the like."""

import copy
from typing import Final

import pytest

from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.network.cluster_view import ClusterView
from tests.attacks.forged_owners import CLAIMS, Claim, claiming
from tests.support.rule_case_files import Case, cases
from tests.support.soak import sized

TENANT: Final = "system:serviceaccount:red:default"
SPEAKING: Final = [
    case
    for case in cases()
    if case.speaks and case.request.operation is not Operation.DELETE and case.rule != "OVNG-L2-037"
]
"""Cases with findings; OVNG-L2-037 reports the claims themselves."""
TRIED: Final = sized(list({case.rule: case for case in reversed(SPEAKING)}.values()), SPEAKING)
"""In short, the first case of each rule."""


def _judged(case: Case, view: ClusterView, claim: Claim | None, user: str) -> Judgement:
    request: Request = copy.deepcopy(case.request)._replace(user=case.request.user or user)
    if request.object is not None and claim is not None:
        request = request._replace(object=claiming(request.object, claim))
    return judge(request, view)


def _findings(answer: Judgement) -> list[tuple[str, str, str]]:
    return [(error.rule, error.field, error.detail) for error in (*answer.errors, *answer.warnings)]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.rule}-{case.name}") for case in TRIED])
def test_a_claim_takes_no_finding_away(case: Case) -> None:
    view = case.view
    for user in ("", TENANT):
        plain = [each for each in _findings(_judged(case, view, None, user)) if each[0] == case.rule]
        for name, claim in CLAIMS.items():
            answer = _judged(case, view, claim, user)
            if answer.verdict is None or answer.verdict.allowed:
                assert [each for each in plain if each not in _findings(answer)] == [], (name, user)
