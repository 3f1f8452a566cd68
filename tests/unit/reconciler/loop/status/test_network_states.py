"""The state of a network in one word."""

import pytest

from ovnguard.reconciler.loop.status.network_states import NETWORK_STATES, state_of
from ovnguard.reconciler.loop.status.network_status import StatusReason
from ovnguard.reconciler.loop.status.report_folding import Standing, Trouble
from ovnguard.reconciler.loop.status.zone_report import Problem
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import CUDN

REFUSAL = FieldError(ErrorType.INVALID, "spec", detail="is wrong", rule="OVNG-NET-001")
SILENT = Standing(2, 3, Trouble((("a", Problem("NoReport", "silent")),)))


@pytest.mark.parametrize(
    ("refusal", "error", "standing", "state"),
    [
        ((), None, Standing(3, 3), "Ready"),
        ((), None, SILENT, "NoReport"),
        ((), None, None, "Unknown"),
        ((), StatusReason("NumbersExhausted", "no id is left"), SILENT, "NumbersExhausted"),
        ((REFUSAL,), None, SILENT, "Conflict"),
        ((REFUSAL._replace(rule="schema"),), None, SILENT, "Refused"),
    ],
)
def test_the_gravest_reason_is_the_state(
    refusal: tuple[FieldError, ...], error: StatusReason | None, standing: Standing | None, state: str
) -> None:
    candidate = Candidate({}, CUDN, "cluster_udn_x", {}, None, None, refusal)
    assert state_of(candidate, error, standing) == state
    assert state in NETWORK_STATES
