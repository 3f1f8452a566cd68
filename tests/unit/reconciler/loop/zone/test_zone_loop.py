"""One tick: what is recorded, planned, applied and reported, with fakes for the world around it."""

import base64
import copy
import json
from datetime import timedelta

import pytest

from ovnguard.reconciler.apply.kube import find_condition
from ovnguard.reconciler.apply.store_errors import FrrRefusedError, StoreUnavailableError
from ovnguard.reconciler.loop.process.frozen_view import Fingerprint
from ovnguard.reconciler.loop.zone.bgp_loop import BgpLoop, BgpParts
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError
from ovnguard.validators.network.cluster_view import CUDN, NODE, OPERATOR_NETWORK, SECRET, UDN
from tests.support.fake_cluster import (
    ID,
    KEYS,
    TRANSIT,
    Cluster,
    Store,
    World,
    cudn,
    desired_state,
    judged,
    node,
    operator,
)
from tests.support.frr_samples import PEER, neighbor, router
from tests.support.manifests.activity_manifests import pod_on, tenant
from tests.support.manifests.network_objects import frr, rendered, stored
from tests.support.present import present

pytestmark = pytest.mark.usefixtures("everything_is_heard")


def test_a_network_is_recorded_before_it_is_planned_and_reported_after(caplog):
    world = World(cudn("blue"))
    assert world.zone.tick() == ()
    assert world.store.rows == ()
    notes = world.cluster.get("blue")["metadata"]["annotations"]
    assert notes[TRANSIT] == "100.88.0.0/16"
    assert 1 <= int(notes[ID]) <= 4095
    assert notes[KEYS].startswith(f"[{16711683 + int(notes[ID])},")
    assert find_condition(world.cluster.get("blue"), "TransitSubnetAllocated") is None

    assert world.zone.tick() == ()
    assert world.store.networks == {"cluster_udn_blue"}
    condition = present(find_condition(world.cluster.get("blue"), "TransitSubnetAllocated"))
    assert (condition["status"], condition["reason"]) == ("True", "DefaultSelected")
    assert condition["message"] == "Transit subnet 100.88.0.0/16 selected."
    count = len(world.store.rows)
    text = f"zone n1: {count} inserted, 0 updated, 0 deleted, {count} rows planned, FRR unchanged"
    assert text in caplog.messages
    assert any(
        text.startswith("recorded on ClusterUserDefinedNetwork blue: ovnguard.io/network-id=")
        for text in caplog.messages
    )


def test_when_all_is_done_nothing_is_done(caplog):
    world = World(cudn("blue"))
    world.settle()
    patches, transactions, judged, lines = (
        len(world.cluster.patches),
        world.store.transactions,
        world.judged,
        len(caplog.messages),
    )
    assert (patches, transactions) == (2, 1)
    world.settle()
    assert len(world.cluster.patches) == patches
    assert world.store.transactions == transactions
    assert world.judged == judged
    assert len(caplog.messages) == lines


def test_pods_cause_no_judgement_and_networks_do():
    world = World(cudn("blue"), tenant("blue"))
    world.settle()
    judged, transactions = world.judged, world.store.transactions
    record = {"ip_addresses": ["10.20.0.5/16"], "mac_address": "0a:58:0a:14:00:05", "tunnel_id": 105}
    pod = pod_on("n1", "blue")
    pod["metadata"]["annotations"] = {"k8s.ovn.org/pod-networks": json.dumps({"blue/blue": record})}
    world.cluster.put(pod)
    world.settle()
    assert world.store.transactions > transactions
    assert world.judged == judged
    world.cluster.put(cudn("green", "10.30.0.0/16"))
    world.settle()
    assert world.judged > judged


def test_deleting_takes_the_rows_away():
    world = World(cudn("blue"), cudn("green", "10.30.0.0/16"))
    world.settle()
    assert world.store.networks == {"cluster_udn_blue", "cluster_udn_green"}
    del world.cluster.served[CUDN]["blue"]
    world.settle()
    assert world.store.networks == {"cluster_udn_green"}


RED = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks/red"


def test_a_refused_network_is_logged_once_and_does_not_stop_others(caplog):
    bad = cudn("red", "10.20.0.0/16")
    bad["spec"]["network"]["layer2"]["joinSubnets"] = ["10.20.128.0/17"]
    world = World(bad, cudn("blue", "10.30.0.0/16"))
    world.settle()
    assert world.store.networks == {"cluster_udn_blue"}
    lines = [text for text in caplog.messages if text.startswith("ClusterUserDefinedNetwork red is refused")]
    assert len(lines) == 1
    assert [path for path, _ in world.cluster.patches if "/red" in path] == [f"{RED}/status"]
    condition = present(find_condition(world.cluster.get("red"), "Accepted"))
    assert (condition["status"], condition["reason"]) == ("False", "Conflict")
    assert condition["message"].startswith("spec.network.layer2.")


def test_of_two_networks_with_one_id_the_later_is_held_back(caplog):
    record = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
    world = World(cudn("aaa", "10.30.0.0/16", second=9, **record), cudn("zzz", "10.20.0.0/16", second=1, **record))
    world.settle()
    assert world.store.networks == {"cluster_udn_zzz"}
    detail = 'Invalid value: 7: network id 7 is already held by network "cluster_udn_zzz"'
    field = "metadata.annotations[ovnguard.io/network-id]"
    text = f"ClusterUserDefinedNetwork aaa is refused and not planned: {field}: {detail}"
    assert caplog.messages.count(text) == 1
    condition = present(find_condition(world.cluster.get("aaa"), "Accepted"))
    assert (condition["status"], condition["reason"]) == ("False", "Conflict")
    assert condition["message"] == f"{field}: {detail} (OVNG-L2-010)"
    assert find_condition(world.cluster.get("zzz"), "Accepted") is None


def test_the_end_of_a_conflict_is_logged():
    record = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
    world = World(cudn("aaa", "10.30.0.0/16", second=9, **record), cudn("zzz", "10.20.0.0/16", second=1, **record))
    world.settle()
    del world.cluster.served[CUDN]["zzz"]
    world.settle()
    assert world.store.networks == {"cluster_udn_aaa"}
    condition = present(find_condition(world.cluster.get("aaa"), "Accepted"))
    assert (condition["status"], condition["reason"]) == ("True", "Accepted")
    transit = present(find_condition(world.cluster.get("aaa"), "TransitSubnetAllocated"))
    assert transit["status"] == "True"


def test_of_two_that_were_admitted_at_once_every_zone_lets_the_same_one_stand():
    """Equal in all but the name, and OVN's names of both are the same; the clock of creation counts in seconds."""
    objects = [cudn("a-b", "10.30.0.0/16", second=5), cudn("a.b", "10.20.0.0/16", second=5)]
    for order in (objects, objects[::-1]):
        world = World(*copy.deepcopy(order))
        world.settle()
        assert world.store.networks == {"cluster_udn_a-b"}
        condition = present(find_condition(world.cluster.get("a.b"), "Accepted"))
        assert (condition["status"], condition["reason"]) == ("False", "Conflict")
        assert condition["message"].endswith("(OVNG-L2-011)")


def test_a_refused_network_still_holds_its_number():
    record = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
    bad = cudn("red", "10.20.0.0/16", second=1, **record)
    bad["spec"]["network"]["layer2"]["joinSubnets"] = ["10.20.128.0/17"]
    world = World(bad, cudn("blue", "10.30.0.0/16", second=2, **record))
    world.settle()
    assert world.store.networks == set()


def test_a_live_network_that_is_refused_later_keeps_its_rows():
    world = World(cudn("blue"))
    world.settle()
    rows = world.store.rows
    spoiled = copy.deepcopy(world.cluster.get("blue"))
    spoiled["metadata"]["annotations"][ID] = "seven"
    world.cluster.put(spoiled)
    world.settle()
    assert world.store.rows == rows
    del world.cluster.served[CUDN]["blue"]
    world.settle()
    assert world.store.rows == ()


def test_a_choice_made_by_the_webhook_is_kept_and_reported_as_what_it_is():
    world = World(cudn("blue", "10.20.0.0/16", 0, **{TRANSIT: "100.92.0.0/16"}))
    world.settle()
    assert world.cluster.get("blue")["metadata"]["annotations"][TRANSIT] == "100.92.0.0/16"
    condition = present(find_condition(world.cluster.get("blue"), "TransitSubnetAllocated"))
    assert (condition["reason"], condition["message"]) == (
        "AlternativeSelected",
        "Transit subnet 100.92.0.0/16 selected.",
    )


def test_no_free_subnet_is_false_and_the_time_moves_only_with_the_status():
    everything = '["10.0.0.1/8","100.64.0.1/10","172.16.0.1/12","192.168.0.1/16"]'
    world = World(cudn("blue", "203.0.112.0/20"))
    world.cluster.put(node("n2", 3, **{"k8s.ovn.org/host-cidrs": everything}))
    world.settle()
    first = dict(present(find_condition(world.cluster.get("blue"), "TransitSubnetAllocated")) or {})
    assert (first["status"], first["reason"]) == ("False", "NoFreeTransitSubnet")
    assert first["lastTransitionTime"] == "2026-01-01T00:00:00Z"

    world.now += timedelta(minutes=1)
    world.cluster.put(
        node("n2", 3, **{"k8s.ovn.org/host-cidrs": everything.replace("192.168.0.1/16", "192.168.0.2/16")})
    )
    changed = copy.deepcopy(world.cluster.get("blue"))
    changed["metadata"]["generation"] = 5
    world.cluster.put(changed)
    world.settle()
    again = present(find_condition(world.cluster.get("blue"), "TransitSubnetAllocated"))
    assert again["observedGeneration"] == 5
    assert again["lastTransitionTime"] == first["lastTransitionTime"]

    world.now += timedelta(minutes=1)
    world.cluster.put(node("n2", 3))
    world.settle()
    last = present(find_condition(world.cluster.get("blue"), "TransitSubnetAllocated"))
    assert (last["status"], last["lastTransitionTime"]) == ("True", "2026-01-01T00:02:00Z")
    assert world.store.networks == {"cluster_udn_blue"}


def test_others_conditions_stay():
    theirs = {"type": "NetworkCreated", "status": "True"}
    world = World({**cudn("blue"), "status": {"conditions": [theirs]}})
    world.settle()
    assert find_condition(world.cluster.get("blue"), "NetworkCreated") == theirs


def test_a_lost_race_on_the_api_server_is_no_failure():
    world = World(cudn("blue"))
    world.cluster.failure = ApiStatusError(409, "Conflict", "changed")
    assert world.zone.tick() == ()
    assert world.store.rows == ()
    world.cluster.failure = None
    world.settle()
    assert world.store.networks == {"cluster_udn_blue"}


def test_an_api_server_that_refuses_writes_holds_nothing_else_up(caplog):
    world = World(cudn("old"))
    world.settle()
    world.store.rows = ()
    world.cluster.put(cudn("new", "10.40.0.0/16"))
    world.cluster.failure = ApiStatusError(403, "Forbidden", "no")
    assert [world.zone.tick(), world.zone.tick()] == [(), ()]
    (failure,) = [text for text in caplog.messages if "cannot record" in text]
    assert failure.startswith("ClusterUserDefinedNetwork new: cannot record ovnguard.io/network-id=")
    assert ": 403 Forbidden: no; next try in 0." in failure
    assert world.store.networks == {"cluster_udn_old"}
    assert 0 < present(world.zone.due()) <= 0.5


def test_a_condition_that_cannot_be_written_is_tried_again():
    world = World(cudn("blue", "10.20.0.0/16", 0, **{ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}))
    world.cluster.failure = ClusterError("gone")
    text = "ClusterUserDefinedNetwork blue: cannot write condition TransitSubnetAllocated: gone"
    assert world.zone.tick() == (text,)
    world.cluster.failure = None
    world.settle()
    assert find_condition(world.cluster.get("blue"), "TransitSubnetAllocated") is not None


def test_database_and_frr_fail_apart():
    world = World(cudn("blue"), operator())
    world.zone.tick()
    world.store.failure, world.frr.failure = StoreUnavailableError("nb is down"), FrrRefusedError("frr says no")
    assert world.zone.tick() == ("nb is down", "frr says no")
    world.store.failure = None
    assert world.zone.tick() == ("frr says no",)
    assert world.store.networks == {"cluster_udn_blue"}


def test_until_everything_is_listed_nothing_is_touched(caplog):
    world = World(cudn("blue"))
    world.settle()
    rows = world.store.rows
    world.cluster.served[CUDN].clear()
    world.cluster.waiting = ("clusteruserdefinednetworks",)
    world.settle()
    assert world.store.rows == rows
    assert caplog.messages.count("waiting for the first list of clusteruserdefinednetworks") == 1


def test_a_node_that_is_gone_or_not_ready_leaves_its_zone_alone(caplog):
    world = World(cudn("blue"))
    world.settle()
    rows = world.store.rows
    bare = node()
    del bare["metadata"]["annotations"]["k8s.ovn.org/node-id"]
    world.cluster.put(bare)
    world.settle()
    assert "node n1: waiting for k8s.ovn.org/node-id" in caplog.messages
    del world.cluster.served[NODE]["n1"]
    world.settle()
    assert "node n1: the cluster has no such node yet; the zone stays unchanged" in caplog.messages
    assert world.store.rows == rows


def test_a_kind_that_is_not_served_for_a_while_keeps_its_networks():
    world = World(cudn("blue"))
    world.settle()
    rows, served = world.store.rows, world.cluster.served.pop(CUDN)
    world.settle()
    assert world.store.rows == rows
    world.cluster.served[CUDN] = {}
    world.settle()
    assert world.store.rows == ()
    world.cluster.served[CUDN] = served
    world.settle()
    assert world.store.rows == rows


def test_frr_goes_with_the_default_network_and_not_with_its_kind():
    world = World(operator())
    world.settle()
    world.frr.text = "written before\n"
    del world.cluster.served[OPERATOR_NETWORK]
    world.settle()
    assert world.frr.text == "written before\n"
    world.cluster.served[OPERATOR_NETWORK] = {}
    world.settle()
    assert world.frr.text == ""


def secret(text: str) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/basic-auth",
        "metadata": {"name": "peer", "namespace": "frr"},
        "data": {"password": base64.b64encode(text.encode()).decode()},
    }


def test_the_file_of_frr_has_the_passwords_of_secrets_and_no_log_has_them(caplog: pytest.LogCaptureFixture):
    caplog.set_level("DEBUG")
    world = World(operator(), frr(router(neighbor(passwordSecret={"name": "peer"}))))
    world.settle()
    assert world.frr.text == ""
    assert f"node n1: frr.conf is not written: the password of neighbor {PEER} is unknown" in caplog.text

    world.cluster.served[SECRET] = {}
    world.cluster.put(secret("open-sesame"))
    world.settle()
    assert f"  neighbor {PEER} password open-sesame\n" in world.frr.text
    world.cluster.put(secret("close-sesame"))
    world.settle()
    written = world.frr.text
    assert f"  neighbor {PEER} password close-sesame\n" in written

    world.cluster.served[SECRET] = {}
    world.settle()
    assert world.frr.text == written
    assert f"secret peer not found for neighbor 64512@{PEER} (FRRConfiguration frr/site)" in caplog.text
    assert "sesame" not in caplog.text
    assert all("sesame" not in str(each) for each in world.cluster.events)


def test_a_configuration_that_cannot_be_merged_is_not_written(monkeypatch):
    world = World(operator())
    world.settle()
    world.frr.text = "written before\n"
    monkeypatch.setattr("ovnguard.reconciler.plan.planner.FrrFiles.on", lambda *_: ("", None))
    world.cluster.put(node("n3", 4))
    world.settle()
    assert world.frr.text == "written before\n"


def test_an_unreadable_node_annotation_is_logged(caplog):
    world = World(cudn("blue"))
    world.cluster.put(node("n2", 3, **{"k8s.ovn.org/host-cidrs": "["}))
    world.settle()
    (text,) = {text for text in caplog.messages if "host-cidrs" in text}
    assert text.startswith("node n2: metadata.annotations[k8s.ovn.org/host-cidrs]: ")
    assert world.store.networks == {"cluster_udn_blue"}


def test_attachments_that_a_network_rendered_are_not_networks_of_their_own():
    blue = stored(cudn("blue"))
    view = Cluster(node(), blue, rendered(blue, "a"))
    desired = desired_state(view, judged, Settings(), "n1")
    assert [candidate.title for candidate in desired.candidates] == ["ClusterUserDefinedNetwork blue"]


def mtus(world: World) -> set[str]:
    ports = [row for row in world.store.rows if row.table == "Logical_Router_Port"]
    return {row.entry("options", "gateway_mtu") for row in ports} - {""}


def test_what_the_operator_network_configures_is_followed_live_and_kept_in_doubt():
    world = World(cudn("blue"), operator(mtu=1300))
    world.settle()
    assert mtus(world) == {"1300"}
    world.cluster.put(operator(mtu=8900))
    world.settle()
    assert mtus(world) == {"8900"}
    served = world.cluster.served.pop(OPERATOR_NETWORK)
    world.cluster.put(cudn("green", "10.30.0.0/16"))
    world.settle()
    assert world.store.networks == {"cluster_udn_blue", "cluster_udn_green"}
    assert mtus(world) == {"8900"}
    world.cluster.served[OPERATOR_NETWORK] = {**served, "other": operator(mtu=1300) | {"metadata": {"name": "other"}}}
    world.settle()
    assert mtus(world) == {"8900"}
    world.cluster.served[OPERATOR_NETWORK] = {}
    world.settle()
    assert mtus(world) == {"1400"}


def test_names_of_objects_that_cannot_be_read():
    broken = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "UserDefinedNetwork",
        "metadata": {"name": "x", "namespace": "ns"},
        "spec": {},
    }
    view = Cluster(node(), broken)
    desired = desired_state(view, judged, Settings(), "n1")
    assert desired.frozen == {"ns_x"}
    assert [(each.kind, each.title) for each in desired.candidates] == [(UDN, "UserDefinedNetwork ns/x")]


@pytest.mark.parametrize(
    ("change", "matters"),
    [
        (lambda obj: obj["metadata"].update(resourceVersion="99", managedFields=[{}]), False),
        (lambda obj: obj.update(status={"conditions": [{}]}), False),
        (lambda obj: obj["metadata"]["annotations"].update(a="b"), True),
        (lambda obj: obj["spec"].update(a="b"), True),
        (lambda obj: obj["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z"), True),
    ],
)
def test_what_a_look_looks_at(change, matters):
    world = World(cudn("blue"))
    before = Fingerprint().of(world.cluster)
    change(world.cluster.get("blue"))
    assert (Fingerprint().of(world.cluster) != before) is matters


def test_heartbeats_of_nodes_do_not_matter_but_their_addresses_do():
    world = World()
    before = Fingerprint().of(world.cluster)
    world.cluster.get("n2", NODE)["status"]["conditions"] = [{"type": "Ready", "lastHeartbeatTime": "now"}]
    assert Fingerprint().of(world.cluster) == before
    world.cluster.get("n2", NODE)["status"]["addresses"] = []
    assert Fingerprint().of(world.cluster) != before


def test_a_zone_writes_nothing_on_networks_when_the_leader_does():
    world = World(cudn("blue"))
    world.settle()
    others, store = World(world.cluster.get("blue"), cudn("green", "10.30.0.0/16")), Store()
    zone = others.zone_of(store, records=False)
    for _ in range(3):
        assert zone.tick() == ()
    assert others.cluster.patches == []
    # what is recorded is planned, what is not waits
    assert store.networks == {"cluster_udn_blue"}


def test_frr_that_fails_keeps_no_row_waiting_and_has_its_own_time(caplog: pytest.LogCaptureFixture):
    world = World(operator())
    world.frr.failure = FrrRefusedError("frr says no")
    bgp = BgpLoop("n1", BgpParts(world.frr.write, monotonic=lambda: world.seconds))
    zone = world.zone_of(world.store, frr=bgp.write, bgp=bgp)
    assert zone.tick() == ()
    assert zone.due() == 5.0
    assert [each.message for each in caplog.records if "frr" in each.message] == ["frr says no"]
    zone.tick()
    assert [each.message for each in caplog.records if "frr" in each.message] == ["frr says no"]
