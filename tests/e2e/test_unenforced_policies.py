"""Policies in mode own, with a real API server and real OVN: what is owned, what is written, which packets pass."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.apply.kube import find_condition
from tests.support.deployed.first_pod import CUDNS, MEMBERS, NAMESPACES, FirstPods, first_pods, network
from tests.support.lab.wire import LabFactory
from tests.support.policies import network_policy
from tests.support.soak import limit
from tests.testbed.apiserver import ApiServer

pytestmark = limit(600)

EVENTS = "/apis/events.k8s.io/v1/events"
OPTION = "--unenforced-policies"
FLAT, WIDE = "cluster_udn_flat", "cluster_udn_wide"
WARNING = "ovnguard does not enforce NetworkPolicy {0}/deny"


@pytest.fixture
def cluster(apiserver: ApiServer, ovn_lab: LabFactory, tmp_path: Path) -> Iterator[FirstPods]:
    with first_pods(apiserver, ovn_lab, tmp_path) as made:
        yield made


def condition(cluster: FirstPods, name: str, kind: str) -> tuple[str, str, str]:
    found: Any = find_condition(cluster.get(f"{CUDNS}/{name}"), kind) or {}
    return found.get("status", ""), found.get("reason", ""), found.get("message", "")


def events(cluster: FirstPods, name: str) -> list[tuple[str, str]]:
    found = (each for each in cluster.get(EVENTS)["items"] if each["regarding"].get("name") == name)
    return [(each["reason"], each["note"]) for each in found]


def rows(cluster: FirstPods, node: str, owner: str) -> set[str]:
    """The rows with an owner in the zone of a node."""
    tables = ("Logical_Switch", "Logical_Router", "Logical_Switch_Port", "Logical_Router_Port")
    columns = ("--bare", "--columns=_uuid,name,external_ids", "--format=csv")
    zone = cluster.lab[node].zone
    return {line for table in tables for line in zone.nbctl(*columns, "list", table).splitlines() if owner in line}


def test_a_network_with_policies(cluster: FirstPods) -> None:
    """It is not owned without the option, and keeps its rows when a policy comes later; no policy stops a packet."""
    for name, subnet, share in (("wide", "10.40.0.0/16", 24), ("flat", "10.41.0.0/16", 0)):
        cluster.space(name)
        if name == "flat":
            cluster.create(f"/apis/networking.k8s.io/v1/namespaces/{name}/networkpolicies", network_policy(name))
        cluster.create(CUDNS, network(name, subnet, share))
    refusal = (
        "the network is not owned, because ovnguard does not enforce NetworkPolicy flat/deny "
        f"({OPTION} owns it nevertheless)"
    )
    refused = ("False", "UnenforcedPolicies", refusal)
    cluster.until(lambda: condition(cluster, "flat", "Accepted") == refused, "the network with a policy is refused")
    cluster.until(lambda: condition(cluster, "wide", "ZonesReady")[0] == "True", "the other one is ready")
    cluster.until(lambda: refused[1:] in events(cluster, "flat"), "the Event")
    before = {node: rows(cluster, node, WIDE) for node in MEMBERS}
    assert all(before.values())
    assert [rows(cluster, node, FLAT) for node in MEMBERS] == [set(), set()]

    cluster.create("/apis/networking.k8s.io/v1/namespaces/wide/networkpolicies", network_policy("wide"))
    later = ("False", "UnenforcedPolicies", WARNING.format("wide"))
    cluster.until(lambda: condition(cluster, "wide", "PoliciesEnforced") == later, "the policy that came later")
    cluster.until(lambda: later[1:] in events(cluster, "wide"), "the Event")
    cluster.stop()
    cluster.begin(OPTION)
    permitted = ("False", "UnenforcedPoliciesPermitted", WARNING.format("flat"))
    cluster.until(lambda: condition(cluster, "flat", "PoliciesEnforced") == permitted, "what nobody enforces")
    assert all(found <= rows(cluster, node, WIDE) for node, found in before.items())

    for name, node in zip(("one", "two"), MEMBERS, strict=True):
        cluster.bind("flat", name, node)
    one, two = (cluster.plugged("flat", name, "flat/flat") for name in ("one", "two"))
    two.serve("tcp", 8000)
    # the policy lets nothing in
    answer = one.ask("tcp", two.ip(4), 8000, 100_000)
    assert (answer.name, answer.peer) == (two.name, one.ip(4))
    assert condition(cluster, "flat", "PoliciesEnforced") == permitted
    for name in ("one", "two"):
        cluster.api.request("DELETE", f"{NAMESPACES}/flat/pods/{name}?gracePeriodSeconds=0")
    for name in ("wide", "flat"):
        path = f"/apis/networking.k8s.io/v1/namespaces/{name}/networkpolicies/deny"
        assert cluster.api.request("DELETE", path)[0] == 200
    gone = ("True", "NoUnenforcedPolicies", "The network has no policy that ovnguard does not enforce.")
    for name in ("wide", "flat"):
        cluster.until(lambda name=name: condition(cluster, name, "PoliciesEnforced") == gone, f"no policy of {name}")
