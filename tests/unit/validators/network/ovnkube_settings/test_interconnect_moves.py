"""The table of transitions and the bundled policy agree: one of them speaks about each transition, never both."""

from typing import Any

import pytest

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import EmptyView
from ovnguard.validators.network.ovnkube_settings.interconnect import NAME, NAMESPACE, Mode, mode_of
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import MOVES, Ask, judges, move_of
from ovnguard.validators.network.rules import RuleContext
from ovnguard.validators.network.rules.interconnect.configuration_rule import asks

POLICY = "interconnect-configuration.ovnguard.io/"
MULTI = {"zone-mode": "MultiZone"}
SAMPLES: dict[Mode, dict[str, str]] = {
    Mode.SINGLE: {"zone-mode": "singlezone"},
    Mode.MULTI: MULTI,
    Mode.SKIP: {**MULTI, "temporary": "false", "ongoing-upgrade": ""},
    Mode.FAST: {**MULTI, "fast-forward-to-multizone": ""},
    Mode.UNREADABLE: {"zone-mode": "zone"},
}


def config_map(data: object, name: str = NAME, namespace: str = NAMESPACE) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": data,
    }


def sample(mode: Mode, changed: bool = False) -> dict[str, Any] | None:
    if mode is Mode.ABSENT:
        return None
    return config_map({**SAMPLES[mode], **({"note": "new"} if changed else {})})


def context(new: dict[str, Any] | None, old: dict[str, Any] | None) -> RuleContext:
    view = EmptyView()
    operation = "DELETE" if new is None else "CREATE" if old is None else "UPDATE"
    subject = old if new is None else new
    assert subject is not None
    return RuleContext(operation, subject, old, None, None, cluster_facts(view), inventory_of(view))


PAIRS = [(old, new) for old in Mode for new in Mode if (old, new) != (Mode.ABSENT, Mode.ABSENT)]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_policy_refuses_what_the_table_leaves_to_it_and_nothing_else(before: Mode, after: Mode) -> None:
    old, new = sample(before), sample(after, changed=True)
    operation = Operation(context(new, old).operation)
    answer = judge(Request(operation, new, old), EmptyView())
    refused = any(error.rule.startswith(POLICY) for error in answer.errors)
    assert refused is (Ask.POLICY in MOVES[before][after])


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_every_transition_has_its_row(before: Mode, after: Mode) -> None:
    ctx = context(sample(after, changed=True), sample(before))
    assert move_of(ctx) == (before, after)
    assert {question for question in Ask if asks(question)(ctx)} == MOVES[before][after]
    assert not MOVES[before][after] or MOVES[before][after] == {Ask.POLICY} or Ask.POLICY not in MOVES[before][after]


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode is not Mode.ABSENT])
def test_metadata_alone_asks_nothing(mode: Mode) -> None:
    old = config_map(SAMPLES[mode])
    new = {**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}
    assert move_of(context(new, old)) is None


@pytest.mark.parametrize(("name", "namespace"), [("other", NAMESPACE), (NAME, "default")])
def test_objects_of_other_kinds_are_not_judged(name: str, namespace: str) -> None:
    ctx = context(config_map(MULTI, name, namespace), None)
    assert (move_of(ctx), judges(ctx)) == (None, False)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"zone-mode": "SINGLEZONE", "temporary": "true", "ongoing-upgrade": ""}, Mode.SINGLE),
        ({"zone-mode": "multizone", "temporary": "false"}, Mode.MULTI),
        ({"zone-mode": "multizone", "ongoing-upgrade": ""}, Mode.MULTI),
        ({"zone-mode": "singlezone", "fast-forward-to-multizone": "no"}, Mode.FAST),
        ({}, Mode.UNREADABLE),
        (None, Mode.UNREADABLE),
        (["zone-mode"], Mode.UNREADABLE),
        ({"zone-mode": 1}, Mode.UNREADABLE),
    ],
)
def test_what_the_configuration_asks_for(data: object, expected: Mode) -> None:
    assert mode_of(config_map(data)) is expected
