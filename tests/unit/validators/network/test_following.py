"""What follows changes is what would be made anew, in the same order, whatever changes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import validators.network.inventory as inventory_module
from tests.unit.validators.network.objects import JsonObject
from validators.network.census import census, layer2_primaries
from validators.network.following import Change, Snapshot, change_of
from validators.network.inventory import Inventory, inventory_of
from validators.network.view import CUDN, NAD, NAMESPACE, UDN, GroupKind

KINDS = (CUDN, UDN, NAD, NAMESPACE)
NAMES, SPACES = st.sampled_from(["a", "b", "a-b", "a.b"]), st.sampled_from(["red", "sky", "far"])
LABELS = st.dictionaries(st.sampled_from(["team", "zone"]), st.sampled_from(["x", "y"]))
SELECTORS: st.SearchStrategy[Any] = st.one_of(
    st.builds(lambda labels: {"matchLabels": labels}, LABELS),
    st.builds(
        lambda key, operator, values: {"matchExpressions": [{"key": key, "operator": operator, "values": values}]},
        st.sampled_from(["team", "zone", "kubernetes.io/metadata.name"]),
        st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]),
        st.lists(st.sampled_from(["x", "red", "sky"]), max_size=2),
    ),
    st.none(),
)
NUMBERS: st.SearchStrategy[JsonObject] = st.fixed_dictionaries(
    {},
    optional={
        "ovnguard.io/network-id": st.sampled_from(["3", "4", "x"]),
        "ovnguard.io/tunnel-keys": st.sampled_from(["[16711686,16715780]", "[16711687,16715781]"]),
        "k8s.ovn.org/network-id": st.sampled_from(["3", "5"]),
        "k8s.ovn.org/tunnel-keys": st.sampled_from(["[16711686,16715780]", "[]"]),
    },
)
SPECS: st.SearchStrategy[JsonObject] = st.builds(
    lambda topology, role, subnet: (
        {"topology": "Layer2", "layer2": {"role": role, "subnets": [subnet]}}
        if topology == "Layer2"
        else {"topology": "Layer3", "layer3": {"role": role, "subnets": [{"cidr": subnet, "hostSubnet": 26}]}}
    ),
    st.sampled_from(["Layer2", "Layer3"]),
    st.sampled_from(["Primary", "Primary", "Secondary"]),
    st.sampled_from(["10.41.0.0/16", "10.42.0.0/24", "10.41.0.1/16"]),
)
OWNERS = st.sampled_from(["ClusterUserDefinedNetwork", "UserDefinedNetwork", "Deployment", ""])


def _cudn(name: str, numbers: JsonObject, labels: JsonObject, selector: Any, network: JsonObject) -> JsonObject:
    metadata = {"name": name, "annotations": numbers, "labels": labels}
    spec = {"namespaceSelector": selector, "network": network}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": metadata, "spec": spec}


def _udn(name: str, space: str, numbers: JsonObject, spec: JsonObject) -> JsonObject:
    metadata = {"name": name, "namespace": space, "annotations": numbers}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "metadata": metadata, "spec": spec}


def _nad(name: str, space: str, numbers: JsonObject, owner: str, role: str) -> JsonObject:
    metadata: JsonObject = {"name": name, "namespace": space, "annotations": numbers}
    if owner:
        metadata["ownerReferences"] = [{"kind": owner, "name": name, "controller": True}]
    config = {
        "cniVersion": "1.1.0",
        "type": "ovn-k8s-cni-overlay",
        "name": f"{space}_{name}",
        "netAttachDefName": f"{space}/{name}",
        "topology": "layer2",
        "role": role,
        "subnets": "10.43.0.0/16",
    }
    spec = {"config": json.dumps(config)}
    api = "k8s.cni.cncf.io/v1"
    return {"apiVersion": api, "kind": "NetworkAttachmentDefinition", "metadata": metadata, "spec": spec}


def _namespace(name: str, labels: JsonObject, going: bool) -> JsonObject:
    metadata: JsonObject = {"name": name, "labels": labels}
    if going:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


OBJECTS: Mapping[GroupKind, st.SearchStrategy[JsonObject]] = {
    CUDN: st.builds(_cudn, NAMES, NUMBERS, LABELS, SELECTORS, SPECS),
    UDN: st.builds(_udn, NAMES, SPACES, NUMBERS, SPECS),
    NAD: st.builds(_nad, NAMES, SPACES, NUMBERS, OWNERS, st.sampled_from(["primary", "secondary"])),
    NAMESPACE: st.builds(_namespace, SPACES, LABELS, st.sampled_from([False, False, False, True])),
}
# What happens to a kind: objects put where others are, or before them, or taken away; the whole kind lost to sight.
STEP = st.sampled_from(KINDS).flatmap(
    lambda kind: st.tuples(
        st.just(kind),
        st.sampled_from(["add", "add", "change", "change", "remove", "turn", "twice", "unknown"]),
        st.integers(0, 7),
        OBJECTS[kind],
    )
)


class Live:
    """A view as a cache is one: a new tuple for every change."""

    def __init__(self, held: Mapping[GroupKind, Sequence[JsonObject]]) -> None:
        self.held = dict(held)

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        return self.held.get(kind)


def change(held: tuple[JsonObject, ...], what: str, at: int, obj: JsonObject) -> tuple[JsonObject, ...] | None:
    """One step; the second object of a changed place is another one, as caches have it."""
    at = min(at, len(held))
    if what == "turn":
        return (*held[at:], *held[:at])
    if what == "twice":
        return (*held, *held[at : at + 1])
    if what == "unknown":
        return None
    after = held[at:] if what == "add" else held[at + 1 :]
    return (*held[:at], *(() if what == "remove" else (obj,)), *after)


def facts(inventory: Inventory) -> JsonObject:
    """Everything that follows changes, asked of an inventory."""
    return {
        "networks": inventory.networks(),
        "declaring": inventory.declaring(),
        "census": census(inventory),
        "layer 2": layer2_primaries(inventory),
    }


@given(st.lists(STEP, max_size=12), st.sets(st.integers(0, 11)))
def test_what_follows_changes_is_what_is_made_anew(
    steps: Sequence[tuple[GroupKind, str, int, JsonObject]], silent: set[int]
) -> None:
    view = Live({})
    inventory = inventory_of(view)
    for number, (kind, what, at, obj) in enumerate(steps):
        held = change(tuple(view.held.get(kind, ())), what, at, obj)
        view.held.pop(kind, None)
        if held is not None:
            view.held[kind] = held
        # several changes may come together
        if number not in silent:
            anew = Live(view.held)
            assert facts(inventory) == facts(inventory_of(anew))


def numbered(*names: str) -> dict[str, JsonObject]:
    return {name: {"name": name} for name in names}


@pytest.mark.parametrize(
    ("before", "now", "gone", "come"),
    [
        ("abc", "abc", "", ""),
        ("abc", "abxc", "", "x"),
        ("abc", "axc", "b", "x"),
        ("abc", "", "abc", ""),
        ("", "ab", "", "ab"),
        ("abcde", "xbcdy", "ae", "xy"),
        ("abcde", "bxd", "ace", "x"),
        ("aa", "", "aa", ""),
    ],
)
def test_changes_are_told_by_who_is_there(before: str, now: str, gone: str, come: str) -> None:
    objects = numbered(*"abcdexy")
    change = change_of(tuple(objects[name] for name in before), tuple(objects[name] for name in now))
    assert change == Change(tuple(objects[name] for name in gone), tuple(objects[name] for name in come))


@pytest.mark.parametrize(
    ("before", "now"), [("abc", "acb"), ("ab", "abb"), ("abb", "ab"), ("ab", "xbab"), ("", "abcdefghijklmnopq")]
)
def test_what_cannot_be_told_is_made_anew(before: str, now: str) -> None:
    objects = numbered(*"abcdefghijklmnopqx")
    assert change_of(tuple(objects[name] for name in before), tuple(objects[name] for name in now)) is None


def test_only_tuples_tell_changes() -> None:
    one = numbered("a")["a"]
    unknown: list[Any] = [None, [one]]
    for other in unknown:
        assert change_of((one,), other) is None
        assert change_of(other, (one,)) is None


def test_a_step_is_given_what_it_made_before() -> None:
    given: list[tuple[int | None, Mapping[GroupKind, Change] | None]] = []

    def counting(now: Snapshot, before: int | None, changes: Mapping[GroupKind, Change] | None) -> int:
        given.append((before, changes))
        return len(now.objects(CUDN))

    first, second = numbered("a", "b").values()
    view = Live({CUDN: (first,)})
    inventory = inventory_of(view)
    assert inventory.followed(counting, CUDN, NAD) == inventory.followed(counting, CUDN, NAD) == 1
    view.held[CUDN] = (first, second)
    assert inventory.followed(counting, CUDN, NAD) == 2
    view.held[CUDN] = [first]
    assert inventory.followed(counting, CUDN, NAD) == 1
    view.held[CUDN] = (second, first)
    assert inventory.followed(counting, CUDN, NAD) == 2
    view.held[CUDN] = (first, second)
    assert inventory.followed(counting, CUDN, NAD) == 2
    assert given == [(None, None), (1, {CUDN: Change((), (second,))}), (None, None), (None, None), (2, None)]


def test_more_objects_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory_module, "MOST_DECLARED", 2)
    objects = [_cudn(name, {}, {}, {}, {"topology": "Layer2", "layer2": {"role": "Primary"}}) for name in "abcd"]
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
