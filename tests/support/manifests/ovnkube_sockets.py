"""Where OVN-Kubernetes keeps the sockets of a node's OVN databases: facts of its manifests, not of deploy/.

All its containers that run OVN mount the folder of the host at /var/run/ovn, where OVN's own programs look for sockets.
Upstream's chart mounts one folder of the host there and at /var/run/openvswitch, and none of the host's /var/run/ovn.
"""

from typing import Final, NamedTuple

MOUNTED_AT: Final = "/var/run/ovn"


class OvnkubeSockets(NamedTuple):
    """``folder`` of the host has the sockets; ``container`` of ``namespace`` runs the Northbound database.

    ``source`` names repository, commit, file and volume.
    """

    folder: str
    namespace: str
    container: str
    source: str


OVNKUBE_SOCKETS: Final = {
    "kubernetes": OvnkubeSockets(
        "/var/run/openvswitch",
        "ovn-kubernetes",
        "nb-ovsdb",
        "ovn-kubernetes 8871cd9, helm/ovn-kubernetes/charts/ovnkube-single-node-zone/templates/"
        "ovnkube-single-node-zone.yaml, volume host-var-run-ovs",
    ),
    "openshift": OvnkubeSockets(
        "/var/run/ovn-ic",
        "openshift-ovn-kubernetes",
        "nbdb",
        "cluster-network-operator 2a6a57fef, bindata/network/ovn-kubernetes/self-hosted/"
        "ovnkube-node.yaml, volume run-ovn",
    ),
}
"""By distribution, which is the name of its overlay."""
DISTRIBUTIONS: Final = {"kubernetes": "kubernetes", "cert-manager": "kubernetes", "openshift": "openshift"}
"""The distribution of each overlay for a cluster with OVN-Kubernetes."""
