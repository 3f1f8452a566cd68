"""How ovnkube keeps advertised networks apart, from its own configuration."""

from typing import Any

import pytest

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.ovnkube_settings.routed_isolation import Isolation, isolation_of

OPTION = "advertised-udn-isolation-mode"


def daemon(namespace: str = "ovn-kubernetes", **container: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "ovnkube-node", "namespace": namespace},
        "spec": {"template": {"spec": {"containers": [{"name": "c", **container}]}}},
    }


def file(text: str, namespace: str = "openshift-ovn-kubernetes") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "ovnkube-config", "namespace": namespace},
        "data": {"ovnkube.conf": text},
    }


LOOSE = file(f'[ovnkubernetesfeature]\nenable-egress-ip=true\n{OPTION}="loose"\n')
STRICT = file(f"[OVNKubernetesFeature]\n{OPTION}=strict\n")


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([LOOSE], Isolation.LOOSE),
        ([STRICT], Isolation.STRICT),
        ([daemon(args=[f"--{OPTION}=loose"])], Isolation.LOOSE),
        ([daemon(args=[f"--{OPTION}", "loose"])], Isolation.LOOSE),
        ([daemon(command=["sh", "-c", f"ovnkube --{OPTION} loose --v 5"])], Isolation.LOOSE),
        ([daemon(env=[{"name": "OVN_ADVERTISED_UDN_ISOLATION_MODE", "value": "loose"}])], Isolation.LOOSE),
        # what nobody can know, and what ovnkube does not start with
        ([daemon(args=[f"--{OPTION}=$(MODE)"])], None),
        ([daemon(args=[f"--{OPTION}=open"])], None),
        ([file(f"[default]\n{OPTION}=loose\n")], None),
        # a command line overrides the file, but not one of another namespace
        ([LOOSE, daemon("openshift-ovn-kubernetes", args=[f"--{OPTION}=strict"])], Isolation.STRICT),
        ([LOOSE, daemon(args=[f"--{OPTION}=strict"])], None),
        # a tenant's object
        ([file(f"[ovnkubernetesfeature]\n{OPTION}=loose\n", "red")], None),
        ([], None),
    ],
)
def test_value_on_which_ovnkube_agrees(objects, expected):
    view = ObjectsView(objects)
    assert isolation_of(inventory_of(view)) is expected
