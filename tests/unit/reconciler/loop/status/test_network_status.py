"""What the conditions of a network report."""

from ipaddress import ip_network

import pytest

from ovnguard.reconciler.apply.kube import Condition
from ovnguard.reconciler.loop.status.network_status import condition_of
from ovnguard.reconciler.plan.inputs.candidates import candidate_of, consider
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.fake_cluster import cudn, nad, node, udn

TRANSIT = "100.88.0.0/16"


def only(obj):
    view = ObjectsView([node(), obj])
    (candidate,) = consider([obj], lambda each: candidate_of(each, judge(Request(Operation.CREATE, each), view)))
    return candidate


@pytest.mark.parametrize(
    ("transit", "cluster", "reason", "message"),
    [
        (TRANSIT, (TRANSIT,), "DefaultSelected", f"Transit subnet {TRANSIT} selected."),
        ("100.90.0.0/16", (TRANSIT,), "AlternativeSelected", "Transit subnet 100.90.0.0/16 selected."),
        ("100.90.0.0/16", ("100.90.0.0/16",), "DefaultSelected", "Transit subnet 100.90.0.0/16 selected."),
    ],
)
def test_condition_of_a_choice(transit, cluster, reason, message):
    candidate = only(cudn("blue", "10.20.0.0/16", 0, **{"ovnguard.io/transit-subnets": transit}))
    expected = Condition("TransitSubnetAllocated", True, reason, message)
    assert condition_of(candidate, [ip_network(each) for each in cluster]) == expected


def test_two_families_are_named_together():
    obj = cudn("blue", "10.20.0.0/16", 0, **{"ovnguard.io/transit-subnets": f"{TRANSIT},fd97::/64"})
    obj["spec"]["network"]["layer2"]["subnets"] = ["10.20.0.0/16", "2001:db8::/64"]
    condition = condition_of(only(obj))
    assert condition is not None
    assert condition.message == f"Transit subnets {TRANSIT}, fd97::/64 selected."


@pytest.mark.parametrize("obj", [udn(role="Secondary"), nad(transitSubnet=TRANSIT)], ids=["secondary", "attachment"])
def test_secondary_networks_and_attachments_have_no_condition(obj):
    assert condition_of(only(obj)) is None


def test_a_refusal_for_other_reasons_says_nothing_about_transit_subnets():
    bad = udn(joinSubnets=["10.20.128.0/17"])
    candidate = only(bad)
    assert candidate.network is None
    assert condition_of(candidate) is None
