"""The rules that explain differences: docs/rows.md is made of this table.

A rule names exact tables, rows and columns. Every rule must explain a difference in some recording of OVN-Kubernetes'
own rows, which tests/conformance/test_recorded_rows.py checks.
"""

from typing import Final

from reconciler.plan.comparison.explanation import NO_PACKETS, Explanation, Kind, Pattern
from reconciler.plan.comparison.left_out import Reason
from reconciler.plan.comparison.row_differences import Side
from reconciler.plan.northbound import tables

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
)
