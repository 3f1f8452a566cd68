"""The writes that are still to come."""

from dataclasses import replace

import pytest

from ovnguard.reconciler.rollout.plan.forecast import forecast
from ovnguard.reconciler.rollout.plan.model import ConfigMapVerb, Flavour, Observed, Phase, Route
from ovnguard.validators.network.cluster.release import release_of
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload

NODE = Workload("DaemonSet", "ns", "ovnkube-node", "4.13.9", desired=24, updated=24, available=24)
MASTER = Workload("DaemonSet", "ns", "ovnkube-master", "4.13.9", desired=3, updated=3, available=3)
BEFORE = Observed(release_of("4.14.20"), node=NODE, master=MASTER)


def lines(seen: Observed) -> list[str]:
    found = []
    for each in forecast(seen):
        if each.config_map.verb is not ConfigMapVerb.KEEP:
            found.append(f"{each.phase} {each.config_map.verb} ConfigMap")
        steps = (step for step in each.steps if "alert" not in step.file and "monitor" not in step.file)
        found += [f"{each.phase} {step.action} {'/'.join(step.target.split('/')[-2:])}" for step in steps]
    return found


def test_an_upgrade_of_both_phases():
    assert lines(BEFORE) == [
        "S1 create ConfigMap",
        "S1 apply common",
        "S1 apply self-hosted/common",
        "S1 apply common/pre-puller.yaml",
        "S1 apply single-zone-interconnect/005-service.yaml",
        "S1 apply single-zone-interconnect/ovnkube-node.yaml",
        "S1 remove common/pre-puller.yaml",
        "S3 apply single-zone-interconnect/ovnkube-master.yaml",
        "S4 patch ConfigMap",
        "S4 apply multi-zone-interconnect-tmp/ovnkube-node.yaml",
        "S4 remove single-zone-interconnect/005-service.yaml",
        "S6 apply multi-zone-interconnect-tmp/ovnkube-control-plane.yaml",
        "S8 delete ConfigMap",
        "S8 annotate DaemonSet openshift-ovn-kubernetes/ovnkube-node",
        "S8 remove 4.13/common",
        "S8 remove single-zone-interconnect/ovnkube-master.yaml",
        "S9 release common",
        "S9 release self-hosted/common",
        "S9 release self-hosted/multi-zone-interconnect",
    ]


def test_of_a_hosted_cluster_the_route_goes_right_before_the_masters():
    master = replace(MASTER, kind="StatefulSet")
    found = lines(replace(BEFORE, flavour=Flavour.MANAGED, master=master, route=Route(True, "sbdb.example.org")))
    assert found[-6:-3] == [
        "S8 remove single-zone-interconnect/005-service.yaml",
        "S8 remove single-zone-interconnect/008-route.yaml",
        "S8 remove single-zone-interconnect/ovnkube-master.yaml",
    ]
    assert sum("008-route.yaml" in line for line in found) == 2


def test_an_installation_is_one_pass():
    assert [each.phase for each in forecast(Observed(release_of("4.14.20")))] == [Phase.INSTALL, Phase.STEADY]


def test_a_downgrade_is_masters_then_nodes_then_the_control_plane_goes():
    def of_4_14(kind, name, *, multizone=True):
        mode = "multizone" if multizone else "singlezone"
        return Workload(kind, "ns", name, "4.14.20", True, mode, desired=3, updated=3, available=3)

    seen = Observed(
        release_of("4.13.9"),
        node=of_4_14("DaemonSet", "ovnkube-node"),
        control_plane=of_4_14("Deployment", "ovnkube-control-plane"),
    )
    found = lines(seen)
    workloads = [line for line in found if "ovnkube-" in line and "prepuller" not in line]
    assert workloads == [
        "downgrade apply self-hosted/ovnkube-master.yaml",
        "downgrade apply self-hosted/ovnkube-node.yaml",
        "downgrade remove multi-zone-interconnect/ovnkube-control-plane.yaml",
    ]
    assert not any("ConfigMap" in line for line in found)


@pytest.mark.parametrize("seen", [replace(BEFORE, release=None), replace(BEFORE, config_map={"zone-mode": "foo"})])
def test_what_is_not_understood_has_no_future(seen):
    assert forecast(seen) == ()
