"""Objects of a plan as people see them."""

import copy

import pytest

from reconciler.plan.bgp.shown_configuration import shown_configuration
from tests.support.frr_samples import PEER, neighbor, router, with_raw
from tests.support.manifests.network_objects import JsonObject, frr


def test_passwords_are_hidden_and_nothing_else_changes() -> None:
    document = with_raw(
        frr(router(neighbor(password="open-sesame"), neighbor("192.0.2.2"))), f"neighbor {PEER} password open-sesame"
    )
    before = copy.deepcopy(document)
    shown = shown_configuration(document)
    assert shown["spec"]["bgp"]["routers"] == [router(neighbor(password="<hidden>"), neighbor("192.0.2.2"))]
    assert shown["spec"]["raw"] == {"priority": 0, "rawConfig": f"neighbor {PEER} password <hidden>"}
    assert {key: value for key, value in shown.items() if key != "spec"} == {
        key: value for key, value in before.items() if key != "spec"
    }
    assert document == before


@pytest.mark.parametrize(
    "document",
    [
        frr(router(neighbor())),
        frr(router(neighbor(passwordSecret={"name": "peer"}))),
        {**frr(router(neighbor(password="x"))), "kind": "Other"},
        {"kind": "FRRConfiguration", "spec": None},
        {"kind": "FRRConfiguration", "spec": {"bgp": {"routers": [1, {"neighbors": "x"}]}, "raw": []}},
    ],
)
def test_others_stay(document: JsonObject) -> None:
    assert shown_configuration(document) == document
