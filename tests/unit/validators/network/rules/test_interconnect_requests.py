"""Which writes of the ConfigMap of an interconnect upgrade are legal: every transition, with its state and its user."""

from typing import Any

import pytest

import tests.support.rollout.rollout_states as at
from ovnguard.reconciler.rollout.plan.model import Flavour, Observed
from ovnguard.validators.admission import Judgement, Operation, Request, judge
from tests.support.rollout.rollout_objects import config_map, webhook_view

OPERATOR = "system:serviceaccount:openshift-network-operator:default"
OURS = "system:serviceaccount:ovnguard-system:ovnguard-rollout"
ADMINISTRATOR = "kube:admin"
POLICY, ADVICE = "interconnect-configuration.ovnguard.io/", "interconnect-configuration-advice.ovnguard.io/"

BEFORE = at.state(node=at.node(), master=at.master())
BEFORE_EARLY = at.state(at.EARLY, node=at.node(), master=at.master())
FIRST = at.state(node=at.single(updated=3), master=at.master())
FIRST_EARLY = at.state(at.EARLY, node=at.single(at.EARLY, updated=3), master=at.master())
FIRST_DONE = at.state(node=at.single(), master=at.master_ic())
MASTERS_ROLL = at.state(node=at.single(), master=at.master_ic(updated=2))
SECOND = at.state(node=at.multi(updated=3), master=at.master_ic())
CONTROL_PLANE_ROLLS = at.state(node=at.multi(), master=at.master_ic(), control_plane=at.plane(unavailable=1))
SECOND_DONE = at.state(node=at.multi(), master=at.master_ic(), control_plane=at.plane())
STEADY = at.state(node=at.multi(), control_plane=at.plane())
HOSTED_DONE = at.state(node=at.multi(), flavour=Flavour.MANAGED)
WITHIN_4_13 = at.state("4.13.41", node=at.node(), master=at.master())

Data = dict[str, Any] | None
ALLOWED: dict[str, tuple[Observed, Data, Data, str, tuple[str, ...]]] = {
    "the operator begins": (BEFORE, None, at.SINGLE, OPERATOR, ()),
    "ovnguard begins": (BEFORE, None, at.SINGLE, OURS, ()),
    "the operator begins up to 4.14.13": (BEFORE_EARLY, None, at.EARLY_SINGLE, OPERATOR, ()),
    "fast forward from the start": (BEFORE, None, at.FAST, ADMINISTRATOR, (f"{ADVICE}fast-forward-disrupts",)),
    "the second phase after the first": (FIRST_DONE, at.SINGLE, at.MULTI, OPERATOR, ()),
    "the second phase by hand after the first": (
        FIRST_DONE,
        at.SINGLE,
        at.MULTI,
        ADMINISTRATOR,
        (f"{ADVICE}second-phase-by-hand",),
    ),
    "up to 4.14.13 the first phase is skipped": (
        FIRST_EARLY,
        at.EARLY_SINGLE,
        at.EARLY_MULTI,
        ADMINISTRATOR,
        ("OVNG-IC-008", f"{ADVICE}second-phase-by-hand"),
    ),
    "fast forward in the first phase": (FIRST, at.SINGLE, at.FAST, ADMINISTRATOR, (f"{ADVICE}fast-forward-disrupts",)),
    "fast forward in the second phase": (SECOND, at.MULTI, at.FAST, ADMINISTRATOR, (f"{ADVICE}fast-forward-disrupts",)),
    "fast forward of a single zone": (
        FIRST,
        at.SINGLE,
        {**at.SINGLE, "fast-forward-to-multizone": ""},
        ADMINISTRATOR,
        (f"{ADVICE}fast-forward-disrupts", f"{ADVICE}fast-forward-wins"),
    ),
    "the end": (SECOND_DONE, at.MULTI, None, OPERATOR, ()),
    "the end after fast forward": (STEADY, at.FAST, None, OPERATOR, ()),
    "the end of a hosted cluster": (HOSTED_DONE, at.MULTI, None, OPERATOR, ()),
    "capital letters": (FIRST_DONE, at.SINGLE, {"zone-mode": "MultiZone"}, OPERATOR, ()),
    "an unknown key": (FIRST, at.SINGLE, {**at.SINGLE, "note": "x"}, ADMINISTRATOR, (f"{ADVICE}unknown-keys",)),
    "nothing changes": (SECOND, at.MULTI, at.MULTI, ADMINISTRATOR, ()),
}
REFUSED: dict[str, tuple[Observed, Data, Data, str, tuple[str, ...]]] = {
    "an administrator begins": (BEFORE, None, at.SINGLE, ADMINISTRATOR, ("OVNG-IC-001",)),
    "a single zone after multizone nodes": (SECOND, None, at.SINGLE, OPERATOR, ("OVNG-IC-005",)),
    "a single zone next to a control plane": (STEADY, None, at.SINGLE, OPERATOR, ("OVNG-IC-005", "OVNG-IC-006")),
    "up to 4.14.13 without temporary": (BEFORE_EARLY, None, at.SINGLE, OPERATOR, ("OVNG-IC-004",)),
    "phases within 4.13": (WITHIN_4_13, None, at.SINGLE, OPERATOR, ("OVNG-IC-002",)),
    "multizone at once": (BEFORE, None, at.MULTI, OPERATOR, (f"{POLICY}starts-in-singlezone",)),
    "fast forward at the end": (STEADY, None, at.FAST, ADMINISTRATOR, ("OVNG-IC-010",)),
    "fast forward up to 4.14.13": (FIRST_EARLY, at.EARLY_SINGLE, at.FAST, ADMINISTRATOR, ("OVNG-IC-003",)),
    "fast forward within 4.13": (WITHIN_4_13, None, at.FAST, ADMINISTRATOR, ("OVNG-IC-002",)),
    "the second phase while nodes roll out": (FIRST, at.SINGLE, at.MULTI, ADMINISTRATOR, ("OVNG-IC-007",)),
    "the second phase while masters roll out": (MASTERS_ROLL, at.SINGLE, at.MULTI, OPERATOR, ("OVNG-IC-007",)),
    "from 4.14.14 the first phase is not skipped": (
        FIRST,
        at.SINGLE,
        at.EARLY_MULTI,
        ADMINISTRATOR,
        ("OVNG-IC-003", "OVNG-IC-003", "OVNG-IC-009"),
    ),
    "back to a single zone": (SECOND, at.MULTI, at.SINGLE, OPERATOR, (f"{POLICY}no-way-back",)),
    "fast forward taken back": (SECOND, at.FAST, at.MULTI, ADMINISTRATOR, (f"{POLICY}fast-forward-kept",)),
    "temporary multizone": (
        SECOND,
        at.MULTI,
        {**at.MULTI, "temporary": "true"},
        ADMINISTRATOR,
        ("OVNG-IC-003", f"{POLICY}temporary-needs-singlezone"),
    ),
    "temporary maybe": (
        FIRST_EARLY,
        at.EARLY_SINGLE,
        {**at.EARLY_SINGLE, "temporary": "maybe"},
        ADMINISTRATOR,
        (f"{POLICY}temporary-boolean",),
    ),
    "an unknown zone mode": (FIRST, at.SINGLE, {"zone-mode": "foo"}, ADMINISTRATOR, (f"{POLICY}zone-mode-known",)),
    "no zone mode": (FIRST, at.SINGLE, {"note": "x"}, ADMINISTRATOR, (f"{POLICY}zone-mode-required",)),
    "a value of another type": (
        FIRST,
        at.SINGLE,
        {"zone-mode": "singlezone", "temporary": True},
        ADMINISTRATOR,
        ("OVNG-IC-003", f"{POLICY}values-are-strings"),
    ),
    "deleted in the first phase": (FIRST, at.SINGLE, None, ADMINISTRATOR, (f"{POLICY}kept-while-upgrading",)),
    "deleted after the first phase": (FIRST_DONE, at.SINGLE, None, OPERATOR, (f"{POLICY}kept-while-upgrading",)),
    "deleted while nodes roll out": (SECOND, at.MULTI, None, ADMINISTRATOR, ("OVNG-IC-011",)),
    "deleted while the control plane rolls out": (CONTROL_PLANE_ROLLS, at.MULTI, None, OPERATOR, ("OVNG-IC-011",)),
    "deleted during fast forward": (FIRST, at.FAST, None, ADMINISTRATOR, ("OVNG-IC-011",)),
}


def judged(seen: Observed, old: Data, new: Data, user: str) -> Judgement:
    operation = Operation.DELETE if new is None else Operation.CREATE if old is None else Operation.UPDATE
    return judge(Request(operation, config_map(new), config_map(old), user=user), webhook_view(seen))


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(name: str) -> None:
    seen, old, new, user, warnings = ALLOWED[name]
    answer = judged(seen, old, new, user)
    assert answer.allowed, answer.errors
    assert tuple(sorted(each.rule for each in answer.warnings)) == tuple(sorted(warnings))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    seen, old, new, user, rules = REFUSED[name]
    answer = judged(seen, old, new, user)
    assert not answer.allowed
    assert tuple(sorted(each.rule for each in answer.errors)) == tuple(sorted(rules))


def test_other_objects_are_not_judged() -> None:
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": "default"}}
    answer = judge(Request(Operation.CREATE, {**other, "data": at.MULTI}, user=ADMINISTRATOR), webhook_view(STEADY))
    assert (answer.allowed, answer.warnings) == (True, ())


def test_metadata_alone_is_not_judged() -> None:
    old = config_map(at.MULTI)
    assert old is not None
    new = {**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}
    answer = judge(
        Request(Operation.UPDATE, new, old, user=ADMINISTRATOR), webhook_view(at.state(at.OLD, node=at.node()))
    )
    assert (answer.allowed, answer.warnings) == (True, ())
