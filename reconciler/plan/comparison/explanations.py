"""The rules that explain differences: docs/rows.md is made of this table.

A rule names exact tables, rows and columns. Every rule must explain a difference in some recording of OVN-Kubernetes'
own rows, which tests/conformance/test_recorded_rows.py checks.
"""

from typing import Final

from reconciler.plan.comparison.explanation import NO_PACKETS, Explanation, Kind, Pattern
from reconciler.plan.comparison.left_out import Reason
from reconciler.plan.comparison.row_differences import Side
from reconciler.plan.rows.northbound import tables

# Names of pods' ports.
_POD: Final = r"[^ |]+_[^ |]+"

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    Explanation(
        "grace",
        Kind.INTENDED,
        "every row of a network that the node does not use under dynamic allocation",
        "OVN-Kubernetes keeps them during the grace period. `plan` has no clock and shows the time after it.",
        NO_PACKETS,
        (Pattern(Side.OBSERVED, tables(), r"[^ ].*", left_out=Reason.IDLE),),
    ),
    Explanation(
        "refused-pods",
        Kind.INTENDED,
        "the port of a pod for which the plan has an error, such as an address or a MAC that another port has",
        "OVN-Kubernetes gives pods every MAC that they ask for in the default network. Where only IPv4 has "
        "infrastructure subnets, it gives a pod the management port's IPv6 address. Such a pod would take others' "
        "packets.",
        "tests/unit/reconciler/plan/topology/test_pod_ports.py::"
        "test_of_two_pods_that_claim_the_same_the_later_has_no_port",
        (Pattern(Side.OBSERVED, ("Logical_Switch_Port",), _POD, left_out=Reason.REFUSED),),
    ),
    Explanation(
        "stranded-pods",
        Kind.INTENDED,
        "the port of a pod on a node that does not exist any more",
        "OVN-Kubernetes leaves it until the pod is deleted. No chassis binds it.",
        NO_PACKETS,
        (Pattern(Side.OBSERVED, ("Logical_Switch_Port",), _POD, observed="type=remote", left_out=Reason.STRANDED),),
    ),
    Explanation(
        "remote-routers-after-upgrade",
        Kind.EQUIVALENT,
        "the ports of other nodes' gateway routers on the Layer2 switch of a node that has got its transit router",
        "OVN-Kubernetes leaves them behind. No packet is for them: the transit router has ports to these nodes.",
        "tests/functional/wire/test_wire.py::test_gateway_routers_of_all_nodes_answer_to_their_join_addresses",
        (
            Pattern(
                Side.OBSERVED,
                ("Logical_Switch_Port",),
                r"stor-[^ ]+_ovn_layer2_switch_[^ ]+",
                observed="type=remote",
            ),
        ),
    ),
    Explanation(
        "reservation-beyond-ipv6",
        Kind.INTENDED,
        "the rows of a network with a reservation beyond the first 65,536 addresses of its IPv6 subnet",
        "OVN-Kubernetes never starts it: its databases have only switch, router and groups, while all conditions are "
        "True. The plan has the whole network; `plan` says so, and OVNG-L2-040 warns.",
        NO_PACKETS,
        (Pattern(Side.PLANNED, tables(), r"[^ ].*", left_out=Reason.UNSTARTED),),
    ),
    Explanation(
        "egress-services-of-primary-networks",
        Kind.INTENDED,
        "policies of priority 101, and members of egresssvc-served-pods, for pods on a primary user-defined network",
        "OVN-Kubernetes acts on the pods' addresses in the default network, from which they send nothing. No condition "
        "and no event says so; `plan` and OVNG-NET-062 do.",
        "tests/unit/reconciler/plan/services/test_egress_services.py::"
        "test_a_service_of_a_primary_network_is_reported_and_not_planned",
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
        "the empty set of pods with an EgressIP of a network that is deleted",
        "OVN-Kubernetes leaves it behind. Nothing refers to it.",
        NO_PACKETS,
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
        "OVN-Kubernetes routes the first address alone, so that pods do not reach the API server or DNS by the second.",
        "tests/functional/test_layer2_trace.py::test_node_and_its_services_are_reached_through_the_management_port",
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
        "members of the set of advertised subnets",
        "OVN-Kubernetes leaves the subnets of a deleted network there. No pod has such an address; if another network "
        "uses the subnet without being advertised, OVN drops advertised networks' packets to it.",
        "tests/unit/reconciler/plan/topology/test_routed_isolation.py::test_strictly_advertised_networks_are_apart",
        (
            Pattern(
                Side.BOTH,
                ("Address_Set",),
                r"default-network-controller:AdvertisedNetwork:advertised-network-subnets:v[46]",
                ("addresses",),
                planned="^$",
            ),
        ),
    ),
    Explanation(
        "excluded-addresses-of-advertised-networks",
        Kind.EQUIVALENT,
        "other_config:exclude_ips of a node's switch",
        "OVN-Kubernetes removes it when it makes the management port, and sets it again when a running network is "
        "advertised. OVN reads it to choose addresses, and no port asks for one.",
        NO_PACKETS,
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
