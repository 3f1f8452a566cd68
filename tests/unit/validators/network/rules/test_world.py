"""Rules against a whole world: whatever stands in it nothing raises, and however much stands in it little is read."""

import copy
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster.network_namespaces import PRIMARY_LABEL
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.network_objects import JsonObject, layer2, layer3, nad, node, operator, udn
from tests.support.soak import examples

PRIMARY: JsonObject = {"role": "Primary", "subnets": ["10.45.0.0/16"]}
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(
        ["10.0.0.0/8", "0.0.0.0/0", "::/0", "fd00::/1", "[16711690,16715780]", "In", "2.0", "7", "{}", "["]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def space(name: str, **labels: str) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": {PRIMARY_LABEL: "", **labels}},
    }


def pod(name: str, namespace: str) -> JsonObject:
    attached = {"k8s.ovn.org/pod-networks": json.dumps({f"{namespace}/blue": {}})}
    metadata = {"name": name, "namespace": namespace, "annotations": attached}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeName": "a", "hostNetwork": False},
        "status": {"phase": "Running"},
    }


def selecting(name: str, network: JsonObject, selector: JsonObject) -> JsonObject:
    obj = copy.deepcopy(network)
    obj["metadata"]["name"] = name
    obj["metadata"]["annotations"] = {"ovnguard.io/network-id": "7", "ovnguard.io/tunnel-keys": "[16711690,16715780]"}
    obj["spec"]["namespaceSelector"] = selector
    return obj


EXPRESSIONS = {"matchLabels": {"team": "x"}, "matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]}
RENDERED = nad()
RENDERED["metadata"].update(
    name="first",
    ownerReferences=[
        {
            "apiVersion": "k8s.ovn.org/v1",
            "kind": "ClusterUserDefinedNetwork",
            "name": "first",
            "uid": "first",
            "controller": True,
        }
    ],
    annotations={"k8s.ovn.org/network-id": "7", "k8s.ovn.org/tunnel-keys": "[16711690,16715780]"},
)
OPERATOR = operator({"gatewayConfig": {"routingViaHost": False}, "hybridOverlayConfig": {"hybridClusterNetwork": []}})
WORLD = [
    OPERATOR,
    selecting("first", layer2("10.41.0.0/16"), EXPRESSIONS),
    selecting("second", layer3("10.40.0.0/16/24"), {}),
    udn(topology="Layer2", layer2=PRIMARY),
    nad(excludeSubnets="10.41.0.0/24", mtu=1300),
    RENDERED,
    space("red", team="x"),
    space("sky"),
    node("a", 2, zone_name="z", node_chassis_id="ca", host_cidrs='["192.0.2.3/24"]', layer2_topology_version="2.0"),
    node("b", 3, zone_name="z"),
    pod("p", "red"),
    pod("q", "sky"),
]
SUBJECTS = [obj for obj in WORLD if obj["kind"] != "Pod"]


def places(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Every place inside ``value``."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from places(child, *path, key)


@st.composite
def spoiled(draw: st.DrawFn, objects: list[JsonObject]) -> JsonObject:
    """One of the objects, with any JSON in one place; also inside the text of an attachment's configuration."""
    obj = copy.deepcopy(draw(st.sampled_from(objects)))
    attached = obj["kind"] == "NetworkAttachmentDefinition" and draw(st.booleans())
    target = json.loads(obj["spec"]["config"]) if attached else obj
    *path, last = draw(st.sampled_from([each for each in places(target) if each not in {("kind",), ("apiVersion",)}]))
    inner = target
    for key in path:
        inner = inner[key]
    inner[last] = draw(JSON)
    if attached:
        obj["spec"]["config"] = json.dumps(target)
    return obj


@settings(max_examples=examples(25))
@given(st.data())
def test_any_json_in_any_place_of_a_request_is_judged(data: st.DataObject) -> None:
    view = ObjectsView(WORLD)
    obj, old = data.draw(spoiled(SUBJECTS)), data.draw(st.none() | spoiled(SUBJECTS))
    operation = Operation.CREATE if old is None else data.draw(st.sampled_from([Operation.UPDATE, Operation.DELETE]))
    answer = judge(Request(operation, obj, old), view)
    assert all(error.field is not None for error in answer.errors)


@settings(max_examples=examples(25))
@given(st.data())
def test_any_json_in_any_place_of_the_world_is_judged_around(data: st.DataObject) -> None:
    view = ObjectsView([*(obj for obj in WORLD if data.draw(st.booleans())), data.draw(spoiled(WORLD))])
    for obj in SUBJECTS:
        judge(Request(Operation.CREATE, obj), view)
        judge(Request(Operation.DELETE, None, obj), view)


@pytest.mark.parametrize(
    "selector",
    [
        {"matchLabels": {f"k{index}": "v" for index in range(5000)}},
        {"matchExpressions": [{"key": f"k{index}", "operator": "Exists"} for index in range(5000)]},
        {"matchExpressions": [{"key": "k", "operator": "In", "values": [str(index) for index in range(20000)]}]},
        {"matchExpressions": [{"key": "k", "operator": "NotIn", "values": [str(index) for index in range(20000)]}]},
    ],
    ids=["labels", "expressions", "values", "values that are not"],
)
def test_huge_selectors_are_judged(selector: JsonObject) -> None:
    answer = judge(Request(Operation.CREATE, selecting("huge", layer2("10.41.0.0/16"), selector)), ObjectsView(WORLD))
    assert [error.rule for error in answer.errors if not error.rule.startswith("OVNG-")] == []


def calls(run: Callable[[], object]) -> int:
    """How many Python functions ``run`` calls: what a faster machine does not change."""
    found = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal found
        found += event == "call"

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found


def crowd(size: int) -> list[JsonObject]:
    """Networks of all kinds, each in a namespace of its own with a pod, and as many nodes."""
    found: list[JsonObject] = [OPERATOR]
    for index in range(size):
        mine = {"metadata": {"name": f"n{index}", "namespace": f"own{index}"}}
        selector = {"matchLabels": {"team": f"t{index}"}}
        found += [
            {**udn(topology="Layer2", layer2=PRIMARY), **mine},
            {**nad(name=f"net{index}", netAttachDefName=f"nad{index}/n{index}"), **mine},
            space(f"own{index}"),
            space(f"s{index}", team=f"t{index}"),
            pod(f"p{index}", f"own{index}"),
            node(f"n{index}", index + 2, zone_name=f"z{index}", host_cidrs=f'["192.0.2.{index % 250}/24"]'),
        ]
        found[-5]["metadata"] = {"name": f"n{index}", "namespace": f"nad{index}"}
        layered = {**layer3("10.40.0.0/12/26"), "metadata": {"name": f"c{index}"}}
        layered["spec"] = {**layered["spec"], "namespaceSelector": selector}
        found.append(layered)
    return found


def newcomers() -> list[JsonObject]:
    new = selecting("new", layer2("10.41.0.0/16"), {"matchLabels": {"team": "t3"}})
    del new["metadata"]["annotations"]
    return [
        new,
        udn(topology="Layer2", layer2=PRIMARY),
        nad(),
        node("new", 4000, zone_name="new"),
    ]


def test_one_more_network_costs_the_same_among_few_and_among_many() -> None:
    costs = []
    for size in (20, 200):
        view = ObjectsView(crowd(size))
        requests = [Request(Operation.CREATE, obj) for obj in newcomers()]
        for request in requests:
            judge(request, view)
        costs.append([calls(partial(judge, request, view)) for request in requests])
    # a node is counted among all others; the rest is looked up
    nodes = costs[1].pop() - costs[0].pop()
    assert nodes < 20 * 180
    assert all(many <= few * 1.05 for few, many in zip(*costs, strict=True)), costs


def test_what_is_looked_up_is_made_in_time_that_grows_with_the_world() -> None:
    judge(Request(Operation.CREATE, newcomers()[0]), ObjectsView(crowd(1)))
    request = Request(Operation.CREATE, newcomers()[0])
    few, many = (calls(partial(judge, request, ObjectsView(crowd(size)))) for size in (20, 200))
    assert many < 11 * few
