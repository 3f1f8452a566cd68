"""A network that is deleted while pods use it, on a real ovsdb-server."""

import contextlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop
from ovnguard.reconciler.plan.rows.row import KIND_KEY, Column
from ovnguard.validators.network.cluster_view import CUDN, NAD, POD
from tests.support.fake_cluster import World, cudn
from tests.testbed.ovn import OvnZone

pytestmark = pytest.mark.timing

LIFE = {"ip_addresses": ["10.20.0.5/16"], "mac_address": "0a:58:0a:14:00:05", "role": "primary", "tunnel_id": 12}


def pod() -> dict[str, Any]:
    annotations = {"k8s.ovn.org/pod-networks": json.dumps({"a/blue": LIFE})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "a", "uid": "u", "annotations": annotations},
        "spec": {"nodeName": "n1"},
        "status": {"phase": "Running"},
    }


def attachment(world: World) -> dict[str, Any]:
    """What OVN-Kubernetes renders for the network, with the numbers and the transit subnet that it records."""
    owner = world.cluster.get("blue")
    notes = owner["metadata"]["annotations"]
    config = {
        "cniVersion": "1.1.0",
        "type": "ovn-k8s-cni-overlay",
        "name": "cluster_udn_blue",
        "netAttachDefName": "a/blue",
        "topology": "layer2",
        "role": "primary",
        "subnets": "10.20.0.0/16",
        "transitSubnet": notes["ovnguard.io/transit-subnets"],
    }
    reference = {"apiVersion": owner["apiVersion"], "kind": "ClusterUserDefinedNetwork", "name": "blue"}
    numbers = {key.replace("ovnguard.io", "k8s.ovn.org"): text for key, text in notes.items() if "transit" not in key}
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {
            "name": "blue",
            "namespace": "a",
            "annotations": {"k8s.ovn.org/network-name": "cluster_udn_blue", **numbers},
            "ownerReferences": [{**reference, "uid": owner["metadata"]["uid"], "controller": True}],
        },
        "spec": {"config": json.dumps(config)},
    }


def settle(loop: ZoneLoop) -> None:
    for _ in range(4):
        assert loop.tick() == ()


def terminate(world: World) -> None:
    obj = world.cluster.get("blue")
    obj["metadata"] |= {
        "deletionTimestamp": "2026-01-01T00:01:00Z",
        "finalizers": ["k8s.ovn.org/user-defined-network-protection"],
    }
    world.cluster.put(obj)


def remove_network(world: World) -> None:
    del world.cluster.served[CUDN]["blue"]


def remove_attachment_too(world: World) -> None:
    remove_network(world)
    del world.cluster.served[NAD]["blue"]


def columns(store: NorthboundStore) -> dict[str, dict[str, Column]]:
    """All rows by id; that only an attachment declares a network now may be noted on its rows."""
    found: dict[str, dict[str, Column]] = {}
    for row in store.read():
        ids = row.columns.get("external_ids", {})
        assert isinstance(ids, Mapping)
        kept = {key: text for key, text in ids.items() if key != KIND_KEY}
        found[row.uuid] = {**row.columns, "external_ids": kept}
    return found


@pytest.mark.parametrize("delete", [terminate, remove_network, remove_attachment_too])
def test_a_cudn_deleted_while_pods_use_it_keeps_its_rows_until_they_are_gone(
    ovn_zone: Callable[[str], OvnZone], delete: Callable[[World], None]
) -> None:
    # with it the API server lists something: that it suddenly lists nothing is another story
    world = World(cudn("blue"), cudn("other", subnet="10.30.0.0/16"), pod())
    with contextlib.closing(NorthboundStore(ovn_zone("n1").nb, exclusive=True)) as store:
        loop = world.zone_of(store)
        settle(loop)
        world.cluster.put(attachment(world))
        settle(loop)
        before = columns(store)
        assert any(row.get("name") == "a.blue_a_web" for row in before.values())
        delete(world)
        settle(loop)
        assert columns(store) == before
        # also in a process that never knew the network
        again = world.zone_of(store)
        settle(again)
        assert columns(store) == before
        del world.cluster.served[POD]["web"]
        world.cluster.served[CUDN].pop("blue", None)
        world.cluster.served[NAD].clear()
        settle(again)
        assert columns(store).keys() < before.keys()
        assert "blue" not in str(store.read())
