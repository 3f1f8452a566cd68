"""`ovnguard-reconciler cluster` publishes the objects of fabrics on a real API server, and takes only its own away."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.apply.objects.object_owners import MANAGER, managers_of
from tests.support.deployed.fabric_api import (
    ADVERTISEMENTS,
    CUDNS,
    FRR,
    FRR_NAMESPACE,
    LEASE,
    NADS,
    NAMESPACES,
    NODES,
    OPERATOR,
    TENANTS,
    Fabric,
    advertising,
    empty,
    frr_configuration,
    no_overlay,
    served,
)
from tests.testbed.apiserver import ApiServer

NAD_KIND = "NetworkAttachmentDefinition"
BASE = "ovnk-managed-bgp"
DEFAULT_ROUTES, CUDN_ROUTES = f"{BASE}-default", f"{BASE}-cudn"


@pytest.fixture(scope="module")
def api(apiserver: ApiServer) -> Iterator[ApiServer]:
    with served(apiserver):
        yield apiserver


@pytest.fixture
def fabric(api: ApiServer, tmp_path: Path) -> Iterator[Fabric]:
    empty(api)
    api.request("DELETE", LEASE)
    made = Fabric(api, tmp_path)
    yield made
    made.stop()
    empty(api)


def generated(*nodes: str, of: str = DEFAULT_ROUTES) -> set[str]:
    return {f"{of}/{BASE}/{node}" for node in nodes}


def peers(obj: dict[str, Any]) -> list[str]:
    return [each["address"] for router in obj["spec"]["bgp"]["routers"] for each in router["neighbors"]]


def test_a_managed_default_network_is_published_and_kept(fabric: Fabric) -> None:
    fabric.add_default_network()
    fabric.add_node("a", 2)
    fabric.add_node("b", 3)
    fabric.start()
    fabric.until(lambda: set(fabric.items(FRR)) == {BASE, *generated("a", "b")}, "the FRRConfigurations")
    fabric.until(lambda: set(fabric.items(ADVERTISEMENTS)) == {DEFAULT_ROUTES}, "the RouteAdvertisements")
    uid = fabric.api.request("GET", f"{NAMESPACES}/ovnguard-system")[1]["metadata"]["uid"]
    for obj in (*fabric.items(FRR).values(), *fabric.items(ADVERTISEMENTS).values()):
        assert MANAGER in managers_of(obj)
        (owner,) = obj["metadata"]["ownerReferences"]
        assert owner == {"apiVersion": "v1", "kind": "Namespace", "name": "ovnguard-system", "uid": uid}
    base = fabric.items(FRR)[BASE]
    assert base["metadata"]["namespace"] == FRR_NAMESPACE
    assert peers(base) == ["172.18.0.2", "172.18.0.3"]
    assert peers(fabric.items(FRR)[generated("a").pop()]) == ["172.18.0.3"]

    # deleted and changed by somebody
    before = {name: obj["metadata"]["uid"] for name, obj in fabric.items(FRR).items()}
    fabric.delete(FRR, base)
    fabric.until(lambda: BASE in fabric.items(FRR), "the deleted object")
    assert fabric.items(FRR)[BASE]["metadata"]["uid"] != before[BASE]
    one = fabric.items(FRR)[generated("a").pop()]
    fabric.patch(FRR, one, {"spec": {"bgp": {"routers": []}, "raw": {"rawConfig": "x"}}})
    fabric.until(lambda: fabric.items(FRR)[generated("a").pop()]["spec"] == one["spec"], "the changed object")
    fabric.patch(FRR, base, {"metadata": {"labels": {"k8s.ovn.org/managed-bgp": "other"}}})
    fabric.until(lambda: fabric.items(FRR)[BASE]["metadata"]["labels"] == base["metadata"]["labels"], "the label")
    (advertised,) = fabric.items(ADVERTISEMENTS).values()
    fabric.delete(ADVERTISEMENTS, advertised)
    fabric.until(lambda: set(fabric.items(ADVERTISEMENTS)) == {DEFAULT_ROUTES}, "what was deleted")

    # nodes come and go
    fabric.add_node("c", 4)
    fabric.until(lambda: set(fabric.items(FRR)) == {BASE, *generated("a", "b", "c")}, "the third node")
    fabric.until(lambda: peers(fabric.items(FRR)[BASE]) == ["172.18.0.2", "172.18.0.3", "172.18.0.4"], "its sessions")
    fabric.api.request("DELETE", f"{NODES}/b")
    fabric.until(lambda: set(fabric.items(FRR)) == {BASE, *generated("a", "c")}, "the second node goes")
    fabric.until(lambda: peers(fabric.items(FRR)[BASE]) == ["172.18.0.2", "172.18.0.4"], "its sessions go")

    assert fabric.complaints("cannot", "died") == []


def condition(obj: dict[str, Any], kind: str) -> tuple[str, str, str]:
    found = [each for each in obj.get("status", {}).get("conditions", []) if each["type"] == kind]
    return (found[0]["status"], found[0]["reason"], found[0]["message"]) if found else ("", "", "")


def published(fabric: Fabric) -> set[str]:
    return {*fabric.items(FRR), *fabric.items(ADVERTISEMENTS)}


def test_objects_of_networks_go_with_their_last_network(fabric: Fabric) -> None:
    fabric.add_default_network("Unmanaged")
    fabric.add_node("a", 2)
    fabric.add_node("b", 3)
    blue = fabric.create(CUDNS, no_overlay("blue", "10.101.0.0/16"))
    green = fabric.create(CUDNS, no_overlay("green", "10.102.0.0/16"))
    fabric.start()
    everything = {BASE, CUDN_ROUTES, *generated("a", "b", of=CUDN_ROUTES)}
    fabric.until(lambda: published(fabric) == everything, "the objects of the networks")
    labels = {"advertise": "blue", "k8s.ovn.org/managed-bgp": ""}
    fabric.until(lambda: fabric.items(CUDNS)["blue"]["metadata"]["labels"] == labels, "the label")
    fabric.patch(CUDNS, blue, {"metadata": {"labels": {"k8s.ovn.org/managed-bgp": None}}})
    fabric.until(lambda: fabric.items(CUDNS)["blue"]["metadata"]["labels"] == labels, "the label again")
    fabric.delete(CUDNS, green)
    one = generated("a", of=CUDN_ROUTES).pop()
    fabric.until(lambda: len(fabric.items(FRR)[one]["spec"]["bgp"]["routers"]) == 2, "the routers of one network")
    assert published(fabric) == everything
    fabric.delete(CUDNS, blue)
    fabric.until(lambda: published(fabric) == set(), "the objects are gone")


def test_what_somebody_else_made_is_never_touched(fabric: Fabric) -> None:
    fabric.add_default_network()
    fabric.add_node("a", 2)
    fabric.add_node("b", 3)
    fabric.create(CUDNS, no_overlay("blue", "10.101.0.0/16"))
    labels = {"app.kubernetes.io/managed-by": "ovnguard", "k8s.ovn.org/managed-bgp": ""}
    mine = frr_configuration(BASE, 64999, labels=labels)
    mine = fabric.create(FRR, mine)
    fabric.start()
    fabric.until(lambda: set(fabric.items(ADVERTISEMENTS)) == {CUDN_ROUTES, DEFAULT_ROUTES}, "the other objects")
    text = f"FRRConfiguration {FRR_NAMESPACE}/{BASE} was not made by ovnguard and stays as it is: delete or rename it"
    fabric.until(
        lambda: condition(fabric.items(CUDNS)["blue"], "FabricReady") == ("False", "ForeignObject", text),
        "the condition",
    )
    fabric.until(lambda: [each["note"] for each in fabric.events("cluster")] == [text], "the Event")
    assert fabric.items(FRR)[BASE]["metadata"]["resourceVersion"] == mine["metadata"]["resourceVersion"]
    fabric.delete(FRR, mine)
    fabric.until(lambda: BASE in fabric.items(FRR), "the name is free")
    ready = ("True", "Published", "The objects of the fabric are written.")
    fabric.until(lambda: condition(fabric.items(CUDNS)["blue"], "FabricReady") == ready, "the condition is over")
    # a contradiction that frr-k8s would refuse is reported on the networks that suffer
    fabric.create(FRR, frr_configuration("peers", 64999))
    text = (
        f"FRRConfiguration {FRR_NAMESPACE}/peers: different asns (64600 != 64999) specified for same vrf:  together "
        f"with {FRR_NAMESPACE}/{BASE}; frr-k8s rejects the configuration of 2 nodes, e.g. a"
    )
    conflict = ("False", "FRRConfigurationConflict", text)
    fabric.until(lambda: condition(fabric.items(CUDNS)["blue"], "FabricReady") == conflict, "the conflict")


def test_an_audit_reports_what_it_would_change_and_changes_nothing(fabric: Fabric) -> None:
    network = fabric.add_default_network()
    fabric.add_node("a", 2)
    fabric.add_node("b", 3)
    fabric.start(mode="audit")
    fabric.until(lambda: bool(fabric.events("cluster")), "the Event")
    (event,) = fabric.events("cluster")
    assert (event["reason"], event["type"]) == ("FabricDrift", "Warning")
    texts = event["note"].split("; ")
    assert f"would create FRRConfiguration {FRR_NAMESPACE}/{BASE}" in texts
    assert f"would create RouteAdvertisements {DEFAULT_ROUTES}" in texts
    assert texts[2].startswith(f"would create FRRConfiguration {FRR_NAMESPACE}/ovnk-generated-")
    assert texts[3:] == ["and 1 more"]
    assert published(fabric) == set()
    assert fabric.items(OPERATOR)["cluster"]["metadata"]["resourceVersion"] == network["metadata"]["resourceVersion"]


def test_uninstalling_leaves_nothing(fabric: Fabric) -> None:
    fabric.add_default_network()
    fabric.add_node("a", 2)
    fabric.add_node("b", 3)
    fabric.create(CUDNS, no_overlay("blue", "10.101.0.0/16"))
    others = fabric.create(FRR, frr_configuration("peers", 64600))
    fabric.start()
    fabric.until(lambda: len(published(fabric)) == 8, "the objects")
    accepted = dict.fromkeys((CUDN_ROUTES, DEFAULT_ROUTES), "True")
    fabric.until(
        lambda: {name: condition(obj, "Accepted")[0] for name, obj in fabric.items(ADVERTISEMENTS).items()} == accepted,
        "the conditions",
    )
    fabric.until(lambda: "default" in fabric.items(NADS), "the attachment")
    assert fabric.run("--remove-objects") == (
        2,
        "Error: --remove-objects: another process leads and would publish everything again: stop it",
    )
    fabric.stop()
    assert fabric.run("--remove-objects")[0] == 0
    assert published(fabric) == {"peers"}
    assert fabric.items(FRR)["peers"]["metadata"]["resourceVersion"] == others["metadata"]["resourceVersion"]
    # a network needs its attachment, whoever keeps it from now on
    assert list(fabric.items(NADS)) == ["blue"]
    blue = fabric.items(CUDNS)["blue"]
    assert blue["metadata"]["labels"] == {"advertise": "blue"}
    kinds = {each["type"] for each in blue.get("status", {}).get("conditions", [])}
    assert kinds.isdisjoint({"FabricReady", "TransportAccepted"})
    assert fabric.run("--remove-objects")[0] == 0


def test_transport_is_accepted_once_routes_are(fabric: Fabric) -> None:
    """The states of a network whose routes the administrator configures, and Events about the default one."""
    fabric.add_default_network("Unmanaged")
    fabric.add_node("a", 2)
    fabric.create(CUDNS, no_overlay("blue", "10.101.0.0/16", "Unmanaged"))
    fabric.start()

    def transport() -> tuple[str, str, str]:
        return condition(fabric.items(CUDNS)["blue"], "TransportAccepted")

    def events() -> list[tuple[str, str, int]]:
        found = [each for each in fabric.events("default") if each["regarding"]["kind"] == NAD_KIND]
        return sorted((each["type"], each["reason"], each.get("series", {}).get("count", 1)) for each in found)

    missing = (
        "False",
        "NoOverlayRouteAdvertisementsIsMissing",
        "No RouteAdvertisements CR is advertising the pod networks.",
    )
    fabric.until(lambda: transport() == missing, "missing")
    fabric.until(lambda: events() == [("Warning", "NoRouteAdvertisements", 1)], "the first Event")
    routes = fabric.create(ADVERTISEMENTS, advertising("routes"))
    text = "RouteAdvertisements CR routes advertises the pod subnets, but its status is not accepted."
    fabric.until(lambda: transport() == ("False", "NoOverlayRouteAdvertisementsNotAccepted", text), "not accepted")
    pending = "configuration pending: no FRRConfigurations selected"
    refused = ("False", "ConfigurationPending", pending)
    fabric.until(lambda: condition(fabric.items(ADVERTISEMENTS)["routes"], "Accepted") == refused, "the reason")
    assert fabric.items(ADVERTISEMENTS)["routes"]["status"]["status"] == f"Not Accepted: {pending}"
    not_accepted = ("Warning", "RouteAdvertisementsNotAccepted", 1)
    fabric.until(lambda: events() == [("Warning", "NoRouteAdvertisements", 1), not_accepted], "the second Event")

    peers = fabric.create(FRR, frr_configuration("peers", 64512, labels={"use": "peers"}))
    accepted = ("True", "NoOverlayTransportAccepted", "Transport has been configured as 'no-overlay'.")
    fabric.until(lambda: transport() == accepted, "accepted")
    fabric.until(lambda: fabric.items(ADVERTISEMENTS)["routes"]["status"]["status"] == "Accepted", "the summary")
    assert set(fabric.items(FRR)) == {"peers", "routes/peers/a"}
    ready = ("Normal", "NoOverlayConfigurationReady", 1)
    fabric.until(lambda: events() == [ready, ("Warning", "NoRouteAdvertisements", 1), not_accepted], "the third Event")
    blue = fabric.items(CUDNS)["blue"]
    (entry,) = [each for each in blue["status"]["conditions"] if each["type"] == "TransportAccepted"]
    assert entry["observedGeneration"] == blue["metadata"]["generation"]

    fabric.delete(ADVERTISEMENTS, routes)
    fabric.until(lambda: transport() == missing, "missing again")
    fabric.until(lambda: set(fabric.items(FRR)) == {"peers"}, "what was generated goes")
    again = ("Warning", "NoRouteAdvertisements", 2)
    fabric.until(lambda: events() == [ready, again, not_accepted], "the first Event again")
    assert fabric.items(FRR)["peers"]["metadata"]["resourceVersion"] == peers["metadata"]["resourceVersion"]


def test_objects_of_the_cluster_manager_stay_until_their_network_is_adopted(fabric: Fabric) -> None:
    fabric.add_default_network()
    fabric.add_node("a", 2)
    fabric.add_node("b", 3)
    manager = "clustermanager-managed-bgp-controller"
    theirs = fabric.create(FRR, frr_configuration(BASE, 64600), manager=manager)
    process = fabric.start()
    text = (
        f"FRRConfiguration {FRR_NAMESPACE}/{BASE} is OVN-Kubernetes' cluster manager's: stop that first, then start "
        "with --adopt default"
    )
    fabric.until(
        lambda: [(each["reason"], each["note"]) for each in fabric.events("cluster")] == [("NotAdopted", text)],
        "the Event",
    )
    fabric.until(lambda: set(fabric.items(FRR)) == {BASE, *generated("a", "b")}, "the other objects")
    assert fabric.items(FRR)[BASE]["metadata"]["resourceVersion"] == theirs["metadata"]["resourceVersion"]
    process.stop()
    fabric.start("--adopt", "default")
    fabric.until(lambda: peers(fabric.items(FRR)[BASE]) == ["172.18.0.2", "172.18.0.3"], "the object is ours")
    now = fabric.items(FRR)[BASE]
    assert now["metadata"]["uid"] == theirs["metadata"]["uid"]
    assert MANAGER in managers_of(now)


def test_frr_configurations_of_other_namespaces_are_not_written_but_noted(fabric: Fabric) -> None:
    """The rights of deploy/ end at the namespace of frr-k8s, also where RouteAdvertisements select more."""
    tenant = TENANTS[0]
    fabric.add_default_network("Unmanaged")
    fabric.add_node("a", 2)
    fabric.create(CUDNS, no_overlay("blue", "10.101.0.0/16", "Unmanaged"))
    fabric.create(FRR, frr_configuration("peers", 64512, labels={"use": "peers"}))
    fabric.create(FRR, frr_configuration("tenants", 64512, tenant, labels={"use": "peers"}))
    fabric.create(ADVERTISEMENTS, advertising("routes"))
    fabric.start()
    written = {"peers", "tenants", "routes/peers/a"}
    fabric.until(lambda: set(fabric.items(FRR)) == written, "what may be written")
    fabric.until(lambda: condition(fabric.items(CUDNS)["blue"], "FabricReady")[1] == "NotWritten", "the reason")
    refused = [each for each in fabric.log_lines() if f"FRRConfiguration {tenant}/ovnk-generated-" in each]
    assert any(": cannot create: 403 Forbidden: " in each for each in refused), fabric.log_lines()
    assert set(fabric.items(FRR)) == written
