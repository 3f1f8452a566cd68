"""A zone's only writer owns no network whose policies nobody enforces, and takes no row away when one comes later."""

import logging
from dataclasses import replace
from typing import Any

import pytest

from ovnguard.reconciler.apply.kube import find_condition
from ovnguard.reconciler.apply.store_errors import StoreUnavailableError
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop
from ovnguard.validators.network.cluster_view import CUDN, NETWORK_POLICY
from tests.support.fake_cluster import Store, World, cudn, nad, operator
from tests.support.policies import MULTICAST, admin_policy, egress_firewall, network_policy, space
from tests.support.present import present

BLUE, GREEN = "cluster_udn_blue", "cluster_udn_green"
DENY = "NetworkPolicy red/deny"
REFUSAL = (
    f"the network is not owned, because ovnguard does not enforce {DENY} (--unenforced-policies owns it nevertheless)"
)
WARNING = f"ovnguard does not enforce {DENY}"


def world(*objects: Any) -> World:
    """The namespace red is on network blue, and gray on green."""
    networks = (cudn("blue"), cudn("green", "10.21.0.0/16"))
    return World(*networks, space("red", "blue"), space("gray", "green"), *objects)


def owning(found: World, **options: Any) -> ZoneLoop:
    """A process for the zone with ``options``."""
    return found.zone_of(found.store, options=WriteOptions(**options))


def settle(zone: ZoneLoop) -> None:
    for _ in range(4):
        assert zone.tick() == ()


def condition(found: World, kind: str, name: str = "blue") -> tuple[str, str, str]:
    each = present(find_condition(found.cluster.get(name), kind))
    return each["status"], each["reason"], each["message"]


def events(found: World, name: str = "blue") -> list[tuple[str, str, str]]:
    listed = (each for each in found.cluster.events if each["regarding"]["name"] == name)
    return [(each["type"], each["reason"], each["note"]) for each in listed if "Polic" in each["reason"]]


@pytest.mark.parametrize(
    ("policy", "named"),
    [
        (network_policy("red"), DENY),
        (egress_firewall("red"), "EgressFirewall red/default"),
        (admin_policy(t="blue"), "AdminNetworkPolicy all"),
        (space("red", "blue", **{MULTICAST: "true"}), f"annotation {MULTICAST} of Namespace red"),
    ],
)
def test_no_row_of_a_network_with_a_policy_is_written(policy: Any, named: str) -> None:
    found = world(policy)
    found.settle()
    assert found.store.networks == {GREEN}
    refusal = REFUSAL.replace(DENY, named)
    assert condition(found, "Accepted") == ("False", "UnenforcedPolicies", refusal)
    assert events(found) == [("Warning", "UnenforcedPolicies", refusal)]
    assert find_condition(found.cluster.get("blue"), "PoliciesEnforced") is None
    # not even its numbers are recorded
    assert "ovnguard.io/network-id" not in found.cluster.get("blue")["metadata"]["annotations"]


def test_the_network_is_owned_once_the_policy_is_gone() -> None:
    found = world(network_policy("red"))
    found.settle()
    found.cluster.served[NETWORK_POLICY].clear()
    found.settle()
    assert found.store.networks == {BLUE, GREEN}
    assert condition(found, "Accepted")[0] == "True"


def test_the_option_owns_the_network_and_the_condition_says_what_nobody_enforces() -> None:
    found = world(network_policy("red"))
    settle(owning(found, unenforced=True))
    assert found.store.networks == {BLUE, GREEN}
    assert condition(found, "PoliciesEnforced") == ("False", "UnenforcedPoliciesPermitted", WARNING)
    assert events(found) == [("Warning", "UnenforcedPoliciesPermitted", WARNING)]


def test_a_policy_that_comes_later_takes_no_row_away() -> None:
    found = world()
    found.settle()
    rows = set(found.store.rows)
    found.cluster.put(network_policy("red"))
    found.settle()
    assert set(found.store.rows) == rows
    assert condition(found, "PoliciesEnforced") == ("False", "UnenforcedPolicies", WARNING)
    assert events(found) == [("Warning", "UnenforcedPolicies", WARNING)]
    found.cluster.put(network_policy("red", "newer", "2026-01-02T00:00:00Z"))
    found.settle()
    assert condition(found, "PoliciesEnforced")[2] == f"ovnguard does not enforce NetworkPolicy red/newer, {DENY}"
    found.cluster.served[NETWORK_POLICY].clear()
    found.settle()
    over = "The network has no policy that ovnguard does not enforce."
    assert condition(found, "PoliciesEnforced") == ("True", "NoUnenforcedPolicies", over)
    assert events(found)[-1] == ("Normal", "NoUnenforcedPolicies", over)
    assert set(found.store.rows) == rows


def test_another_process_owns_what_has_rows() -> None:
    found = world()
    found.settle()
    found.cluster.put(network_policy("red"))
    again = owning(found)
    settle(again)
    assert found.store.networks == {BLUE, GREEN}
    found.cluster.put(cudn("blue", "10.22.0.0/16"))
    settle(again)
    # what the network needs is still written
    assert any("10.22" in str(row.columns) for row in found.store.rows)


def test_an_unreadable_database_neither_gets_nor_loses_rows() -> None:
    found = world()
    found.settle()
    rows = found.store.rows
    found.cluster.put(network_policy("red"))
    again = owning(found)
    found.store.failure = StoreUnavailableError("the database is gone")
    assert again.tick() == ("the database is gone",)
    found.store.failure = None
    settle(again)
    assert found.store.rows == rows


def test_the_zone_of_a_new_node_owns_what_the_cluster_owns() -> None:
    found = world()
    found.settle()
    found.cluster.put(network_policy("red"))
    found.settle()
    new = Store()
    settle(found.zone_of(new))
    assert new.networks == {BLUE, GREEN}


def test_a_permission_of_another_process_is_none_of_this_one() -> None:
    found = world(network_policy("red"))
    settle(owning(found, unenforced=True))
    new = Store()
    settle(found.zone_of(new))
    assert new.networks == {GREEN}


def test_only_networks_of_the_process_are_refused(caplog: pytest.LogCaptureFixture) -> None:
    found = world(network_policy("red"))
    with caplog.at_level(logging.WARNING):
        settle(owning(found, only=frozenset({GREEN})))
    assert found.store.networks == {GREEN}
    assert REFUSAL not in caplog.text
    settle(owning(found))
    assert f"network {BLUE}: {REFUSAL}" in caplog.text


def test_the_default_network_is_refused_and_the_others_are_not() -> None:
    found = world(operator(), space("plain"), network_policy("plain"))
    found.settle()
    assert found.store.networks == {BLUE, GREEN}
    refusal = REFUSAL.replace(DENY, "NetworkPolicy plain/deny")
    assert events(found, "cluster") == [("Warning", "UnenforcedPolicies", refusal)]


def test_events_report_networks_without_conditions() -> None:
    attached = space("ns", "none")
    found = World(nad(transitSubnet="100.88.0.0/16"), attached)
    found.settle()
    assert found.store.networks == {"tenant"}
    found.cluster.put(network_policy("ns"))
    found.settle()
    found.cluster.served[NETWORK_POLICY].clear()
    found.settle()
    over = "The network has no policy that ovnguard does not enforce."
    warning = ("Warning", "UnenforcedPolicies", "ovnguard does not enforce NetworkPolicy ns/deny")
    assert events(found, "n") == [warning, ("Normal", "NoUnenforcedPolicies", over)]


def test_an_audit_judges_no_policy() -> None:
    found = world(network_policy("red"))
    zone = replace(found.parts, options=WriteOptions(audit=True))
    settle(ZoneLoop("n1", zone))
    assert events(found) == []
    assert found.cluster.served[CUDN]["blue"].get("status") is None
