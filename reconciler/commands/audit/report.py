"""The report of an audit as values: zones by node, and what the plan says about its objects."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.audit.stated import networks_by_namespace, release_of
from ovnguard.reconciler.commands.manifests import Manifests
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests
from ovnguard.reconciler.plan.comparison.audit import ZoneAudit
from ovnguard.reconciler.plan.comparison.row_differences import Difference
from ovnguard.reconciler.plan.comparison.severities import Meaning, worst
from ovnguard.reconciler.plan.render.pictures import Pictures
from ovnguard.reconciler.plan.zone_audit import NOT_PLANNED
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked

_WORST: Final = 5


class Remarks(NamedTuple):
    """What a plan says about its objects."""

    notes: Collection[str] = ()
    errors: Sequence[JsonObject] = ()
    unchecked: Collection[tuple[str, Unchecked]] = ()
    options: Sequence[str] = ()
    networks: frozenset[str] = frozenset()

    @classmethod
    def of(cls, planned: PlannedManifests) -> "Remarks":
        """Return those of a plan."""
        networks = frozenset(each.name for each in planned.desired.candidates)
        return cls(planned.notes, planned.errors, planned.unchecked, planned.unplanned_options, networks)


@dataclass(slots=True)
class AuditReport:
    """What an audit found.

    ``place`` names what was read, ``release`` is the cluster's, '' for an unknown one. ``whole``: all objects of the
    cluster are known, so a network that cannot be planned is a fault of the cluster. ``declared`` are the networks of
    each namespace. ``zones`` and ``failures``, of databases that cannot be read, are by node; notes, errors and
    unchecked rules come once each. ``packets`` are sentences about those that the most severe drifts concern.
    """

    place: str
    release: str
    whole: bool
    nodes: frozenset[str]
    declared: Mapping[str, frozenset[str]] = field(default_factory=dict)
    networks: frozenset[str] = frozenset()
    zones: dict[str, ZoneAudit] = field(default_factory=dict)
    failures: dict[str, StoreError] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    errors: list[JsonObject] = field(default_factory=list)
    unchecked: dict[tuple[str, Unchecked], None] = field(default_factory=dict)
    options: Sequence[str] = ()
    packets: tuple[str, ...] = ()
    pictures: Pictures | None = None

    @classmethod
    def of(cls, place: str, manifests: Manifests, *, whole: bool) -> "AuditReport":
        """Return a report about these objects, without a zone."""
        documents = manifests.documents
        return cls(place, release_of(documents), whole, manifests.node_names, networks_by_namespace(documents))

    def remark(self, remarks: Remarks) -> None:
        """Take over what a plan says about its objects."""
        self.networks |= remarks.networks
        self.notes |= dict.fromkeys(remarks.notes)
        self.errors += [error for error in remarks.errors if error not in self.errors]
        self.unchecked |= dict.fromkeys(remarks.unchecked)
        self.options = remarks.options

    def narrow(self, networks: Collection[str], namespaces: Collection[str]) -> None:
        """Keep only the differences of some networks, and of some namespaces; an empty collection stands for all."""
        if networks:
            self.zones = {node: zone.only(networks) for node, zone in self.zones.items()}
        if namespaces:
            own = frozenset[str]().union(*(self.declared.get(name, ()) for name in namespaces))
            self.zones = {node: zone.of_namespaces(namespaces, own) for node, zone in self.zones.items()}

    @property
    def drifts(self) -> list[tuple[str, Difference]]:
        """Every difference without a rule, with its node."""
        return [(node, each) for node, zone in self.zones.items() for of in zone.networks for each in of.drift]

    @property
    def worst(self) -> tuple[Meaning, ...]:
        """The most severe drifts."""
        return worst(self.drifts, _WORST)

    @property
    def judged(self) -> int:
        """The share of rows that were judged, in percent."""
        judged = sum(zone.equal + zone.drift + zone.explained for zone in self.zones.values())
        return 100 * judged // max(1, judged + self.unjudged)

    @property
    def unjudged(self) -> int:
        """How many rows were not judged."""
        return sum(zone.unjudged for zone in self.zones.values())

    @property
    def is_as_planned(self) -> bool:
        """Whether no zone has drift. In an archive, a zone that nobody can plan has none."""
        if self.whole and self.errors:
            return False
        tolerated = frozenset() if self.whole else {NOT_PLANNED}
        return all(zone.is_as_planned or zone.fault in tolerated for zone in self.zones.values())
