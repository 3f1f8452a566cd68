"""The differences of a zone as people ask for them: by network, with the rule that explains each, and drift."""

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ovnguard.reconciler.plan.comparison.changed_rows import with_changed_rows
from ovnguard.reconciler.plan.comparison.coverage import EVERYTHING, Coverage, is_of_namespace
from ovnguard.reconciler.plan.comparison.explanation import Explanation, explained
from ovnguard.reconciler.plan.comparison.explanations import EXPLANATIONS
from ovnguard.reconciler.plan.comparison.left_out import NOTHING_LEFT_OUT, LeftOut
from ovnguard.reconciler.plan.comparison.policies import UNKNOWN_POLICIES, PolicyObjects
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side, compare
from ovnguard.reconciler.plan.rows.row import Row

_TOPOLOGY: Final = frozenset({"Logical_Switch", "Logical_Router"})
EMPTY: Final = (
    "the database has no switch and no router: its controller has not written yet, or it is not a zone of this cluster"
)


@dataclass(frozen=True, slots=True)
class NetworkAudit:
    """One network's differences: those without an explanation, and how many each rule explains, by the rule's id."""

    network: str
    drift: tuple[Difference, ...]
    explained: Mapping[str, int]

    def of_namespaces(self, namespaces: Collection[str]) -> "NetworkAudit":
        """Return only the drift of rows that were made for objects of ``namespaces``."""
        found = (each for each in self.drift if any(is_of_namespace(each, name) for name in namespaces))
        return NetworkAudit(self.network, tuple(found), {})


@dataclass(frozen=True, slots=True)
class ZoneAudit:
    """One zone next to its plan.

    ``equal`` counts rows, ``networks`` are those with a difference. ``others`` counts rows of controllers that are not
    planned, ``unplanned`` those of networks that are not planned now, ``uncollected`` those of objects that are not
    known, ``changing`` those of objects that are newer than the database. ``fault`` says why nothing was compared.
    """

    equal: int = 0
    networks: tuple[NetworkAudit, ...] = ()
    others: Mapping[str, int] = field(default_factory=dict)
    unplanned: Mapping[str, int] = field(default_factory=dict)
    uncollected: Mapping[str, int] = field(default_factory=dict)
    changing: Mapping[str, int] = field(default_factory=dict)
    fault: str = ""

    @property
    def drift(self) -> int:
        """The number of differences that no rule explains."""
        return sum(len(each.drift) for each in self.networks)

    @property
    def explained(self) -> int:
        """The number of differences that a rule explains."""
        return sum(sum(each.explained.values()) for each in self.networks)

    @property
    def unjudged(self) -> int:
        """The number of rows that were not judged."""
        return sum(map(sum, (each.values() for each in (self.uncollected, self.changing, self.unplanned))))

    def only(self, networks: Container[str]) -> "ZoneAudit":
        """Return this audit with only the differences of some networks."""
        return replace(self, networks=tuple(each for each in self.networks if each.network in networks))

    def of_namespaces(self, namespaces: Collection[str], networks: Container[str]) -> "ZoneAudit":
        """Return this audit with only the differences of ``networks``, and of rows for objects of ``namespaces``."""
        found = (each if each.network in networks else each.of_namespaces(namespaces) for each in self.networks)
        return replace(self, networks=tuple(each for each in found if each.drift or each.explained))

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
    policies: PolicyObjects = UNKNOWN_POLICIES,
    coverage: Coverage = EVERYTHING,
) -> ZoneAudit:
    """Compare all rows of a zone with its planned rows.

    ``unplanned`` are networks that no plan contains now: their rows in the zone are counted and not judged.
    ``left_out`` is what the plan lacks on purpose, ``policies`` are objects whose rows it lacks,
    ``coverage`` says which objects are known.
    """
    rows, wanted = list(observed), list(coverage.storable(planned))
    if wanted and not any(row.table in _TOPOLOGY for row in rows):
        return ZoneAudit(fault=EMPTY)
    compared = compare(rows, wanted, left_out)
    others, skipped, uncollected, changing = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    drift: dict[str, list[Difference]] = {}
    known: dict[str, Counter[str]] = {}
    for each in compared.differences:
        rule = explained(each, explanations)
        other = policies.owner_of(each.row) if each.side is Side.OBSERVED and each.row is not None else ""
        absent = coverage.uncollected(each)
        if absent:
            uncollected[absent] += 1
        elif other:
            others[other] += 1
        elif each.side is Side.OBSERVED and each.network in unplanned:
            skipped[each.network] += 1
        elif rule is not None:
            known.setdefault(each.network, Counter())[rule.id] += 1
        elif newer := coverage.newer.concerned(each):
            changing[newer] += 1
        else:
            drift.setdefault(each.network, []).append(each)
    networks = tuple(
        NetworkAudit(name, with_changed_rows(drift.get(name, ())), known.get(name, Counter()))
        for name in sorted(drift.keys() | known.keys())
    )
    return ZoneAudit(compared.equal, networks, others, skipped, uncollected, changing)
