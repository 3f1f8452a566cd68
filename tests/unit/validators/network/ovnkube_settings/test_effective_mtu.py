"""The default network's MTU, from ovnkube's configuration, the network operator's report and its own choice."""

from typing import Any

import pytest

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.ovnkube_settings.effective_mtu import effective_mtu


def operator(transport: str = "Geneve", **config: Any) -> dict[str, Any]:
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "Network",
        "metadata": {"name": "cluster"},
        "spec": {
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": {"transport": transport, **config}},
        },
    }


def reported(mtu: object, name: str = "cluster") -> dict[str, Any]:
    meta = {"name": name}
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Network",
        "metadata": meta,
        "status": {"clusterNetworkMTU": mtu},
    }


def config_map(namespace: str, name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


def file(text: str, namespace: str = "openshift-ovn-kubernetes") -> dict[str, Any]:
    return config_map(namespace, "ovnkube-config", conf=text)


def daemon(**container: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "ovnkube-node", "namespace": "ovn-kubernetes"},
        "spec": {"template": {"spec": {"containers": [{"name": "c", **container}]}}},
    }


HOSTS = config_map("openshift-network-operator", "mtu", mtu="9000")
FILE = file('[default]\nmtu="8901"\n[gateway]\nmode=shared\n')


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([FILE, reported(1400), operator(mtu=1300), HOSTS], 8901),
        ([reported(1400), operator(mtu=1300), HOSTS], 1400),
        ([operator(mtu=1300), HOSTS], 1300),
        ([operator(), HOSTS], 8900),
        ([operator(ipsecConfig={}), HOSTS], 8854),
        ([operator("NoOverlay"), HOSTS], 9000),
        ([daemon(args=["--mtu=1390"])], 1390),
        ([daemon(args=["--mtu", "1390"])], 1390),
        ([daemon(command=["sh", "-c", "ovnkube --mtu 1390 --v 5"])], 1390),
        ([daemon(env=[{"name": "OVN_MTU", "value": "1390"}])], 1390),
        ([FILE, daemon(args=["--mtu=8901"])], 8901),
        # what nobody can know: then the next source counts
        ([FILE, daemon(args=["--mtu=1390"])], None),
        ([file("[gateway]\nmtu=1390\n"), reported(1401)], 1401),
        ([file("[default]\nmtu=0\nmtu=99999\nmtu=many\n"), reported("1400")], None),
        ([daemon(args=["--mtu=$(MTU)"], env=[{"name": "OVN_MTU", "valueFrom": {}}])], None),
        ([reported(1400, "other"), reported(1)], None),
        ([operator()], None),
        ([HOSTS], None),
        # a tenant's object
        ([file("[default]\nmtu=1390\n", "red")], None),
        ([{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "ovnkube-config"}, "data": ["a"]}], None),
        ([], None),
    ],
)
def test_the_first_source_that_shows_the_mtu_counts(objects: list[dict[str, Any]], expected: int | None) -> None:
    view = ObjectsView(objects)
    assert effective_mtu(inventory_of(view)) == expected
