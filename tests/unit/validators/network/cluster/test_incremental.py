"""What follows changes is what would be made anew, in the same order, whatever changes."""

import gc
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network
from typing import Any
from weakref import ref

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import ovnguard.validators.network.cluster.inventory as inventory_module
from ovnguard.validators.network.addresses.spans import span_of
from ovnguard.validators.network.cluster.cluster_facts import facts_of
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster.network_index import census, layer2_primaries
from ovnguard.validators.network.cluster.network_namespaces import (
    attachments,
    namespaced_networks,
    namespaces,
    primaries,
    primaries_selecting,
)
from ovnguard.validators.network.cluster.no_overlay import managed_cudns, no_overlay_cudns
from ovnguard.validators.network.cluster.node_index import Room, node_index, rooms
from ovnguard.validators.network.cluster.user_networks import meeting_in, selected_names, user_networks
from ovnguard.validators.network.cluster_view import (
    CUDN,
    NAD,
    NAMESPACE,
    ROUTE_ADVERTISEMENTS,
)
from tests.support.manifests.network_objects import JsonObject
from tests.support.manifests.random_world import KINDS, Live, Maker, any_advertisement, any_cudn, any_namespace
from tests.support.soak import examples, limit

ASKED: Sequence[JsonObject] = (
    {},
    {"matchLabels": {"team": "x"}},
    {"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]},
)
LABELLED: Sequence[Mapping[str, str]] = ({}, {"team": "x"}, {"zone": "x", "kubernetes.io/metadata.name": "red"})


def shown(found: Mapping[str, Mapping[str, JsonObject]]) -> JsonObject:
    """With the order of what rules go through."""
    return {name: [(namespace, id(obj)) for namespace, obj in each.items()] for name, each in found.items()}


def every_room(inventory: Inventory) -> Sequence[Room]:
    known = rooms(inventory)
    return known.shares, known.joins, known.transits


def meeting(inventory: Inventory, vrf: str) -> Sequence[object]:
    """What overlaps others in a VRF, in order, and whether a glance shows it."""
    known, asked = meeting_in(inventory, vrf), [ip_network(text) for text in ("10.42.0.0/28", "10.40.0.0/13")]
    return [(list(known.overlapping(net)), known.spans.meet([span_of(net)])) for net in asked]


def facts(inventory: Inventory) -> JsonObject:
    """Everything that follows changes, asked of an inventory."""
    return {
        "networks": inventory.networks(),
        "declaring": inventory.declaring(),
        "census": census(inventory),
        "layer 2": layer2_primaries(inventory),
        "attachments": shown(attachments(inventory)),
        "user-defined networks": shown(namespaced_networks(inventory)),
        "rooms": [room.below(number) for room in every_room(inventory) for number in (0, 1, 900, 3000, 1 << 33)],
        "nodes": facts_of(inventory),
        "zones": (node_index(inventory).zones, node_index(inventory).numbers),
        "hosts": list(node_index(inventory).hosts.overlapping(ip_network("192.168.0.0/16"))),
        "no overlay": ([id(obj) for obj in no_overlay_cudns(inventory)], managed_cudns(inventory)),
        "advertisable": user_networks(inventory),
        "advertised": selected_names(inventory),
        "meeting": {vrf: meeting(inventory, vrf) for vrf in ("", "a", "far")},
        "primaries": primaries(inventory),
        "namespaces": namespaces(inventory).by_name,
        "selected": [[each.name for each in namespaces(inventory).selected_by(selector)] for selector in ASKED],
        "selecting": [
            sorted(network.source.name for network in primaries_selecting(inventory, labels)) for labels in LABELLED
        ],
    }


# a ClusterUserDefinedNetwork that is listed twice shares an id with a UserDefinedNetwork that comes later
@example(1499)
# the same object, listed twice, is gone
@example(666)
@settings(max_examples=examples(15))
@given(st.integers(0, 2**32))
@limit(180)
def test_an_updated_index_equals_a_rebuilt_one(seed: int) -> None:
    maker = Maker(seed)
    view = Live(maker.world())
    inventory = inventory_of(view)
    for _ in range(16):
        kind = maker.random.choice(KINDS)
        held = maker.change(tuple(view.held.get(kind, ())), kind)
        view.held.pop(kind, None)
        if held is not None:
            view.held[kind] = held
        # several changes may come together
        if maker.random.random() < 0.7:
            anew = Live(view.held)
            assert facts(inventory) == facts(inventory_of(anew))


def numbered(*names: str) -> dict[str, JsonObject]:
    return {name: {"name": name} for name in names}


def test_a_step_is_given_what_it_made_before() -> None:
    given: list[int | None] = []

    def counting(now: ObservedObjects, before: int | None) -> int:
        given.append(before)
        return len(now.objects(CUDN))

    first, second = numbered("a", "b").values()
    view = Live({CUDN: (first,)})
    inventory = inventory_of(view)
    assert inventory.followed(counting, CUDN, NAD) == inventory.followed(counting, CUDN, NAD) == 1
    view.held[CUDN] = (first, second)
    assert inventory.followed(counting, CUDN, NAD) == 2
    # a list may change in place, so a value derived from it may not fit its next objects
    view.held[CUDN] = [first]
    assert inventory.followed(counting, CUDN, NAD) == 1
    view.held[CUDN] = (second, first)
    assert inventory.followed(counting, CUDN, NAD) == 2
    view.held[CUDN] = (first, second)
    assert inventory.followed(counting, CUDN, NAD) == 2
    assert given == [None, 1, None, None, 2]


def test_more_objects_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory_module, "MOST_DECLARED", 2)
    objects = [any_cudn(name, {}, {}, {}, {"topology": "Layer2", "layer2": {"role": "Primary"}}) for name in "abcd"]
    view = Live({})
    inventory = inventory_of(view)
    for held in (objects[:2], objects[:3], objects, objects[1:], objects[2:], objects[3:], objects):
        view.held[CUDN] = tuple(held)
        assert [network.source.name for network in inventory.networks() or ()] == [
            obj["metadata"]["name"] for obj in held[:2]
        ]
        assert inventory.declaring() == len(held)
        anew = Live(view.held)
        assert facts(inventory) == facts(inventory_of(anew))


@pytest.mark.parametrize("gone", range(4))
@pytest.mark.parametrize("labels", [{}, {"team": "x"}])
def test_a_surplus_network_takes_the_place_of_a_deleted_one(gone: int, labels: JsonObject) -> None:
    spec = {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.41.0.0/16"]}}
    networks = tuple(any_cudn(name, {}, {}, {"matchLabels": labels}, spec) for name in "dbca")
    view = Live({CUDN: networks, NAMESPACE: (any_namespace("red", {"team": "x"}, going=False),)})
    inventory = inventory_of(view)
    assert [each.source.name for each in primaries(inventory)["red"]] == ["d", "b"]
    view.held[CUDN] = (*networks[:gone], *networks[gone + 1 :])
    expected = [obj["metadata"]["name"] for obj in view.held[CUDN]][:2]
    assert [each.source.name for each in primaries(inventory)["red"]] == expected
    view.held[CUDN] = networks
    assert [each.source.name for each in primaries(inventory)["red"]] == ["d", "b"]


def test_of_two_with_one_name_the_other_is_still_selected() -> None:
    spec = {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.41.0.0/16"]}}
    networks = [any_cudn("a", {}, {"team": "x"}, {}, spec) for _ in range(2)]
    advertisement = any_advertisement("all", "", {"matchLabels": {"team": "x"}}, ["PodNetwork"])
    view = Live({CUDN: tuple(networks), ROUTE_ADVERTISEMENTS: (advertisement,)})
    inventory = inventory_of(view)
    assert selected_names(inventory) == {"all": {"a"}}
    view.held[CUDN] = tuple(networks[1:])
    assert selected_names(inventory) == {"all": {"a"}}
    view.held[CUDN] = ()
    assert selected_names(inventory) == {"all": frozenset()}


class TrackedObject(dict[str, Any]):
    """An object that tells when it is gone."""


def test_what_changed_is_not_kept() -> None:
    maker = Maker(7)
    view = Live(maker.world())
    inventory = inventory_of(view)
    living: list[ref[TrackedObject]] = []
    for _ in range(30):
        for kind in dict.fromkeys(KINDS):
            obj = TrackedObject(maker.object(kind, "z"))
            living.append(ref(obj))
            view.held[kind] = (*(each for each in view.held.get(kind, ()) if not isinstance(each, TrackedObject)), obj)
            del obj
        facts(inventory)
    gc.collect()
    alive = sum(each() is not None for each in living)
    # the newest of each kind, and what the last change was told by
    assert alive <= 3 * len(set(KINDS))


@pytest.mark.timing
def test_several_threads_follow_at_once() -> None:
    maker = Maker(11)
    view = Live(maker.world())
    inventory = inventory_of(view)

    def ask(_: int) -> None:
        for _ in range(5):
            with lock:
                kind = maker.random.choice(KINDS)
                view.held[kind] = maker.change(tuple(view.held.get(kind, ())), kind) or ()
            facts(inventory)

    lock = threading.Lock()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, range(8)))
    anew = Live(view.held)
    assert facts(inventory) == facts(inventory_of(anew))
