"""The rules that explain differences: docs/rows.md is made of this table.

A rule names exact tables, rows and columns. Every rule must explain a difference in some recording of OVN-Kubernetes'
own rows, which tests/conformance/test_recorded_rows.py checks.
"""

from typing import Final

from reconciler.plan.comparison.explanation import NO_PACKETS, Explanation, Kind, Pattern
from reconciler.plan.comparison.row_differences import Side

_NETPOL_DEFAULT: Final = r"[^:]+-network-controller:Cluster:clusterPortGroup"

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    Explanation(
        "hairpin-of-policies",
        Kind.OTHER_CONTROLLER,
        "ACLs of priority 1001 that allow packets from the hairpin addresses 169.254.0.5 and fd69::5",
        "They let hairpinned packets past a NetworkPolicy, and no plan has network policies.",
        NO_PACKETS,
        (
            Pattern(
                Side.OBSERVED,
                ("ACL",),
                _NETPOL_DEFAULT + r" \| (from|to)-lport 1001 \(ip4\.src == 169\.254\.0\.5 \|\| ip6\.src == fd69::5\)",
                observed="k8s.ovn.org/owner-type=NetpolDefault",
            ),
        ),
    ),
)
