"""The resources of kinds."""

import pytest

from ovnguard.validators.bundled.catalog import GroupVersionKind
from ovnguard.validators.bundled.resource_names import resource_of


@pytest.mark.parametrize(
    ("kind", "resource"),
    [
        (("", "v1", "Pod"), "pods"),
        (("", "v1", "Endpoints"), "endpoints"),
        (("networking.k8s.io", "v1", "Ingress"), "ingresses"),
        (("networking.k8s.io", "v1", "NetworkPolicy"), "networkpolicies"),
        (("k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition"), "network-attachment-definitions"),
    ],
)
def test_resources_of_kinds(kind: tuple[str, str, str], resource: str) -> None:
    assert resource_of(GroupVersionKind(*kind)) == resource
