"""The fields that a bundle keeps."""

import pytest

from ovnguard.reconciler.apply.bundle.bundled_kinds import BUNDLED
from ovnguard.reconciler.apply.files.must_gather import READ
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES, INPUT_RESOURCES
from ovnguard.reconciler.loop.inputs.policy_resources import OTHER_RESOURCES, POLICY_RESOURCES
from ovnguard.reconciler.plan.bundle.kept_fields import KEPT, kept_fields


def _object(kind: str, **more):
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x", "managedFields": [{}]}, **more}


@pytest.mark.parametrize(
    ("kind", "given", "kept"),
    [
        ("core/pods", {"spec": {"nodeName": "a", "volumes": [1]}}, {"spec": {"nodeName": "a"}}),
        ("core/pods", {"status": {"phase": "Running", "podIP": "10.0.0.1"}}, {"status": {"phase": "Running"}}),
        ("core/pods", {"spec": "text"}, {"spec": None}),
        ("core/nodes", {"status": {"images": [{}], "addresses": [{"a": 1}]}}, {"status": {"addresses": [{"a": 1}]}}),
        (
            "discovery.k8s.io/endpointslices",
            {"endpoints": [{"addresses": ["10.0.0.1"], "hostname": "web", "conditions": {"ready": True}}]},
            {"endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": True}}]},
        ),
        (
            "networking.k8s.io/networkpolicies",
            {"spec": {"podSelector": {}, "subject": {"namespaces": {}}}},
            {"spec": {"subject": {"namespaces": {}}}},
        ),
        (
            "apps/daemonsets",
            {
                "spec": {
                    "template": {
                        "spec": {
                            "containers": [
                                {
                                    "name": "c",
                                    "image": "i",
                                    "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}}],
                                }
                            ]
                        }
                    }
                }
            },
            {"spec": {"template": {"spec": {"containers": [{"name": "c", "env": [{"name": "A", "valueFrom": {}}]}]}}}},
        ),
        (
            "frrk8s.metallb.io/frrconfigurations",
            {"spec": {"raw": {}, "bgp": {"routers": [{"neighbors": [{"asn": 1, "password": "p"}]}]}}},
            {"spec": {"bgp": {"routers": [{"neighbors": [{"asn": 1, "password": "(present)"}]}]}}},
        ),
    ],
)
def test_of_an_object_listed_fields_are_kept(kind, given, kept):
    expected = {"apiVersion": "v1", "kind": "X", "metadata": {"name": "x"}, **kept}
    assert kept_fields(kind, _object("X", **given)) == expected


@pytest.mark.parametrize(
    ("kind", "key", "is_kept"),
    [
        ("core/pods", "k8s.ovn.org/pod-networks", True),
        ("core/pods", "k8s.ovn.org/other", False),
        ("core/nodes", "k8s.ovn.org/hybrid-overlay-node-subnet", True),
        ("core/nodes", "kubectl.kubernetes.io/last-applied-configuration", False),
        ("core/services", "idling.alpha.openshift.io/idled-at", True),
        ("core/services", "service.beta.kubernetes.io/aws-load-balancer-subnets", False),
        ("networking.k8s.io/networkpolicies", "k8s.ovn.org/acl-logging", False),
    ],
)
def test_annotations_are_kept_by_name(kind, key, is_kept):
    obj = _object("X")
    obj["metadata"]["annotations"] = {key: "v"}
    assert kept_fields(kind, obj)["metadata"].get("annotations", {}) == ({key: "v"} if is_kept else {})


def test_the_list_has_what_is_listed_and_what_an_audit_reads():
    listed = {each.kind for each in BUNDLED}
    assert listed == KEPT.keys()
    # no plan reads virtual machines: their pods say what it needs
    assert READ - listed == {"kubevirt.io/virtualmachineinstances"}
    assert listed - READ == {"core/events"}


def test_what_a_loop_reads_is_listed():
    watched = (*DECLARING_RESOURCES, *(each for each, _ in (*INPUT_RESOURCES, *POLICY_RESOURCES, *OTHER_RESOURCES)))
    assert {each.path for each in watched} <= {each.resource.path for each in BUNDLED}
    assert not [each for each in BUNDLED if each.resource.kind == "Secret"]
