"""Network ids and tunnel keys: recorded ones win, the rest is the same for everybody, nothing is given twice."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.plan.numbers import network_ids
from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation
from ovnguard.reconciler.plan.numbers.network_ids import IdError, NetworkIds, allocate
from ovnguard.validators.network.model import Network, Role, Topology
from tests.support.plan_samples import default_network, udn


def secondary(name: str, **changes: object) -> Network:
    return udn(name, role=Role.SECONDARY, transit_subnets=(), **changes)


def test_recorded_numbers_are_kept() -> None:
    allocation = allocate([udn("a_b", network_id=7, tunnel_keys=(16711690, 16715999))])
    assert allocation.ids == {"a_b": NetworkIds(7, 16711690, 16715999)}
    assert allocation.errors == ()


def test_default_network_has_id_zero_and_no_key_of_a_router() -> None:
    assert allocate([default_network()]).ids == {"default": NetworkIds(0, 16711683, None)}


def test_the_recorded_switch_key_gives_the_id() -> None:
    assert allocate([udn("a_b", tunnel_keys=(16711690, 16715999))]).ids["a_b"].network_id == 7


def test_a_network_without_records_gets_the_same_numbers_among_others() -> None:
    alone = allocate([udn("a_b")]).ids["a_b"]
    assert alone == NetworkIds(1332, 16713015, 16776734)
    others = [secondary(f"n_{index}") for index in range(50)]
    assert allocate([udn("a_b"), *others]).ids["a_b"] == alone


def test_recorded_number_of_a_later_network_is_stepped_over() -> None:
    alone = allocate([udn("a_b")]).ids["a_b"]
    assert alone.router_key is not None
    taken = secondary("c_d", network_id=alone.network_id)
    keys = udn("e_f", network_id=9, tunnel_keys=(16711692, alone.router_key))
    moved = allocate([udn("a_b"), taken, keys]).ids["a_b"]
    assert moved == NetworkIds(alone.network_id + 1, alone.switch_key + 1, alone.router_key + 1)


@pytest.mark.parametrize(
    ("networks", "error"),
    [
        (
            [udn("a_b", network_id=7), udn("c_d", network_id=7)],
            IdError("c_d", 'network id 7 is already held by network "a_b"'),
        ),
        ([udn("c_d", network_id=0)], IdError("c_d", "network id 0 is not one of 1 to 4095")),
        ([udn("c_d", network_id=4096)], IdError("c_d", "network id 4096 is not one of 1 to 4095")),
        (
            [udn("c_d", network_id=7, tunnel_keys=(16711690,))],
            IdError(
                "c_d", "layer2 network c_d with transit router enabled requires exactly 2 tunnel keys, got: [16711690]"
            ),
        ),
        (
            [udn("a_b", network_id=7, tunnel_keys=(16711690, 16715999)), udn("c_d", tunnel_keys=(16711691, 16715999))],
            IdError("c_d", 'tunnel key 16715999 is already held by network "a_b"'),
        ),
        (
            [udn("c_d", network_id=7, tunnel_keys=(16711690, 4))],
            IdError("c_d", "tunnel key 4 is not one of 16711683 to 16777215"),
        ),
        (
            [udn("c_d", network_id=7, tunnel_keys=(16711690, 16711690))],
            IdError("c_d", "tunnel key 16711690 is recorded for both the switch and the transit router"),
        ),
    ],
)
def test_numbers_that_cannot_be_had(networks: list[Network], error: IdError) -> None:
    allocation = allocate(networks)
    assert allocation.errors == (error,)
    assert "c_d" not in allocation.ids
    assert ("a_b" in allocation.ids) is (len(networks) == 2)


def test_ids_run_out() -> None:
    full = [secondary(f"n_{index}", network_id=index) for index in range(1, 4096)]
    allocation = allocate([*full, secondary("a_b")])
    text = "failed to allocate network ID: failed to allocate the id for the resource a_b: all 4095 are in use"
    assert allocation.errors == (IdError("a_b", text, exhausted=True),)
    assert len(allocation.ids) == 4095


def test_tunnel_keys_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_ids, "DYNAMIC_KEYS", 2)
    allocation = allocate([udn("a_b"), udn("c_d"), udn("e_f")])
    text = "failed to allocate tunnel keys: failed to allocate the id for the resource e_f: all 2 are in use"
    assert allocation.errors == (IdError("e_f", text, exhausted=True),)
    assert set(allocation.ids) == {"a_b", "c_d"}


def test_what_live_rows_hold_is_kept_and_nobody_else_gets_it() -> None:
    first, second = "cluster_udn_n0034", "cluster_udn_n0154"
    alone = allocate([udn(second)]).ids[second]
    assert allocate([udn(first)]).ids[first].network_id == alone.network_id
    held = {second: LiveAllocation(alone.switch_key, alone.router_key)}
    both = allocate([udn(first), udn(second)], held)
    assert both.errors == ()
    assert both.ids[second] == alone
    assert both.ids[first].network_id == alone.network_id + 1


def test_held_router_keys_are_kept() -> None:
    first, second = "cluster_udn_k0275", "cluster_udn_k0424"
    alone = allocate([udn(second)]).ids[second]
    assert allocate([udn(first)]).ids[first].router_key == alone.router_key
    both = allocate([udn(first), udn(second)], {second: LiveAllocation(alone.switch_key, alone.router_key)}).ids
    assert both[second] == alone
    assert both[first].router_key == (alone.router_key or 0) + 1


def test_what_a_network_that_is_not_planned_holds_is_not_given_away() -> None:
    alone = allocate([udn("a_b")]).ids["a_b"]
    moved = allocate([udn("a_b")], {"c_d": LiveAllocation(alone.switch_key, alone.router_key)}).ids["a_b"]
    assert moved == NetworkIds(alone.network_id + 1, alone.switch_key + 1, (alone.router_key or 0) + 1)
    recorded = allocate([udn("a_b", network_id=7)], {"c_d": LiveAllocation(16711690)})
    assert recorded.errors == (IdError("a_b", 'network id 7 is already held by network "c_d"'),)


def test_what_the_object_records_comes_before_what_rows_hold() -> None:
    held = {"a_b": LiveAllocation(16711690, 16715999)}
    assert allocate([udn("a_b", network_id=9)], held).ids["a_b"] == NetworkIds(9, 16711692, 16715999)
    keys = udn("a_b", network_id=9, tunnel_keys=(16711692, 16716000))
    assert allocate([keys], held).ids["a_b"] == NetworkIds(9, 16711692, 16716000)
    assert allocate([secondary("a_b")], held).ids["a_b"] == NetworkIds(7, 16711690)
    assert allocate([default_network()], {"default": LiveAllocation(16711690)}).ids["default"].network_id == 0


networks = st.lists(
    st.builds(
        lambda name, role, number, topology: udn(f"n_{name}", network_id=number)._replace(role=role, topology=topology),
        name=st.integers(0, 40),
        role=st.sampled_from(list(Role)),
        number=st.none() | st.integers(1, 30),
        topology=st.sampled_from([Topology.LAYER2, Topology.LAYER3]),
    ),
    unique_by=lambda network: network.name,
    max_size=25,
)


@settings(deadline=None)
@given(networks=networks)
def test_no_number_is_given_twice(networks: list[Network]) -> None:
    allocation = allocate(networks)
    given_ids = [each.network_id for each in allocation.ids.values()]
    keys = [key for each in allocation.ids.values() for key in (each.switch_key, each.router_key) if key is not None]
    assert len(set(given_ids)) == len(given_ids)
    assert len(set(keys)) == len(keys)
    assert {error.network for error in allocation.errors} | set(allocation.ids) == {each.name for each in networks}
    assert allocate(networks) == allocation


@settings(deadline=None)
@given(networks=networks)
def test_a_later_network_changes_no_id(networks: list[Network]) -> None:
    unrecorded = [network._replace(network_id=None) for network in networks]
    before = allocate(unrecorded[:-1]).ids
    after = allocate(unrecorded).ids
    assert {name: after[name] for name in before} == before
