"""The audit of an archive: the databases in it next to the plan of its objects, one node at a time."""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import click

from ovnguard.reconciler.apply.files.must_gather import Collected, Database, MustGather
from ovnguard.reconciler.apply.files.ovsdb_file import DatabaseFile, read_database_file
from ovnguard.reconciler.apply.ovn.northbound_schema import DATABASE
from ovnguard.reconciler.apply.store_errors import ClusteredDatabaseError
from ovnguard.reconciler.commands.audit.packets import packets_of
from ovnguard.reconciler.commands.audit.report import AuditReport, Remarks
from ovnguard.reconciler.commands.manifests import ManifestOptions, UnreadableError, manifests_of
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests, judge_manifests
from ovnguard.reconciler.plan.comparison.audit import ZoneAudit
from ovnguard.reconciler.plan.comparison.coverage import EVERYWHERE, PODS, Coverage
from ovnguard.reconciler.plan.comparison.newer_objects import newer_objects
from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.northbound import PLANNED
from ovnguard.reconciler.plan.zone_audit import audit_zone, expired_networks
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.parallel import in_order
from ovnguard.validators.network.cluster_view import NAMESPACE, POD
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.parse_values import dig, text_of

_CENTRAL: Final = (
    "the archive is of the central mode, before one zone per node: {file} served all nodes, and its rows are not judged"
)
# Between two lines about the progress.
_PAUSE: Final = 5.0


def audit_archive(archive: Path, inputs: ManifestOptions, nodes: Collection[str], jobs: int) -> AuditReport:
    """Compare the databases in ``archive`` with the plan of its objects, in ``jobs`` processes; ``nodes`` limits both,
    unless it is empty.

    Raises StoreError for an archive that cannot be read, and UnreadableError for objects in it.
    """
    with TemporaryDirectory(prefix="ovnguard-audit-") as spool:
        gathered = MustGather(archive, Path(spool))
        collected = gathered.collect()
        if collected.problems:
            raise UnreadableError(collected.problems)
        manifests = replace(inputs.applied_to(manifests_of(collected.documents)), gathered=True)
        report = AuditReport.of(str(archive), manifests, whole=False)
        judged = judge_manifests(manifests, {})
        # a database that no pod served has the name of its node
        places = {name: name for name in manifests.node_names} | dict(_places(collected))
        zones = _Zones(gathered, places, judged, _coverage(collected), tuple(_created(collected)))
        central = dict.fromkeys(collected.central)
        for found in _with_progress(*zones.found(nodes, jobs)):
            central |= dict.fromkeys(filter(None, [found.central]))
            report.notes |= dict.fromkeys(found.notes)
            if found.zone is not None:
                report.zones[found.node] = found.zone
                report.remark(found.remarks)
        report.packets = tuple(packets_of(gathered, places, judged, report.worst))
    if central:
        report.notes[_CENTRAL.format(file=next(iter(central)))] = None
    elif absent := (frozenset(nodes) or manifests.node_names) - report.zones.keys():
        report.notes[f"no Northbound database of node {shortlist(sorted(absent))}"] = None
    return report


class _Found(NamedTuple):
    """What one database shows: its zone next to the plan, or that it is the database ``central`` of all nodes; or why
    it is not judged.
    """

    node: str = ""
    zone: ZoneAudit | None = None
    remarks: Remarks = Remarks()
    notes: tuple[str, ...] = ()
    central: str = ""


@dataclass(slots=True)
class _Zones:
    """The databases of an archive, each compared when its turn comes.

    ``places`` are the nodes by pod, ``created`` all objects with the moment of their creation.
    """

    gathered: MustGather
    places: dict[str, str]
    plan: Callable[[Collection[str] | None], PlannedManifests]
    coverage: Coverage
    created: Sequence[tuple[float, JsonObject]]
    _reading: Iterator[tuple[int, Database]] | None = None

    def found(self, nodes: Collection[str], jobs: int) -> tuple[int, Iterator[_Found]]:
        """Return how many databases there are of these nodes, or of all, and what each shows."""
        pods = [database.pod for database in self.gathered.databases()]
        wanted = [number for number, pod in enumerate(pods) if not nodes or self.places.get(pod) in nodes]
        processes = min(jobs, len(wanted))
        found = map(self._judged, wanted) if processes < 2 else in_order(self._judged, wanted, processes, 1)
        return len(wanted), iter(found)

    def _judged(self, number: int) -> _Found:
        # every process reads forwards, with files of its own
        self._reading = self._reading or enumerate(self.gathered.databases())
        database = next(each for at, each in self._reading if at == number)
        node = self.places.get(database.pod, "")
        if not node:
            return _Found(notes=(f"{database.file}: no pod {database.pod} says which node it is of; not judged",))
        try:
            read = read_database_file(database.stream, database.file)
        except ClusteredDatabaseError:
            return _Found(central=database.file)
        zone = next((str(row.columns.get("name", "")) for row in read.rows if row.table == "NB_Global"), "")
        if read.database != DATABASE:
            return _Found(notes=(f"{database.file}: is the database {printable(read.database)}; not judged",))
        if zone not in ("", node):
            return _Found(central=database.file)
        cut = f"{database.file}: ends in the middle of a transaction, which is left out" if read.is_cut else ""
        return self._compared(node, database, read)._replace(notes=tuple(filter(None, [cut, _lacking(read)])))

    def _compared(self, node: str, database: Database, read: DatabaseFile) -> _Found:
        planned = self.plan((node,))
        desired = planned.desired.with_kept(_unknown(planned.desired, node, self.coverage))
        expired = expired_networks(desired, node, _moment(read.written))
        newer = [obj for moment, obj in self.created if 0 < database.collected < moment]
        coverage = replace(self.coverage, newer=newer_objects(newer), columns=read.schema)
        return _Found(node, audit_zone(desired, node, read.rows, expired, coverage), Remarks.of(planned))


def _with_progress(total: int, results: Iterator[_Found]) -> Iterator[_Found]:
    """Yield the results; of an audit that takes long, tell from time to time how far it is."""
    told = time.monotonic()
    for number, each in enumerate(results, 1):
        yield each
        if time.monotonic() - told >= _PAUSE:
            told = time.monotonic()
            click.echo(f"{number} of {total} databases compared", err=True)


def _lacking(read: DatabaseFile) -> str:
    """The note about planned tables and columns that an older schema lacks, '' for none."""
    found = [table for table in PLANNED if table not in read.schema]
    found += [
        f"{table}.{name}"
        for table, planned in PLANNED.items()
        for name in (planned if table in read.schema else ())
        if name not in read.schema[table]
    ]
    texts = ", ".join(sorted(found))
    return f"the schema {read.version} of the databases has no {texts}; they are not judged" if found else ""


def _moment(milliseconds: int | None) -> datetime:
    """When a database was written; now where it does not say so."""
    return datetime.now(UTC) if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)


def _created(collected: Collected) -> Iterator[tuple[float, JsonObject]]:
    for document in collected.documents:
        created = text_of(dig(document.value, "metadata", "creationTimestamp"))
        try:
            yield datetime.fromisoformat(created).timestamp(), document.value
        except ValueError:
            continue


def _unknown(desired: DesiredState, node: str, coverage: Coverage) -> Iterator[str]:
    """Networks whose rows on ``node`` depend on objects that were not collected: pods, and Uplinks."""
    if not coverage.has("uplinkstates"):
        yield from (each.name for each in desired.candidates if each.network is not None and each.network.uplink)
    if not coverage.has_all(PODS):
        yield from desired.left_out_on(node).idle


def _coverage(collected: Collected) -> Coverage:
    found = {kind.rpartition("/")[2]: names for kind, names in collected.namespaces.items()}
    listed = (each for each in collected.documents if group_kind_of(each.value) == NAMESPACE)
    names = frozenset(each.identity.name for each in listed)
    return Coverage(found | {"namespaces": names | (found.get("namespaces", frozenset()) & {EVERYWHERE})}, whole=False)


def _places(collected: Collected) -> Iterator[tuple[str, str]]:
    """Each pod and its node."""
    for document in collected.documents:
        node = dig(document.value, "spec", "nodeName")
        if group_kind_of(document.value) == POD and isinstance(node, str):
            yield document.identity.name, node
