"""The folders of an interconnect upgrade: which files they have, where these come from, what is in them."""

from dataclasses import replace

import pytest

from reconciler.rollout.plan.folders import FILES, IPSEC_LEGACY_PATH, IPSEC_PATHS, PREPULLER_PATH, link_of, path
from reconciler.rollout.plan.manifests.render import manifests_of
from reconciler.rollout.plan.manifests.values import ManifestValues
from reconciler.rollout.plan.model import Flavour, Folder

VALUES = ManifestValues("4.14.20", "ovn:1", ("10.0.0.1", "10.0.0.2", "10.0.0.3"))
HOSTED = replace(VALUES, hosted="clusters-blue", control_plane_image="control:1", route_host="sbdb.example.org")


def found(folder, values=VALUES):
    """The objects by kind and name."""
    flavour = Flavour.MANAGED if values.hosted else Flavour.SELF_HOSTED
    made = [each for file in FILES[flavour][folder] for each in manifests_of(path(flavour, folder, file), values)]
    return {f"{each.document['kind']} {each.document['metadata']['name']}": each for each in made}


def containers(manifest):
    return {each["name"]: each for each in manifest.document["spec"]["template"]["spec"]["containers"]}


def images_of(manifest):
    return {each["image"] for each in containers(manifest).values()}


def text(manifest):
    return [" ".join(each["command"]) for each in containers(manifest).values()]


@pytest.mark.parametrize(("flavour", "folder"), [(flavour, folder) for flavour in Flavour for folder in Folder])
def test_every_file_has_objects(flavour, folder):
    values = HOSTED if flavour is Flavour.MANAGED else VALUES
    for file in FILES[flavour][folder]:
        assert manifests_of(path(flavour, folder, file), values), file


@pytest.mark.parametrize("flavour", Flavour)
def test_the_folder_between_is_the_final_one_and_what_of_the_single_zone_it_keeps(flavour):
    single, between, multi = (set(FILES[flavour][each]) for each in (Folder.SINGLE, Folder.TEMPORARY, Folder.FINAL))
    without = set() if flavour is Flavour.MANAGED else {"005-service.yaml"}
    assert between == multi | single - without
    values = HOSTED if flavour is Flavour.MANAGED else VALUES
    for file in between:
        link = link_of(Folder.TEMPORARY, file)
        if link is None:
            assert file == "alert-rules-control-plane.yaml"
            continue
        source = link.removeprefix("..")
        assert manifests_of(f"{flavour}{source}", values) == manifests_of(path(flavour, Folder.TEMPORARY, file), values)


def test_files_of_the_single_zone_are_not_in_the_final_folder():
    for flavour in Flavour:
        assert "ovnkube-master.yaml" not in FILES[flavour][Folder.FINAL]
        assert "008-route.yaml" not in FILES[flavour][Folder.FINAL]
    with pytest.raises(KeyError):
        manifests_of("managed/multi-zone-interconnect/008-route.yaml", HOSTED)


@pytest.mark.parametrize("values", [VALUES, HOSTED], ids=[*Flavour])
def test_the_masters_are_the_same_in_both_phases(values):
    kind = "StatefulSet" if values.hosted else "DaemonSet"
    single, between = (found(folder, values)[f"{kind} ovnkube-master"] for folder in (Folder.SINGLE, Folder.TEMPORARY))
    assert single == between
    assert single.control
    assert single.document["metadata"]["namespace"] == (values.hosted or "openshift-ovn-kubernetes")


def test_containers_of_nodes_and_masters():
    single = found(Folder.SINGLE)
    common = ["ovn-controller", "ovn-acl-logging", "kube-rbac-proxy-node", "kube-rbac-proxy-ovn-metrics"]
    assert list(containers(single["DaemonSet ovnkube-node"])) == [*common, "ovnkube-node"]
    assert list(containers(single["DaemonSet ovnkube-master"])) == [
        "northd", "nbdb", "sbdb", "ovnkube-master", "ovn-dbchecker", "kube-rbac-proxy",
    ]  # fmt: skip
    multi = found(Folder.FINAL)
    own = ["northd", "nbdb", "sbdb", "ovnkube-controller"]
    assert list(containers(multi["DaemonSet ovnkube-node"])) == [*common, *own]
    assert list(containers(multi["Deployment ovnkube-control-plane"])) == ["ovnkube-cluster-manager"]


@pytest.mark.parametrize(("folder", "interconnect"), [(Folder.SINGLE, True), (Folder.LEGACY, False)])
def test_every_workload_of_4_14_runs_interconnect_and_none_before(folder, interconnect):
    objects = [*found(folder).values()]
    workloads = [each for each in objects if each.document["metadata"]["name"] in ("ovnkube-node", "ovnkube-master")]
    assert len(workloads) == 2
    for each in workloads:
        assert any("--enable-interconnect" in line for line in text(each)) is interconnect
        assert each.document["metadata"]["annotations"]["release.openshift.io/version"] == "4.14.20"


def test_databases_of_a_zone_of_its_own_are_apart_from_those_of_the_masters():
    """A master runs both until the upgrade ends."""

    def folders(manifest):
        volumes = manifest.document["spec"]["template"]["spec"]["volumes"]
        return {each["name"]: each["hostPath"]["path"] for each in volumes if "hostPath" in each}

    node, master = (
        found(Folder.TEMPORARY)["DaemonSet ovnkube-node"],
        found(Folder.TEMPORARY)["DaemonSet ovnkube-master"],
    )
    assert {name for name, path in folders(node).items() if path in folders(master).values()} == {"node-log"}
    assert all(
        each.startswith("unix:") for line in text(node) if "--ovnnb-db=" in line for each in line.split("db=")[1:]
    )


def test_a_node_of_a_hosted_cluster_reaches_the_masters_by_the_route_or_a_port():
    by_route = text(found(Folder.SINGLE, HOSTED)["DaemonSet ovnkube-node"])
    assert any("--sb-address=ssl:sbdb.example.org:443" in line and "--nb-address" not in line for line in by_route)
    ported = replace(HOSTED, node_port=30042)
    objects = found(Folder.SINGLE, ported)
    assert "Route ovnkube-sbdb" not in objects
    service = objects["Service ovnkube-master-external"].document["spec"]
    assert (service["type"], [each.get("nodePort") for each in service["ports"]]) == ("NodePort", [None, 30042])
    assert any("ssl:10.0.0.1:30042,ssl:10.0.0.2:30042" in line for line in text(objects["DaemonSet ovnkube-node"]))


def test_the_route_passes_tls_through_to_the_service_of_its_folder():
    objects = found(Folder.TEMPORARY, HOSTED)
    route = objects["Route ovnkube-sbdb"].document
    assert route["spec"]["tls"]["termination"] == "passthrough"
    assert f"Service {route['spec']['to']['name']}" in objects
    assert route["spec"]["port"]["targetPort"] in [
        each["targetPort"] for each in objects["Service ovnkube-master-external"].document["spec"]["ports"]
    ]


def test_masters_in_ipv6_have_brackets():
    master = text(found(Folder.SINGLE, replace(VALUES, masters=("fd00::1",)))["DaemonSet ovnkube-master"])
    assert any("--nb-address=ssl:[fd00::1]:9641" in line for line in master)


def test_the_control_plane_has_its_replicas_and_replaces_one_after_the_other():
    spec = found(Folder.FINAL, replace(VALUES, control_plane_replicas=3))["Deployment ovnkube-control-plane"].document[
        "spec"
    ]
    assert spec["replicas"] == 3
    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


def test_workloads_record_the_mode_of_ip_families():
    node = found(Folder.FINAL, replace(VALUES, ip_families="dual-stack"))["DaemonSet ovnkube-node"].document
    assert node["metadata"]["annotations"]["networkoperator.openshift.io/ip-family-mode"] == "dual-stack"


def test_nodes_roll_a_tenth_at_a_time():
    for folder in Folder:
        spec = found(folder)["DaemonSet ovnkube-node"].document["spec"]
        assert spec["updateStrategy"] == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}


def test_the_budget_keeps_a_majority_of_the_databases():
    assert found(Folder.SINGLE)["PodDisruptionBudget ovn-raft-quorum-guard"].document["spec"]["minAvailable"] == 2
    assert "PodDisruptionBudget ovn-raft-quorum-guard" not in found(
        Folder.SINGLE, replace(VALUES, masters=("10.0.0.1",))
    )


def test_hosted_control_planes_have_images_of_their_own_and_nodes_do_not():
    objects = found(Folder.TEMPORARY, HOSTED)
    images = {name: images_of(each) for name, each in objects.items() if "template" in each.document["spec"]}
    assert images.pop("DaemonSet ovnkube-node") == {"ovn:1"}
    assert set(map(frozenset, images.values())) == {frozenset({"control:1"})}
    assert {each.document["metadata"]["namespace"] for each in objects.values() if each.control} == {"clusters-blue"}


def test_common_manifests_are_on_nodes():
    (puller,) = manifests_of(PREPULLER_PATH, HOSTED)
    assert (puller.document["metadata"]["name"], puller.control) == ("ovnkube-upgrades-prepuller", False)
    assert images_of(puller) == {"ovn:1"}
    names = [
        each.document["metadata"]["name"]
        for name in (IPSEC_LEGACY_PATH, *IPSEC_PATHS)
        for each in manifests_of(name, VALUES)
    ]
    assert names == ["ovn-ipsec", "ovn-ipsec-host", "ovn-ipsec-containerized"]
