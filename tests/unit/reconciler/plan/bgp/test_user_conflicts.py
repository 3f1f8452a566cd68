"""FRRConfigurations of users that frr-k8s cannot merge with the managed one."""

from typing import Any

import pytest

from ovnguard.reconciler.plan.bgp.user_conflicts import user_conflicts
from tests.support.plan_samples import nodes


def configuration(name: str, *routers: dict[str, Any], selector: Any = None) -> dict[str, Any]:
    return {
        "apiVersion": "frrk8s.metallb.io/v1beta1",
        "kind": "FRRConfiguration",
        "metadata": {"name": name, "namespace": "frr"},
        "spec": {"nodeSelector": selector or {}, "bgp": {"routers": list(routers)}},
    }


def router(asn: int = 64512, peer: str = "172.18.0.3", **session: Any) -> dict[str, Any]:
    return {"asn": asn, "neighbors": [{"address": peer, "asn": 64512, **session}]}


BASE = configuration("ovnk-managed-bgp", router())
NODES = [each._replace(labels={"kubernetes.io/hostname": each.name}) for each in nodes(3)]
ON_NODE2 = {"matchLabels": {"kubernetes.io/hostname": "node2"}}


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (
            configuration("peers", router(64513, "10.0.0.1")),
            "FRRConfiguration frr/peers: different asns (64512 != 64513) specified for same vrf:  together with "
            "frr/ovnk-managed-bgp; frr-k8s rejects the configuration of 3 nodes, e.g. node1",
        ),
        (
            configuration("port", router(port=1179), selector=ON_NODE2),
            "FRRConfiguration frr/port: multiple ports specified for 172.18.0.3 together with frr/ovnk-managed-bgp; "
            "frr-k8s rejects the configuration of 1 node, e.g. node2",
        ),
        (
            configuration("secret", router(password="hunter2")),
            "FRRConfiguration frr/secret: multiple passwords specified for 172.18.0.3 together with "
            "frr/ovnk-managed-bgp; frr-k8s rejects the configuration of 3 nodes, e.g. node1",
        ),
        (
            configuration("both", {"asn": 64512, "neighbors": [{"asn": 64513}]}),
            "FRRConfiguration frr/both: failed to process neighbor 64513@ for router 64512-: neighbor with ASN 64513 "
            "has no address and no interface; frr-k8s rejects the configuration of 3 nodes, e.g. node1",
        ),
    ],
    ids=["asn", "port", "password", "invalid"],
)
def test_a_contradiction_names_both_objects_and_a_node(other: dict[str, Any], text: str) -> None:
    assert list(user_conflicts(BASE, [other], NODES)) == [text]


def test_what_can_be_merged_or_selects_no_node_is_no_conflict() -> None:
    others = [
        configuration("more", router(64512, "10.0.0.1")),
        configuration("vrf", {**router(64999), "vrf": "blue"}),
        configuration("nowhere", router(64513), selector={"matchLabels": {"a": "b"}}),
    ]
    assert list(user_conflicts(BASE, others, NODES)) == []
