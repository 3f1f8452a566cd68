"""What processes ask of an API server that records it, as deployed accounts: all that the table grants, and no more."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.deployed.audit_log import audited, requests_of
from tests.support.deployed.deployed import DEPLOY, OVERLAYS, PLACES, Kubectl, namespaces
from tests.support.deployed.fabric_api import (
    ADVERTISEMENTS,
    CUDNS,
    FRR,
    NADS,
    NODES,
    Fabric,
    advertising,
    definitions,
    no_overlay,
    serve,
)
from tests.support.deployed.in_force import Deployed, Replica, overlay_applied
from tests.support.deployed.installed import create_crd
from tests.support.deployed.policy_kinds import policy_kinds
from tests.support.deployed.rollout_bed import BEFORE, LEASE, RolloutBed, definition
from tests.support.deployed.rollout_fixtures import management_user
from tests.support.deployed.rollout_invariants import Invariants, settle, upgrade
from tests.support.deployed.running import (
    ACCOUNTS,
    ID,
    KEYS,
    MERGE,
    NODE,
    PODS,
    TRANSIT,
    Zone,
    as_deployed,
    bound_to,
    cudn,
)
from tests.support.deployed.upgrading import VERSION, version
from tests.support.dns import objects
from tests.support.dns.authority import Name
from tests.support.dns.bed import LEADER as LEADER_OF_DNS
from tests.support.dns.bed import NODE as NODE_OF_DNS
from tests.support.dns.bed import SERVICES, Bed, open_bed
from tests.support.manifests.kustomized import identity, overlay
from tests.support.paths import ROOT
from tests.support.present import present
from tests.support.rights.granted import granted
from tests.support.rights.model import BASE, OURS, Request, Right
from tests.support.rights.rollout_rights import HOSTED, MANAGEMENT
from tests.support.rights.table import RIGHTS
from tests.support.rights.webhook_rights import EVERYBODY
from tests.support.soak import limit
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts
from tests.testbed.process import BedError, wait_until

pytestmark = limit(600)

ROLLOUT, ROLLOUT_FILES = "ovnguard-rollout", ("components/rollout/account.yaml", "components/rollout-own/rights.yaml")

UDNS = "/apis/k8s.ovn.org/v1/userdefinednetworks"
CUDN_ROUTES = "ovnk-managed-bgp-cudn"


def check(api: ApiServer, subject: str, *components: str, account: str = "") -> None:
    """Compare what ``account``, or the one of the subject's name, asks for with the table, once it asked for all."""
    rows = [each for each in RIGHTS if each.component in (BASE, *components) and each.subject == subject]
    used = {row for row in rows if not row.idle}
    everybody = [each for each in RIGHTS if each.subject == EVERYBODY]

    def asked() -> set[Request]:
        return requests_of(api, account or f"{OURS}:{subject}")

    def asked_for() -> set[Right]:
        found = asked()
        return {row for row in rows if any(row.permits(each) for each in found)}

    with suppress(BedError):
        wait_until(lambda: asked_for() >= used, "every right is used", 120)
    unlike = sorted(each.request for each in asked_for() ^ used)
    assert unlike == [], "\n".join(map(str, unlike))
    beyond = sorted(each for each in asked() if not any(row.permits(each) for row in (*rows, *everybody)))
    assert beyond == [], "\n".join(map(str, beyond))


@pytest.mark.parametrize("name", OVERLAYS)
def test_kustomize_renders_what_the_unit_tests_compare_with_the_table(parts: Parts, name: str) -> None:
    need(parts, "kube-apiserver")
    documents = {identity(each): each for each in Kubectl(parts).kustomize(DEPLOY / "overlays" / name)}
    assert documents == {identity(each): each for each in overlay(name)}


def test_the_page_names_another_namespace_of_frr_k8s(parts: Parts, tmp_path: Path) -> None:
    need(parts, "kube-apiserver")
    (text,) = re.findall(r"```yaml\n(patches:\n.*?)```", (ROOT / "docs/audit-and-own.md").read_text("utf-8"), re.DOTALL)
    own = os.path.relpath(DEPLOY / "overlays" / "own", tmp_path.resolve())
    (tmp_path / "kustomization.yaml").write_text(f"resources: [{own}]\n{text}", encoding="utf-8")
    found = granted(Kubectl(parts).kustomize(tmp_path))
    places = {each.namespace for _, each in found if each.resource == "frrconfigurations" and each.verb == "create"}
    assert places == {Settings().frr_namespace}


@pytest.fixture
def ending() -> Iterator[ExitStack]:
    """Ends processes."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def api(parts: Parts, tmp_path: Path) -> Iterator[ApiServer]:
    need(parts, "etcd", "kube-apiserver")
    with audited(tmp_path / "audited", parts) as server:
        yield server


def udn() -> dict[str, Any]:
    layer2 = {"role": "Primary", "subnets": ["10.102.0.0/16"]}
    kind = {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork"}
    return {**kind, "metadata": {"name": "net", "namespace": "green"}, "spec": {"topology": "Layer2", "layer2": layer2}}


def declared() -> dict[str, Any]:
    names = '"name":"lan","netAttachDefName":"default/lan"'
    config = f'{{"cniVersion":"1.1.0",{names},"topology":"layer2","type":"ovn-k8s-cni-overlay"}}'
    kind = {"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition"}
    return {**kind, "metadata": {"name": "lan", "namespace": "default"}, "spec": {"config": config}}


def test_the_leader(api: ApiServer, tmp_path: Path, ending: ExitStack) -> None:
    """It records, publishes what routes need, writes over changes of others, and takes away what nothing needs."""
    serve(api, [*definitions(), *policy_kinds()])
    fabric = Fabric(api, tmp_path)
    ending.callback(fabric.stop)
    fabric.add_default_network("Unmanaged")
    fabric.add_node("a", 2)
    fabric.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "bare"}})
    blue = fabric.create(CUDNS, no_overlay("blue", "10.101.0.0/16"))
    fabric.create(UDNS, udn())
    metadata = {"name": "one", "namespace": "green"}
    spec = {"nodeName": "a", "containers": [{"name": "main", "image": "none"}]}
    fabric.create(PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    fabric.create(NADS, declared())
    process = fabric.start()
    fabric.until(lambda: set(fabric.items(ADVERTISEMENTS)) == {"ovnk-managed-bgp-cudn"}, "the RouteAdvertisements")
    (base, ours) = (next(iter(fabric.items(path).values())) for path in (FRR, ADVERTISEMENTS))
    fabric.until(lambda: bool(unadvertised(fabric)), "the first Event")
    routes = fabric.create(ADVERTISEMENTS, advertising("routes"))
    fabric.until(lambda: "default" in fabric.items(NADS), "the attachment")
    # A Warning is reported once its state has lasted ten seconds, and only what was reported in between makes a series.
    fabric.until(lambda: len(fabric.events("default")) > len(unadvertised(fabric)), "the Event about these routes")
    fabric.delete(ADVERTISEMENTS, routes)
    fabric.until(lambda: any("series" in each for each in unadvertised(fabric)), "the Event again")
    fabric.patch(FRR, base, {"metadata": {"labels": {"k8s.ovn.org/managed-bgp": "other"}}})
    fabric.patch(ADVERTISEMENTS, ours, {"spec": {"targetVRF": "auto"}})
    fabric.until(lambda: ours["spec"] == fabric.items(ADVERTISEMENTS)[CUDN_ROUTES]["spec"], "what was changed")
    fabric.delete(CUDNS, blue)
    fabric.until(lambda: not fabric.items(ADVERTISEMENTS) and not fabric.items(FRR), "nothing that no network needs")
    process.stop()
    fabric.start("--enable-dynamic-udn-allocation")
    check(api, "ovnguard-reconciler-cluster", "cluster", "own")


def unadvertised(fabric: Fabric) -> list[dict[str, Any]]:
    """Events that the default network needs RouteAdvertisements."""
    return [each for each in fabric.events("default") if each["reason"] == "NoRouteAdvertisements"]


RECORDED = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}


def test_a_zone(api: ApiServer, tmp_path: Path, ovn_zone: Callable[[str], OvnZone], ending: ExitStack) -> None:
    """It repairs rows, counts that, reports, and records that its node has transit routers."""
    serve(api, [*definitions(), *policy_kinds()])
    zone = Zone(api, ovn_zone(NODE), tmp_path)
    files = (*ACCOUNTS[:1], "components/reconciler/policy.yaml", "components/own/node-topology.yaml")
    as_deployed(api, tmp_path, "ovnguard-reconciler", *files)
    zone.create(yaml.safe_load((DEPLOY / f"examples/nodes/{NODE}.yaml").read_text(encoding="utf-8")), NODES)
    zone.annotate(NODE, "k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids", {"cluster_udn_blue": "4"})
    change = {"metadata": {"annotations": {VERSION: None}}}
    assert api.request("PATCH", f"{NODES}/{NODE}", change, MERGE)[0] == 200
    zone.create(cudn("blue", "10.30.0.0/16", **RECORDED))
    Fabric(api, tmp_path).add_default_network()
    zone.kubeconfig = bound_to(api, tmp_path, NODE)
    ending.callback(zone.start("--report", OURS, record=False).stop)
    zone.until(lambda: version(zone) == "2.0", "the annotation")
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "the transit router")
    repaired(zone)
    present(zone.process).stop()
    ending.callback(zone.start("--report", OURS, record=False).stop)
    zone.until(lambda: len([each for each in zone.log_lines() if "watching" in each]) == 2, "the next process")
    repaired(zone)
    check(api, "ovnguard-reconciler", "reconciler", "own")


def repaired(zone: Zone) -> None:
    """Change a row by hand, and wait until the zone has put it back."""
    before = sum("put back" in line for line in zone.log_lines())
    zone.ovn.nbctl("set", "logical_router", "cluster_udn_blue_transit_router", "options:requested-tnl-key=5")
    zone.until(lambda: sum("put back" in line for line in zone.log_lines()) > before, "the repair")


def test_the_webhook_and_the_writers_of_the_ca_bundle(
    api: ApiServer, parts: Parts, tmp_path: Path, ending: ExitStack
) -> None:
    """As on OpenShift: they agree on an authority, and watch what the rules need."""
    replica = Replica(api, tmp_path / "webhook")
    cluster = Deployed(api, Kubectl(parts, api), tmp_path, replica.port, ["openshift-access"])
    ending.enter_context(namespaces(api, [{"metadata": {"name": name}} for name in PLACES - {OURS}]))
    create_crd(api, definition("ClusterVersion", "config.openshift.io", "clusterversions", "Cluster"))
    ending.enter_context(overlay_applied(cluster))
    ending.callback(replica.close)
    replica.start()
    cluster.until_asked()
    replica.stop()
    # the next one finds its authority in both registrations
    replica.start()
    check(api, "ovnguard-webhook", "openshift-access")
    check(api, "ovnguard-ca-bundle")


class Cluster(Bed):
    """A cluster whose user manages DNS."""

    def trouble(self, account: str, useless: str, *options: str | Path) -> None:
        """Run a process twice without the Service and twice with a useless one: each problem is counted."""
        place = f"{SERVICES}/router-default"
        assert self.api.request("DELETE", place)[0] == 200
        for number, problem in enumerate(("does not exist", "does not exist", useless, useless)):
            log = f"{account}-{number}.log"
            with self.running("--mode", "own", *options, log=log, account=account):
                self.until(
                    lambda log=log, problem=problem: any(problem in line for line in self.log_lines(log)), problem
                )
            if number == 1:
                self.balance({"hostname": "no.example.net"})


def test_processes_for_dns(parts: Parts, tmp_path: Path) -> None:
    """A node follows the load balancer, and the leader records its address; both report what prevents it, and count."""
    need(parts, "etcd", "kube-apiserver", "coredns")
    with open_bed(parts, tmp_path, Cluster) as bed:
        bed.authority.names["lb.example.net"] = Name(a=["10.0.0.43"])
        bed.balance({"hostname": "lb.example.net"})
        with bed.following():
            bed.until_written("10.0.0.43")
        bed.trouble(NODE_OF_DNS, "NXDOMAIN", *bed.files())
        check(bed.api, NODE_OF_DNS, "dns", "dns-own")
        bed.choose(objects.infrastructure("GCP", objects.hosted(ingress=["10.0.0.43"])))
        bed.trouble(LEADER_OF_DNS, "no usable load balancer", "--record")
        with bed.running("--mode", "own", "--record", account=LEADER_OF_DNS, log="recording.log"):
            bed.balance({"ip": "10.0.0.44"})
            bed.until(lambda: any("recorded" in line for line in bed.log_lines("recording.log")), "the address")
        check(bed.api, LEADER_OF_DNS, "dns", "dns-own")


def live(bed: RolloutBed) -> None:
    """A new cluster goes back to the release before; one with that release is upgraded from its begin to its end."""
    bed.start()
    settle(bed)
    bed.processes[-1].stop()
    bed.start(release=BEFORE)
    wait_until(lambda: bed.report().get("release") == BEFORE, "a report about the downgrade", 30, bed.processes[-1:])
    if bed.hosted:
        wait_until(Invariants(bed).has_route, "the route", 30, bed.processes[-1:])
        bed.admit_route()
    settle(bed)
    bed.processes[-1].stop()
    bed.guest.request("DELETE", LEASE)
    bed.install(4)
    bed.start()
    upgrade(bed)


@pytest.mark.conformance
def test_the_rollout(guest: ApiServer, bed: RolloutBed) -> None:
    create_crd(guest, definition("Network", "operator.openshift.io", "networks", "Cluster"))
    # Namespaces and definitions of 4.13 exist in every cluster, and stay when the rest of it goes.
    bed.install(4)
    bed.install(4, empty=True)
    bed.kubeconfig = as_deployed(guest, bed.folder, ROLLOUT, *ROLLOUT_FILES)
    live(bed)
    check(guest, ROLLOUT, "rollout", "rollout-own")


@pytest.mark.conformance
def test_the_rollout_in_a_management_cluster(hosted: RolloutBed) -> None:
    hosted.install(4, empty=True)
    hosted.management_kubeconfig = management_user(hosted)
    live(hosted)
    check(hosted.control, MANAGEMENT, "hosted", account=f"{HOSTED}:default")
