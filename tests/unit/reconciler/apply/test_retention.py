"""Doubt never takes a network down."""

import pytest

from reconciler.apply.retention import DoubtfulNetworks, kind_of, without_deletes_of
from reconciler.plan.planner import make_plan
from reconciler.plan.row_diff import diff
from reconciler.plan.settings import Settings
from tests.support.plan_samples import default_network, nodes, udn
from validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN

BOTH = make_plan([udn("a_net"), udn("b_net")], nodes(2), Settings()).zones[0].rows
ONE = make_plan([udn("a_net")], nodes(2), Settings()).zones[0].rows


def after(frozen, observed, desired):
    """What is deleted, by network or table."""
    operations = without_deletes_of(frozen)(diff(observed, desired), observed)
    return {operation.uuid for operation in operations if operation.op == "delete"}


def uuids(rows):
    return {row.uuid for row in rows}


def test_nothing_frozen_is_the_whole_difference():
    assert after((), BOTH, ()) == uuids(BOTH)


def test_a_frozen_network_keeps_all_its_rows():
    assert after(["b_net"], BOTH, ONE) == set()


def test_others_are_still_deleted_but_what_they_share():
    kept = uuids(BOTH) - after(["a_net"], BOTH, ())
    assert kept == uuids(ONE)


def test_a_frozen_network_without_rows_keeps_nothing():
    assert after(["c_net"], BOTH, ()) == uuids(BOTH)


@pytest.mark.parametrize("name", ["default", ""])
def test_names_without_prefix_match_nothing(name):
    assert after([name], BOTH, ()) == uuids(BOTH)


def test_a_name_that_begins_like_another_is_another():
    rows = make_plan([udn("a_net"), udn("a_net2")], nodes(2), Settings()).zones[0].rows
    assert uuids(rows) - after(["a_net"], rows, ()) == uuids(ONE)


def test_the_default_network_is_frozen_alone():
    default = default_network()
    rows = make_plan([default, udn("a_net")], nodes(2), Settings()).zones[0].rows
    shared = {row.uuid for row in rows if row.table in ("Copp", "Meter", "Meter_Band")}
    alone = make_plan([default], nodes(2), Settings()).zones[0].rows
    assert uuids(rows) - after(["default"], rows, ()) == uuids(alone)
    assert uuids(rows) - after(["a_net"], rows, ()) == uuids(ONE) >= shared


def test_inserts_and_updates_go_on():
    operations = without_deletes_of(["a_net"])(diff(ONE, BOTH), ONE)
    assert {operation.op for operation in operations} == {"insert"}


@pytest.mark.parametrize(
    ("network", "kind"),
    [("default", OPERATOR_NETWORK), ("cluster_udn_blue", CUDN), ("ns_name", UDN), ("tenant", NAD), ("a_b_c", NAD)],
)
def test_a_name_tells_the_kind(network, kind):
    assert kind_of(network) == kind


@pytest.mark.parametrize(("unserved", "kept"), [((UDN,), True), ((CUDN, NAD), False)])
def test_networks_of_a_kind_that_is_not_served_stay(unserved, kept):
    operations = without_deletes_of((), unserved)(diff(BOTH, ()), BOTH)
    assert {operation.uuid for operation in operations} == (set() if kept else uuids(BOTH))


def test_what_is_not_on_the_list_stays():
    operations = without_deletes_of((), (), {"a_net"})(diff(BOTH, ()), BOTH)
    gone = {operation.uuid for operation in operations if operation.op == "delete"}
    kept = uuids(make_plan([udn("b_net")], nodes(2), Settings()).zones[0].rows)
    assert gone == uuids(BOTH) - kept


def test_only_networks_on_the_list_are_beyond_doubt():
    doubtful = DoubtfulNetworks(frozenset({"a_net"}), only=frozenset({"a_net", "b_net"}))
    assert [name in doubtful for name in ("a_net", "b_net", "c_net", "")] == [True, False, True, True]
