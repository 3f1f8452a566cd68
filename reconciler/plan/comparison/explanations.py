"""The rules that explain differences: docs/rows.md is made of this table.

A rule names exact tables, rows and columns. Every rule must explain a difference in some recording of OVN-Kubernetes'
own rows, which tests/conformance/test_recorded_rows.py checks, and tests/functional/test_left_behind.py follows packets
through the rows of both sides.
"""

from typing import Final

from ovnguard.reconciler.plan.comparison.explanation import Explanation, Kind, Pattern
from ovnguard.reconciler.plan.comparison.left_out import Reason
from ovnguard.reconciler.plan.comparison.row_differences import Side
from ovnguard.reconciler.plan.rows.northbound import tables

# Names of pods' ports.
_POD: Final = r"[^ |]+_[^ |]+"

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    Explanation(
        "grace",
        Kind.INTENDED,
        "the rows of a network that the node does not use any more under dynamic allocation, exactly as planned before",
        "OVN-Kubernetes keeps them during the grace period. A minute after it they are drift: `diff` and `verify` know "
        "the time of the condition NodesSelected, `run` what it has seen. `plan` has no clock and shows the time after "
        "it.",
        "networkmanager/nad_controller.go: setMarkedForRemoval, line 227 at 0962a4309867",
        (Pattern(Side.OBSERVED, tables(), r"[^ ].*", left_out=Reason.IDLE),),
    ),
    Explanation(
        "refused-pods",
        Kind.INTENDED,
        "the port of a pod for which the plan has an error, such as an address or a MAC that another port has",
        "OVN-Kubernetes gives pods every MAC that they ask for in the default network. Where only IPv4 has "
        "infrastructure subnets, it gives a pod the management port's IPv6 address. Such a pod would take others' "
        "packets.",
        "ovn/base_network_controller_pods.go: allocatePodAnnotation",
        (Pattern(Side.OBSERVED, ("Logical_Switch_Port",), _POD, left_out=Reason.REFUSED),),
    ),
    Explanation(
        "stranded-pods",
        Kind.INTENDED,
        "the port of a pod on a node that does not exist any more",
        "OVN-Kubernetes leaves it until the pod is deleted. No chassis binds it.",
        "ovn/base_network_controller_pods.go: deletePodLogicalPort",
        (Pattern(Side.OBSERVED, ("Logical_Switch_Port",), _POD, observed="type=remote", left_out=Reason.STRANDED),),
    ),
    Explanation(
        "remote-routers-after-upgrade",
        Kind.EQUIVALENT,
        "the ports of the gateway routers of the cluster's other nodes on the Layer2 switch of a node that has got its "
        "transit router",
        "OVN-Kubernetes leaves them behind. No packet is for them: the transit router has ports to these nodes.",
        "ovn/layer2_user_defined_network_controller.go: addUpdateRemoteNodeEvent",
        (
            Pattern(
                Side.OBSERVED,
                ("Logical_Switch_Port",),
                r"stor-[^ ]+_ovn_layer2_switch_[^ ]+",
                observed="type=remote",
                left_out=Reason.UPGRADED,
            ),
        ),
    ),
    Explanation(
        "nat-of-networks-not-advertised-any-more",
        Kind.EQUIVALENT,
        "the source NAT of an advertised network's packets to nodes and to default services, where the network is not "
        "advertised any more",
        "OVN-Kubernetes leaves it behind. The source NAT of all packets to the node's port gives the same address.",
        "ovn/base_network_controller_user_defined.go: buildUDNEgressSNAT",
        (
            Pattern(
                Side.OBSERVED,
                ("NAT",),
                r"[^ ]+_(?:ovn_cluster_router|transit_router) \| snat [^|]+",
                left_out=Reason.UNADVERTISED,
            ),
        ),
    ),
    Explanation(
        "pods-on-deleted-attachments",
        Kind.INTENDED,
        "the port of a pod on an attachment that is deleted, while another attachment declares its network",
        "OVN-Kubernetes leaves it until the pod is deleted, and so does mode `own`. A new zone does not get it.",
        "ovn/base_network_controller_user_defined.go: removePodForUserDefinedNetwork",
        (Pattern(Side.OBSERVED, ("Logical_Switch_Port",), _POD, left_out=Reason.DETACHED),),
    ),
    Explanation(
        "reservation-beyond-ipv6",
        Kind.INTENDED,
        "the rows of a network with a reservation beyond the first 65,536 addresses of its IPv6 subnet",
        "OVN-Kubernetes never starts it: its databases have only switch, router and groups, while all conditions are "
        "True. The plan has the whole network; `plan` says so, and OVNG-L2-040 warns.",
        "allocator/ip/allocator.go: NewAllocatorCIDRRange",
        (Pattern(Side.PLANNED, tables(), r"[^ ].*", left_out=Reason.UNSTARTED),),
    ),
    Explanation(
        "egress-services-of-primary-networks",
        Kind.INTENDED,
        "policies of priority 101, and members of egresssvc-served-pods, for pods on a primary user-defined network",
        "OVN-Kubernetes acts on the pods' addresses in the default network, from which they send nothing. No condition "
        "and no event says so; `plan` and OVNG-NET-062 do.",
        "ovn/controller/egressservice/egressservice_zone_service.go: createOrUpdateLogicalRouterPoliciesOps, "
        "line 237 at 38f2a4f97f52",
        (
            Pattern(
                Side.OBSERVED,
                ("Logical_Router_Policy",),
                r"ovn_cluster_router \| 101 ip[46]\.src == [^ ]+",
                observed="EgressSVC=",
                left_out=Reason.UNSERVED,
            ),
            Pattern(
                Side.BOTH,
                ("Address_Set",),
                r"default-network-controller:EgressService:egresssvc-served-pods:v[46]",
                ("addresses",),
                left_out=Reason.UNSERVED,
            ),
        ),
    ),
    Explanation(
        "sets-of-deleted-networks",
        Kind.INTENDED,
        "the empty set of pods with an EgressIP of a network that is deleted or that the node does not use any more",
        "OVN-Kubernetes leaves it behind. Nothing refers to it.",
        "ovn/egressip.go: getEgressIPAddrSetDbIDs",
        (
            Pattern(
                Side.OBSERVED,
                ("Address_Set",),
                r"default-network-controller:EgressIP:egressip-served-pods:v[46]:[^ ]+",
                observed="^(?!.*addresses=)",
            ),
        ),
    ),
    Explanation(
        "default-services-of-the-second-family",
        Kind.INTENDED,
        "the route of a user-defined network to the second address of a default service, such as kube-dns",
        "OVN-Kubernetes routes the first address alone, so that pods do not reach the API server or DNS by the second. "
        "All other packets take the same way.",
        "ovn/controller/services/services_controller.go: configureUDNEnabledServiceRoute",
        (
            Pattern(
                Side.PLANNED,
                ("Logical_Router_Static_Route",),
                r"[^ ]+ \| [0-9a-f.:]+ dst-ip [0-9a-f.:]+",
                planned="k8s.ovn.org/udn-enabled-default-service=",
                left_out=Reason.UNROUTED,
            ),
        ),
    ),
    Explanation(
        "subnets-of-deleted-networks",
        Kind.INTENDED,
        "members of the set of advertised subnets: one private subnet that nothing uses for each deleted network whose "
        "set of pods with an EgressIP is left",
        "OVN-Kubernetes leaves the subnets of a deleted network there. No pod has such an address; if another network "
        "uses the subnet without being advertised, OVN drops advertised networks' packets to it.",
        "ovn/udn_isolation.go: advertisedNetworkSubnetsKey",
        (
            Pattern(
                Side.BOTH,
                ("Address_Set",),
                r"default-network-controller:AdvertisedNetwork:advertised-network-subnets:v[46]",
                ("addresses",),
                planned="^$",
                left_out=Reason.DELETED,
            ),
        ),
    ),
    Explanation(
        "excluded-addresses-of-advertised-networks",
        Kind.EQUIVALENT,
        "other_config:exclude_ips of a node's switch",
        "OVN-Kubernetes removes it when it makes the management port, and sets it again when a running network is "
        "advertised. OVN reads it to choose addresses, and no port asks for one.",
        "libovsdb/util/switch.go: UpdateNodeSwitchExcludeIPs, line 28 at cc19b415e589",
        (
            Pattern(
                Side.BOTH,
                ("Logical_Switch",),
                r"[^ ]+",
                ("other_config:exclude_ips",),
                observed=r"^[0-9]+(\.[0-9]+){3}$",
                planned="^$",
            ),
        ),
    ),
)
