"""What must be one network's alone, counted over all objects that tell of it."""

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.network_index import (
    Census,
    census,
    dynamic_keys_of_others,
    interconnects,
    layer2_primaries,
    mangled,
    others,
    requested_later,
)
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from tests.support.manifests.network_objects import JsonObject, layer2, layer3, nad, rendered, stored, udn

PRIMARY: JsonObject = {"role": "Primary", "subnets": ["10.45.0.0/16"]}


def named(obj: JsonObject, name: str, **annotations: str) -> JsonObject:
    found = {key.replace("_", "-"): value for key, value in annotations.items()}
    given = {f"ovnguard.io/{key}": value for key, value in found.items()}
    return {**obj, "metadata": {**obj["metadata"], "name": name, "annotations": given}}


def attachment(owner: JsonObject, **annotations: str) -> JsonObject:
    found = rendered(owner)
    found["metadata"]["annotations"] = {
        f"k8s.ovn.org/{key.replace('_', '-')}": value for key, value in annotations.items()
    }
    return found


def own(name: str) -> JsonObject:
    return stored(named(udn(topology="Layer2", layer2={**PRIMARY, "role": "Secondary"}), name), name)


def counted(*objects: JsonObject) -> Census:
    view = ObjectsView(objects)
    return census(inventory_of(view))


def test_names_and_needs() -> None:
    own = udn(topology="Layer2", layer2=PRIMARY)
    found = counted(layer2("10.41.0.0/16"), layer3("10.40.0.0/16"), own, nad(), {**nad(), "metadata": {"name": "x"}})
    assert {name: len(networks) for name, networks in found.declared.items()} == {"cluster_udn_blue": 2, "red_blue": 2}
    assert found.dynamic_keys == {"cluster_udn_blue": 1, "red_blue": 1}
    assert (others(found, "red_blue"), others(found, "new")) == (1, 2)
    assert (dynamic_keys_of_others(found, "red_blue"), dynamic_keys_of_others(found, "new")) == (1, 2)
    assert found.prefixes == {"cluster_udn_blue_": ("cluster_udn_blue",), "red_blue_": ("red_blue",)}


def test_numbers_of_objects_and_of_what_is_rendered_from_them() -> None:
    blue = stored(named(layer2("10.41.0.0/16"), "blue", network_id="7", tunnel_keys="[16711690,16715780]"))
    stranger = attachment(own("stranger"), network_id="10")
    stranger["metadata"]["ownerReferences"][0]["apiVersion"] = "apps/v1"
    found = counted(
        blue,
        named(layer3("10.40.0.0/16"), "green", network_id="8"),
        *(own(name) for name in ("own", "late", "spoiled")),
        attachment(blue, network_id="7", tunnel_keys="[16711690,16715780]"),
        attachment(own("own"), network_id="9", tunnel_keys="[]"),
        attachment(own("late")),
        attachment(own("spoiled"), network_id="nine", tunnel_keys="keys"),
        {**nad("{}"), "metadata": stranger["metadata"]},
    )
    assert found.ids == {0: ("default",), 7: ("cluster_udn_blue",), 8: ("cluster_udn_green",), 9: ("red_own",)}
    assert found.keys == {
        16711683: ("default",),
        16711690: ("cluster_udn_blue",),
        16711691: ("cluster_udn_green",),
        16711692: ("red_own",),
        16715780: ("cluster_udn_blue",),
    }
    assert set(found.dynamic_keys) == {"cluster_udn_blue", "cluster_udn_green", "red_own", "red_late", "red_spoiled"}


def test_one_number_of_two_networks() -> None:
    found = counted(
        named(layer2("10.41.0.0/16"), "blue", network_id="7"), named(layer2("10.41.0.0/16"), "green", network_id="7")
    )
    assert found.ids[7] == ("cluster_udn_blue", "cluster_udn_green")
    assert found.keys[16711690] == ("cluster_udn_blue", "cluster_udn_green")


def test_nothing_is_known_of_an_empty_view() -> None:
    view = EmptyView()
    assert census(inventory_of(view)).dynamic_keys == {}
    assert interconnects(inventory_of(view)) == 0
    assert layer2_primaries(inventory_of(view)) == ()


def test_interconnects_and_primary_layer2_networks() -> None:
    connects = [
        {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterNetworkConnect", "metadata": {"name": n}} for n in "ab"
    ]
    view = ObjectsView([*connects, layer2("10.41.0.0/16"), layer3("10.40.0.0/16"), nad()])
    assert interconnects(inventory_of(view)) == 2
    # of two objects with one name both are networks
    assert layer2_primaries(inventory_of(view)) == ("cluster_udn_blue", "red_blue")


def test_names_are_mangled_as_ovn_kubernetes_does() -> None:
    assert mangled("test12_namespace-scoped") == "test12_namespace.scoped_"
    assert mangled("cluster_udn_my-net") == "cluster_udn_my.net_"
    assert mangled("a/b") == "a.b_"


def test_networks_without_an_id_that_are_requested_later() -> None:
    first, numbered, second, third = own("a"), named(own("b"), "b", network_id="7"), own("c"), own("d")
    new = [first, numbered, second, third]
    view, stored_only = ObjectsView([own("z"), *new], requested=[*new, first]), ObjectsView(new)
    names = ("red_a", "red_b", "red_c", "red_d", "red_z")
    assert [requested_later(inventory_of(view), name) for name in names] == [2, 0, 1, 0, 0]
    assert requested_later(inventory_of(stored_only), "red_a") == 0
