import gc
from collections.abc import Sequence

import pytest

import ovnguard.validators.network.cluster.inventory as inventory_module
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster_view import CUDN, NODE, EmptyView, GroupKind, ObjectsView
from ovnguard.validators.network.declared.network_of import Parsed, network_of
from tests.support.manifests.network_objects import JsonObject, cudn, layer2, operator, rendered, stored, udn

SECOND: JsonObject = {"role": "Secondary", "subnets": ["10.9.0.0/16"]}


class Live:
    """A view as a cache is one: a new tuple for every change."""

    def __init__(self) -> None:
        self.held: dict[GroupKind, Sequence[JsonObject]] = {}

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        return self.held.get(kind)


def count(inventory: Inventory) -> list[int]:
    return [len(inventory.objects(CUDN) or ())]


def test_one_view_has_one_inventory_and_does_not_live_for_it() -> None:
    view = ObjectsView([layer2("10.0.0.0/16")])
    first = inventory_of(view)
    assert inventory_of(view) is first
    assert first.objects(CUDN) is not None
    del view
    gc.collect()
    assert first.objects(CUDN) is None


def test_what_is_derived_follows_its_kinds_alone() -> None:
    view = Live()
    inventory = inventory_of(view)
    assert inventory.derived(count, CUDN) == [0]
    view.held[CUDN] = (layer2("10.0.0.0/16"),)
    one = inventory.derived(count, CUDN)
    view.held[NODE] = ()
    assert inventory.derived(count, CUDN) is one
    view.held[CUDN] = ()
    assert inventory.derived(count, CUDN) == [0]
    growing = [layer2("10.0.0.0/16")]
    view.held[CUDN] = growing
    assert inventory.derived(count, CUDN) == [1]
    growing.append(layer2("10.1.0.0/16"))
    assert inventory.derived(count, CUDN) == [2]


def test_networks_are_all_that_somebody_declared() -> None:
    own = stored(udn(topology="Layer2", layer2=SECOND))
    world = [
        cudn(topology="Layer2", layer2=SECOND),
        own,
        rendered(own),
        operator({}),
        cudn(topology="Ring"),
    ]
    view = ObjectsView(world)
    networks = inventory_of(view).networks()
    assert networks is not None
    assert [network.source.kind for network in networks] == ["ClusterUserDefinedNetwork", "UserDefinedNetwork"]
    view = ObjectsView([operator({})])
    assert inventory_of(view).networks() is None
    nothing = EmptyView()
    assert inventory_of(nothing).networks() is None


def test_only_so_many_objects_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory_module, "MOST_DECLARED", 1)
    own = stored(udn(topology="Layer2", layer2=SECOND))
    view = ObjectsView([rendered(own), layer2("10.0.0.0/16"), own])
    inventory = inventory_of(view)
    assert inventory.declaring() == 2
    assert [network.name for network in inventory.networks() or ()] == ["cluster_udn_blue"]


def test_an_object_is_read_once_while_others_change(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(obj: JsonObject) -> Parsed:
        read.append(obj["metadata"]["name"])
        return network_of(obj)

    monkeypatch.setattr(inventory_module, "network_of", counted)
    first, second, third, changed = (layer2(f"10.{number}.0.0/16") for number in range(4))
    for name, obj in (("a", first), ("b", second), ("c", third), ("b", changed)):
        obj["metadata"]["name"] = name
    view = Live()
    inventory = inventory_of(view)
    for held, names in (
        ((first, second), "ab"),
        ((first, second, third), "c"),
        ((second, second), ""),
        ((first, changed), "ab"),
        ([first], "a"),
        ([first, second], "ab"),
    ):
        read.clear()
        view.held[CUDN] = held
        networks = inventory.networks()
        assert networks == tuple(network_of(obj).network for obj in held)
        assert "".join(read) == names
