"""The differences of a zone as people ask for them: by network, with the rule that explains each, and drift."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from reconciler.plan.comparison.explanation import Explanation, explained
from reconciler.plan.comparison.explanations import EXPLANATIONS
from reconciler.plan.comparison.identities import IdentifiedRow
from reconciler.plan.comparison.left_out import NOTHING_LEFT_OUT, LeftOut
from reconciler.plan.comparison.row_differences import Difference, Side, compare
from reconciler.plan.rows.row import Row

_TOPOLOGY: Final = frozenset({"Logical_Switch", "Logical_Router"})
EMPTY: Final = (
    "the database has no switch and no router: its controller has not written yet, or it is not a zone of this cluster"
)
_OWNER_TYPE: Final = "k8s.ovn.org/owner-type"
# Network policies of all kinds, egress firewalls, quality of service, multicast, hybrid overlay.
_TYPES: Final = frozenset(
    {
        "AdminNetworkPolicy",
        "BaselineAdminNetworkPolicy",
        "EgressFirewall",
        "EgressFirewallDNS",
        "EgressQoS",
        "HybridNodeRoute",
        "MulticastCluster",
        "MulticastNS",
        "Namespace",
        "NetpolNamespace",
        "NetworkPolicy",
        "NetworkPolicyPortIndexOwnerType",
        "NetworkQoS",
        "PodSelector",
    }
)
# Templates of load balancers, and samples of observed packets.
_TABLES: Final = frozenset({"Chassis_Template_Var", "Sample", "Sample_Collector", "Sampling_App"})


@dataclass(frozen=True, slots=True)
class NetworkAudit:
    """One network's differences: those without an explanation, and how many each rule explains, by the rule's id."""

    network: str
    drift: tuple[Difference, ...]
    explained: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ZoneAudit:
    """One zone next to its plan.

    ``equal`` counts rows, ``networks`` are those with a difference. ``others`` counts rows of controllers that are not
    planned, ``unplanned`` those of networks that are not planned now. ``fault`` says why nothing was compared.
    """

    equal: int = 0
    networks: tuple[NetworkAudit, ...] = ()
    others: Mapping[str, int] = field(default_factory=dict)
    unplanned: Mapping[str, int] = field(default_factory=dict)
    fault: str = ""

    @property
    def drift(self) -> int:
        """The number of differences that no rule explains."""
        return sum(len(each.drift) for each in self.networks)

    @property
    def is_as_planned(self) -> bool:
        """Whether every difference is explained."""
        return not self.drift and not self.fault


def audit(
    observed: Iterable[Row],
    planned: Iterable[Row],
    unplanned: Container[str] = frozenset(),
    explanations: Sequence[Explanation] = EXPLANATIONS,
    left_out: LeftOut = NOTHING_LEFT_OUT,
) -> ZoneAudit:
    """Compare all rows of a zone with its planned rows.

    ``unplanned`` are networks that no plan contains now: their rows in the zone are counted and not judged.
    ``left_out`` is what the plan lacks on purpose.
    """
    rows, wanted = list(observed), list(planned)
    if wanted and not any(row.table in _TOPOLOGY for row in rows):
        return ZoneAudit(fault=EMPTY)
    compared = compare(rows, wanted, left_out)
    others, skipped = Counter[str](), Counter[str]()
    drift: dict[str, list[Difference]] = {}
    known: dict[str, Counter[str]] = {}
    for each in compared.differences:
        rule = explained(each, explanations)
        other = other_controller(each.row) if each.side is Side.OBSERVED and each.row is not None else ""
        if other:
            others[other] += 1
        elif each.side is Side.OBSERVED and each.network in unplanned:
            skipped[each.network] += 1
        elif rule is not None:
            known.setdefault(each.network, Counter())[rule.id] += 1
        else:
            drift.setdefault(each.network, []).append(each)
    networks = tuple(
        NetworkAudit(name, tuple(drift.get(name, ())), known.get(name, Counter()))
        for name in sorted(drift.keys() | known.keys())
    )
    return ZoneAudit(compared.equal, networks, others, skipped)


def other_controller(row: IdentifiedRow) -> str:
    """Return the controller of a row that no plan contains, '' for a row that a plan could contain.

    Source: ovn-kubernetes, ``pkg/libovsdb/ops/db_object_types.go`` (owner types), ``pkg/ovn/controller/services``,
    ``pkg/ovn/controller/apbroute`` and ``pkg/ovn/controller/observability``.
    """
    if row.table in _TABLES:
        return row.table
    owner_type = row.entry("external_ids", _OWNER_TYPE)
    if owner_type in _TYPES:
        return owner_type
    if row.table == "Logical_Router_Static_Route" and row.entry("options", "ecmp_symmetric_reply") == "true":
        return "AdminPolicyBasedExternalRoute"
    return ""
