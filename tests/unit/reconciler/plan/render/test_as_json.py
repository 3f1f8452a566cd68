"""OVSDB notation, and objects of a plan without passwords."""

import copy

import pytest

from ovnguard.reconciler.plan.bgp.routing import Routing
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.render.as_json import (
    objects_as_yaml,
    operation_to_json,
    routing_to_json,
    shown_configuration,
    zones_to_json,
)
from ovnguard.reconciler.plan.rows.row import Operation, Ref
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.manifest.yaml_reader import load_all
from ovnguard.validators.network.frr.frr_secrets import HIDDEN
from tests.support.frr_samples import PEER, neighbor, router, with_raw
from tests.support.manifests.network_objects import JsonObject, frr
from tests.support.plan_samples import default_network, nodes, udn


def test_operation_is_written_in_ovsdb_notation() -> None:
    operation = Operation(
        "update",
        "Logical_Router",
        "u",
        {"ports": (Ref("a"), Ref("b")), "options": {"k": "v", "a": "b"}, "name": "r", "peer": (), "n": 3, "b": True},
    )
    assert operation_to_json(operation) == {
        "op": "update",
        "table": "Logical_Router",
        "uuid": "u",
        "row": {
            "b": True,
            "n": 3,
            "name": "r",
            "options": ["map", [["a", "b"], ["k", "v"]]],
            "peer": ["set", []],
            "ports": ["set", [["uuid", "a"], ["uuid", "b"]]],
        },
    }


def test_numbers_of_a_map_are_numbers() -> None:
    shown = operation_to_json(Operation("insert", "QoS", "u", {"action": {"mark": "42", "dscp": "x"}}))
    assert shown["row"] == {"action": ["map", [["dscp", "x"], ["mark", 42]]]}
    other = operation_to_json(Operation("insert", "NAT", "u", {"options": {"mark": "42"}}))
    assert other["row"] == {"options": ["map", [["mark", "42"]]]}


def test_plan_by_node() -> None:
    zones = make_plan([udn(), default_network()], nodes(2), Settings()).zones
    shown = zones_to_json(zones, {"node1": diff((), zones[0].rows)})
    assert list(shown) == ["nodes"]
    assert list(shown["nodes"]) == ["node1", "node2"]
    assert [each["op"] for each in shown["nodes"]["node1"]["operations"]] == ["insert"] * len(zones[0].rows)
    assert shown["nodes"]["node2"] == {"operations": [], "frr": zones[1].frr}


def test_documents_are_shown_without_passwords() -> None:
    neighbors = [{"address": "192.0.2.1", "password": "secret"}, {"address": "192.0.2.2"}]
    spec = {"bgp": {"routers": [{"asn": 1, "neighbors": neighbors}, {"asn": 2}], "bfdProfiles": []}}
    document = {"kind": "FRRConfiguration", "spec": spec}
    routing = routing_to_json(Routing(documents=(document, {"kind": "RouteAdvertisements"})))
    found = routing["documents"][0]["spec"]["bgp"]
    assert found == {
        "routers": [
            {"asn": 1, "neighbors": [{"address": "192.0.2.1", "password": HIDDEN}, {"address": "192.0.2.2"}]},
            {"asn": 2},
        ],
        "bfdProfiles": [],
    }
    assert routing["documents"][1] == {"kind": "RouteAdvertisements"}
    assert neighbors[0]["password"] == "secret"


def test_objects_as_yaml_are_one_document_each() -> None:
    routing = Routing(documents=({"kind": "RouteAdvertisements"},), patches=({"kind": "ClusterUserDefinedNetwork"},))
    read = [each.value for each in load_all(objects_as_yaml(routing).encode())]
    assert read == [{"kind": "RouteAdvertisements"}, {"kind": "ClusterUserDefinedNetwork"}]


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
