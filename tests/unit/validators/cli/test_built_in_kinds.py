"""Kinds that servers have of their own, by the release that began to serve them."""

import pytest

from ovnguard.validators.bundled.catalog import GroupVersionKind
from ovnguard.validators.cli.built_in_kinds import is_built_in, is_namespaced


@pytest.mark.parametrize(
    ("text", "namespaced"),
    [
        ("admissionregistration.k8s.io/v1 MutatingAdmissionPolicy", False),
        ("resource.k8s.io/v1beta2 DeviceTaintRule", False),
        ("resource.k8s.io/v1alpha3 ResourcePoolStatusRequest", False),
        ("scheduling.k8s.io/v1alpha2 PodGroup", True),
        ("certificates.k8s.io/v1 ClusterTrustBundle", False),
        ("certificates.k8s.io/v1 PodCertificateRequest", True),
        ("lifecycle.k8s.io/v1alpha1 EvictionRequest", True),
        ("resource.k8s.io/v1 DeviceTaintRule", False),
        ("scheduling.k8s.io/v1alpha3 CompositePodGroup", True),
        ("scheduling.k8s.io/v1beta1 Workload", True),
        ("storagemigration.k8s.io/v1 StorageVersionMigration", False),
        ("storage.k8s.io/v1 CSINode", False),
    ],
)
def test_kinds_of_1_36_and_1_37(text: str, namespaced: bool) -> None:
    api, kind = text.split()
    group, version = api.split("/")
    known = GroupVersionKind(group, version, kind)
    assert is_built_in(known)
    assert is_namespaced(known) is namespaced


def test_versions_that_no_release_serves() -> None:
    assert not is_built_in(GroupVersionKind("scheduling.k8s.io", "v1alpha4", "PodGroup"))
    assert not is_built_in(GroupVersionKind("lifecycle.k8s.io", "v1", "EvictionRequest"))
