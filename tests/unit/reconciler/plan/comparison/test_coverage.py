"""Which rows an archive without some objects cannot judge."""

import pytest

from ovnguard.reconciler.plan.comparison.coverage import Coverage
from ovnguard.reconciler.plan.comparison.identities import IdentifiedRow
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side

SYSTEM = frozenset({"openshift-dns"})
GATHERED = Coverage(
    {"pods": SYSTEM, "services": SYSTEM, "namespaces": SYSTEM, "egressips": frozenset({""})}, whole=False
)


def owned(table: str, owner_type: str, name: str, side: Side = Side.OBSERVED) -> Difference:
    ids = {"k8s.ovn.org/owner-type": owner_type, "k8s.ovn.org/name": name}
    return Difference(side, table, "x", "red", row=IdentifiedRow(table, "x", "red", {"external_ids": ids}))


def port(namespace: str, side: Side = Side.OBSERVED) -> Difference:
    columns = {"external_ids": {"pod": "true", "namespace": namespace}}
    return Difference(
        side, "Logical_Switch_Port", "x", "red", row=IdentifiedRow("Logical_Switch_Port", "x", "red", columns)
    )


def service(namespace: str) -> Difference:
    ids = {"k8s.ovn.org/kind": "Service", "k8s.ovn.org/owner": f"{namespace}/web"}
    return Difference(
        Side.OBSERVED,
        "Load_Balancer",
        "x",
        "red",
        row=IdentifiedRow("Load_Balancer", "x", "red", {"external_ids": ids}),
    )


def column(table: str, identity: str, name: str, observed: str, planned: str = "") -> Difference:
    return Difference(Side.BOTH, table, identity, "red", name, observed, planned)


@pytest.mark.parametrize(
    ("difference", "absent"),
    [
        (port("shop"), "pods of namespace shop"),
        (port("openshift-dns"), ""),
        (port("shop", Side.PLANNED), ""),
        (service("shop"), "services of namespace shop"),
        (service("openshift-dns"), ""),
        (owned("Logical_Router_Policy", "EgressIP", "eip_shop/web-1"), "pods of namespace shop"),
        (owned("NAT", "EgressIP", "eip_openshift-dns/dns"), ""),
        (owned("Logical_Router_Policy", "EgressIP", "EIP-No-Reroute-Pod-To-Pod"), ""),
        (owned("ACL", "UDNIsolation", "OpenPort-shop/web-1"), "pods of namespace shop"),
        (owned("ACL", "UDNIsolation", "DenyPrimaryUDN"), ""),
        (owned("DHCP_Options", "VirtualMachine", "shop/vm"), "pods of namespace shop"),
        (owned("Port_Group", "Namespace", "shop"), "namespace shop"),
        (owned("Port_Group", "Namespace", "openshift-dns"), ""),
        (owned("ACL", "NetworkPolicy", "shop:allow"), "networkpolicies of namespace shop"),
        (owned("ACL", "EgressFirewall", "shop"), "egressfirewalls of namespace shop"),
        (owned("ACL", "AdminNetworkPolicy", "tenants"), "adminnetworkpolicies"),
        (owned("Logical_Router", "ClusterNetworkConnect", "join"), "clusternetworkconnects"),
        (owned("ACL", "AdvertisedNetwork", "advertised-network-subnets"), ""),
        (column("Address_Set", "c:EgressIP:egressip-served-pods:v4:red", "addresses", "10.0.0.1"), "pods"),
        (column("Address_Set", "c:EgressIP:egressip-served-pods:v4:red", "addresses", "10.0.0.1", "10.0.0.2"), ""),
        (column("Address_Set", "c:AdvertisedNetwork:advertised-network-subnets:v4", "addresses", "10.0.0.0/16"), ""),
        (
            column("Load_Balancer", "Service_shop/web_TCP_cluster", "vips:10.96.0.1:80", "x"),
            "endpointslices of namespace shop",
        ),
        (column("Load_Balancer", "Service_shop/web_TCP_cluster", "vips:10.96.0.1:80", "x", "y"), ""),
        (column("NAT", "GR | snat", "external_ip", "10.0.0.1"), ""),
    ],
)
def test_what_the_absence_of_objects_may_explain(difference, absent):
    assert GATHERED.uncollected(difference) == absent
    assert Coverage().uncollected(difference) == ""
