"""The upgrade from 4.13 to one zone per node, on a real API server with nodes of kwok and simulated workloads."""

import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby

import pytest
import yaml

from ovnguard.reconciler.rollout.plan.forecast import forecast
from ovnguard.reconciler.rollout.plan.model import Folder
from tests.support.deployed.go_renderings import GoRenderings
from tests.support.deployed.rollout_bed import (
    BEFORE,
    CONFIG,
    CONFIG_MAPS,
    LEASE,
    NODES,
    OVN,
    PROGRAM,
    RELEASE,
    RolloutBed,
)
from tests.support.deployed.rollout_fixtures import NODE, containers, handed_over, management_user
from tests.support.deployed.rollout_invariants import Invariants, each_phase, kind_of, settle, upgrade
from tests.support.deployed.running import as_deployed
from tests.support.paths import ROOT
from tests.support.soak import limit, sized
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.kwok_controller import Kwok
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

pytestmark = [pytest.mark.conformance, pytest.mark.timing, limit(300)]

COUNT = sized(24, 120)
ACCOUNT = "ovnguard-rollout"
AUDIT_RIGHTS, OWN_RIGHTS = "components/rollout/account.yaml", "components/rollout-own/rights.yaml"


@pytest.fixture(scope="module", autouse=True)
def kubelets(guest: ApiServer, parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    need(parts, "kwok")
    with Kwok(parts.kwok, guest.kubeconfig, tmp_path_factory.mktemp("kubelets") / "kwok"):
        yield


@contextmanager
def policies_in_force(api: ApiServer) -> Iterator[None]:
    """The policies about the upgrade, as deploy/ has them: they know the controller's account as an operator's."""
    documents = yaml.safe_load_all((ROOT / "deploy/base/policies.yaml").read_text(encoding="utf-8"))
    ours = [each for each in documents if each["metadata"]["name"].startswith("interconnect-")]
    assert len(ours) > 6
    place = "/apis/admissionregistration.k8s.io/v1/{}"
    plurals = {"ValidatingAdmissionPolicy": "validatingadmissionpolicies"}
    paths = [place.format(plurals.get(each["kind"], "validatingadmissionpolicybindings")) for each in ours]
    for path, document in zip(paths, ours, strict=True):
        status, answer = api.request("POST", path, document)
        assert status == 201, answer
    begun = {"metadata": {"name": CONFIG}, "data": {"zone-mode": "singlezone"}}

    def refused() -> bool:
        return api.request("POST", f"{CONFIG_MAPS}?dryRun=All", begun)[0] == 422

    try:
        wait_until(refused, "an administrator cannot begin", 30)
        yield
    finally:
        for path, document in zip(paths, ours, strict=True):
            api.request("DELETE", f"{path}/{document['metadata']['name']}")


def running(bed: RolloutBed) -> list[str]:
    """The nodes that kwok runs."""
    nodes = bed.guest.request("GET", NODES)[1]["items"]
    return [each["metadata"]["name"] for each in nodes if each["status"].get("phase") == "Running"]


def test_an_upgrade_writes_what_its_plan_says_in_that_order(bed: RolloutBed, parts: Parts) -> None:
    need(parts, "gotemplate")
    bed.install(COUNT)
    renderings = GoRenderings(bed, parts["gotemplate"])
    wait_until(lambda: len(running(bed)) == COUNT, "kwok runs every node", 60)
    plan = forecast(bed.seen())
    bed.kubeconfig = as_deployed(bed.guest, bed.folder, ACCOUNT, AUDIT_RIGHTS, OWN_RIGHTS)
    with policies_in_force(bed.guest):
        process = bed.start()
        phases = upgrade(bed, each_phase(bed, renderings.look))
    renderings.look()
    assert renderings.phases_of("ovnkube-node") == {*Folder}
    assert Folder.SINGLE in renderings.phases_of("ovnkube-master")
    assert "Forbidden" not in process.log.read_text(encoding="utf-8")
    assert phases == [each for each in ("S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9") if each in phases]
    assert bed.written() == bed.expected(plan)
    assert bed.guest.request("GET", f"{CONFIG_MAPS}/{CONFIG}")[0] == 404
    assert "ovnkube-node" not in containers(bed), "what only 4.13 had is gone"
    handed_over(bed)
    assert bed.guest.request("GET", NODE)[1]["metadata"]["annotations"]["interconnect-upgrade"] == "done"


@pytest.mark.parametrize("seed", range(sized(1, 5)))
def test_a_controller_that_is_killed_ends_where_another_one_does(bed: RolloutBed, seed: int) -> None:
    """As often as it is killed, no write is repeated: the next process goes on where the last one ended."""
    bed.install(sized(6, 24))
    expected = bed.expected(forecast(bed.seen()))
    chance = random.Random(seed)
    # not in the last pass, after which there may be nothing left to do
    moments = sorted(chance.choices(range(len(expected) - 7), k=sized(3, 20)))
    bed.start()

    def kill() -> None:
        if moments and len(bed.written()) >= moments[0]:
            moments.pop(0)
            time.sleep(chance.random() * sized(0.05, 0.5))
            bed.kill()
            bed.start()

    upgrade(bed, kill)
    # a removal that a kill prevents is made up for by the next pass, which may write something else first
    done, removals = bed.written(), [each for each in expected if each.startswith("delete ")]
    assert sorted(each for each in done if each in removals) == sorted(removals)
    assert _without(done, removals) == _without(expected, removals)
    assert moments == []
    handed_over(bed)
    assert containers(bed)[-4:] == ["northd", "nbdb", "sbdb", "ovnkube-controller"]


def _without(names: list[str], others: list[str]) -> list[str]:
    """The names but the others; successive equal ones are one."""
    return [name for name, _ in groupby(name for name in names if name not in others)]


def test_a_hosted_cluster_keeps_its_masters_and_their_route_until_its_nodes_have_zones(
    hosted: RolloutBed, parts: Parts
) -> None:
    need(parts, "gotemplate")
    hosted.install(sized(6, 24))
    renderings = GoRenderings(hosted, parts["gotemplate"])
    plan = forecast(hosted.seen())
    hosted.management_kubeconfig = management_user(hosted)
    process = hosted.start()
    upgrade(hosted, each_phase(hosted, renderings.look))
    renderings.look()
    assert renderings.phases_of("ovnkube-node") == {*Folder}
    assert "Forbidden" not in process.log.read_text(encoding="utf-8")
    assert hosted.report()["phase"] == "S9"
    handed_over(hosted)
    assert hosted.written() == hosted.expected(plan)
    assert not hosted.simulation.workload("ovnkube-master")
    assert not Invariants(hosted).has_route()
    assert hosted.guest.request("GET", f"{CONFIG_MAPS}/{CONFIG}")[0] == 404


def test_a_new_cluster_has_zones_at_once_and_goes_back_to_4_13_in_one_step(bed: RolloutBed) -> None:
    bed.install(3, empty=True)
    bed.start()
    settle(bed)
    assert bed.report()["phase"] == "S9"
    installed = bed.written()
    assert not {each for each in installed if CONFIG in each or each.endswith("/ovnkube-master")}
    bed.processes[-1].stop()
    bed.guest.request("DELETE", LEASE)
    bed.start(release=BEFORE)
    wait_until(lambda: bed.report().get("release") == BEFORE, "a report about the downgrade", 30, bed.processes[-1:])
    settle(bed)
    workloads = ("/ovnkube-master", "/ovnkube-node", "/ovnkube-control-plane")
    assert [each for each in bed.written()[len(installed) :] if each.endswith(workloads)] == [
        "write daemonsets/ovnkube-master",
        "write daemonsets/ovnkube-node",
        "delete deployments/ovnkube-control-plane",
        # they are handed over
        "write daemonsets/ovnkube-master",
        "write daemonsets/ovnkube-node",
    ]
    assert {kind_of(unit) for unit in bed.simulation.workload("ovnkube-node").values()} == {"no interconnect"}
    assert [unit.interconnect for unit in bed.simulation.workload("ovnkube-master").values()] == [False] * 3


def test_what_is_not_understood_is_reported_and_left_alone_until_it_is_put_right(bed: RolloutBed) -> None:
    bed.install(3)
    wrong = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": CONFIG}, "data": {"zone-mode": "foo"}}
    assert bed.guest.request("POST", CONFIG_MAPS, wrong)[0] == 201
    bed.start()
    wait_until(lambda: bed.report().get("phase") == "not-understood", "a report", 30, bed.processes)
    report = bed.report()
    problem = f"ConfigMap {OVN}/{CONFIG}: zone-mode must be singlezone or multizone"
    assert report["waitingFor"] == [problem]
    assert bed.conditions() == {
        "Progressing": ("False", "NotUnderstood", ""),
        "Degraded": ("True", "NotUnderstood", problem),
    }
    assert bed.written() == []
    status = ("rollout", "status", "--release", RELEASE, "--kubeconfig", str(bed.guest.kubeconfig))
    done = subprocess.run([PROGRAM, *status], text=True, capture_output=True, check=False)
    assert (done.returncode, f"waits for: {problem}" in done.stdout.splitlines()) == (1, True)
    assert bed.events() == [("RolloutNotUnderstood", "Warning", problem)]
    assert bed.guest.request("DELETE", f"{CONFIG_MAPS}/{CONFIG}")[0] == 200
    wait_until(lambda: bed.report().get("phase") == "S1", "the upgrade begins", 30, bed.processes)


def test_an_audit_writes_nothing_but_events(bed: RolloutBed) -> None:
    bed.install(3)
    bed.kubeconfig = as_deployed(bed.guest, bed.folder, ACCOUNT, AUDIT_RIGHTS)
    bed.start("--mode", "audit")

    wait_until(lambda: [reason for reason, *_ in bed.events()] == ["RolloutPhase"], "an Event", 30, bed.processes)
    assert bed.written() == []
    assert bed.report() == {}
    assert bed.guest.request("GET", LEASE)[0] == 404
