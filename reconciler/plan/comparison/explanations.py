"""The rules that explain differences: docs/rows.md is made of this table.

A rule names exact tables, rows and columns. Every rule must explain a difference in some recording of OVN-Kubernetes'
own rows, which tests/conformance/test_recorded_rows.py checks.
"""

from typing import Final

from reconciler.plan.comparison.explanation import Explanation

_NETPOL_DEFAULT: Final = r"[^:]+-network-controller:Cluster:clusterPortGroup"

EXPLANATIONS: Final[tuple[Explanation, ...]] = ()
