"""What a judgement reads of other objects: single keys, answers of methods, and whole values."""

from collections.abc import Callable
from typing import Any

import pytest

from ovnguard.validators.network.cluster.cluster_facts import cluster_facts, facts_of
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster.network_index import census, others
from ovnguard.validators.network.cluster.reads import Moments, recorded
from ovnguard.validators.network.cluster_view import CUDN, NODE, OPERATOR_NETWORK, GroupKind
from tests.support.manifests.network_objects import JsonObject, operator
from tests.support.manifests.network_objects import cudn as made
from tests.support.manifests.random_world import Live

LAYER2 = {"role": "Primary", "subnets": ["10.20.0.0/16"]}


def cudn(name: str, number: str = "") -> JsonObject:
    annotations = {"ovnguard.io/network-id": number} if number else {}
    return made(topology="Layer2", layer2=LAYER2) | {"metadata": {"name": name, "annotations": annotations}}


def names(now: ObservedObjects, _: object) -> dict[str, int]:
    return {obj["metadata"]["name"]: index for index, obj in enumerate(now.objects(CUDN))}


def count(now: ObservedObjects, _: object) -> int:
    return len(now.objects(CUDN))


def listed(inventory: Inventory) -> list[str]:
    return [obj["metadata"]["name"] for obj in inventory.objects(CUDN) or ()]


Ask = Callable[[Inventory], Any]
A, B, C, D = cudn("a"), cudn("b"), cudn("c"), cudn("d", "7")
SAME = (A, B, C)

ASKED: dict[str, tuple[Ask, tuple[JsonObject, ...] | None, bool]] = {
    "nothing": (lambda _: None, (), True),
    "a key that stays": (lambda seen: seen.followed(names, CUDN)["a"], (A, C, D), True),
    "a key with another value": (lambda seen: seen.followed(names, CUDN)["b"], (A, C, B), False),
    "a key that goes": (lambda seen: seen.followed(names, CUDN).get("c"), (A, B), False),
    "a key that comes": (lambda seen: seen.followed(names, CUDN).get("d"), (*SAME, D), False),
    "a key that is not there": (lambda seen: "e" in seen.followed(names, CUDN), (*SAME, D), True),
    "all keys": (lambda seen: sorted(seen.followed(names, CUDN)), (*SAME, D), False),
    "the number of keys": (lambda seen: len(seen.followed(names, CUDN)), (A, B, D), False),
    "a whole value that stays": (lambda seen: seen.followed(count, CUDN), (A, B, D), True),
    "a whole value that changes": (lambda seen: seen.followed(count, CUDN), (A, B), False),
    "a mutable value": (lambda seen: seen.derived(listed, CUDN), (A, B, dict(C)), False),
    "objects": (lambda seen: seen.objects(CUDN), (*SAME, D), False),
    "the same objects": (lambda seen: seen.objects(CUDN), (A, B, C), True),
    "whether a kind is known": (lambda seen: seen.knows(CUDN), (A,), True),
    "a kind that becomes unknown": (lambda seen: seen.knows(CUDN), None, False),
    "whether networks are known": (lambda seen: seen.knows_networks(), (A,), True),
    "a limit that is far": (lambda seen: seen.declaring(9), (*SAME, D), True),
    "a limit that is reached": (lambda seen: seen.declaring(4), (*SAME, D), False),
    "a field of an index": (lambda seen: census(seen).ids.get(8), (*SAME, D), True),
    "a field of an index with that key": (lambda seen: census(seen).ids.get(7), (*SAME, D), False),
    "a single value of an index": (lambda seen: census(seen).all_dynamic_keys, (*SAME, D), False),
    "few others": (lambda seen: others(census(seen), "a", 9), (*SAME, D), True),
    "more others than allowed": (lambda seen: others(census(seen), "a", 3), (*SAME, D), False),
    "owners": (lambda seen: seen.owners().kinds, (*SAME, D), True),
}


@pytest.mark.parametrize(("ask", "after", "holds"), ASKED.values(), ids=ASKED)
def test_a_judgement_holds_as_long_as_its_answers(ask: Ask, after: tuple[JsonObject, ...] | None, holds: bool) -> None:
    view, moments = Live({CUDN: SAME, OPERATOR_NETWORK: (operator(),)}), Moments()
    inventory = inventory_of(view)
    moments.begin(inventory)
    seen, reads = recorded(inventory)
    assert str(ask(inventory_of(seen))) == str(ask(inventory))
    moments.made(reads)
    moments.begin(inventory)
    assert moments.holds(reads)
    view.held.pop(CUDN)
    if after is not None:
        view.held[CUDN] = after
    moments.begin(inventory)
    assert moments.holds(reads) is holds
    view.held[CUDN] = SAME
    # what changed twice is compared with the moment before
    moments.begin(inventory)
    assert moments.holds(reads) is holds


def test_a_view_is_read_through_its_own_inventory() -> None:
    view = Live({OPERATOR_NETWORK: (operator(),), NODE: ()})
    inventory, moments = inventory_of(view), Moments()
    seen, reads = recorded(inventory)
    assert cluster_facts(seen) == facts_of(inventory)
    assert seen.objects(NODE) == ()
    assert seen.objects(GroupKind("", "Pod")) is None
    assert inventory_of(seen).is_closed is inventory.is_closed is False
    moments.made(reads)
    view.held[GroupKind("", "Pod")] = ()
    moments.begin(inventory)
    assert not moments.holds(reads)


def test_a_missing_key_is_an_error_as_before() -> None:
    view = Live({CUDN: SAME})
    seen, _ = recorded(inventory_of(view))
    with pytest.raises(KeyError):
        inventory_of(seen).followed(names, CUDN)["d"]
