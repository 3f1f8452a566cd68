"""Rows that OVN-Kubernetes' own controllers wrote, as recorded with all inputs, next to our plan of the same inputs.

``python -m tests.support.recorded_rows [-v] [WORD...]`` counts equal and different rows of every zone: of rows that
both sides have, then those missing in the plan and those that only the plan has.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ovnguard.reconciler.apply.ovn.session import Session
from ovnguard.reconciler.apply.ovn.whole_zone import WholeSchema, decoded_row, whole_schema
from ovnguard.reconciler.commands.manifests import read_manifests
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests, plan_manifests
from ovnguard.reconciler.plan.comparison.explanation import explained
from ovnguard.reconciler.plan.comparison.explanations import EXPLANATIONS
from ovnguard.reconciler.plan.comparison.left_out import LeftOut
from ovnguard.reconciler.plan.comparison.policies import policies_of
from ovnguard.reconciler.plan.comparison.row_differences import Comparison, Difference, Side, compare
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.zone_audit import left_out_of
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.paths import shared_folder
from tests.support.recorded_cluster import recorded_cluster

_FOLDERS = (Path("conformance", "ovnkube-rows"), Path("recordings", "ovnkube-rows"))


@dataclass(frozen=True)
class RecordedZone:
    """The zone of one node in one recording."""

    recording: str
    node: str

    def __str__(self) -> str:
        return f"{self.recording}@{self.node}"


def recorded_zones() -> list[RecordedZone]:
    """Every zone of every recording; none where the recordings are absent."""
    shared = shared_folder()
    if shared is None:
        return []
    files = sorted(file for folder in _FOLDERS for file in (shared / folder).glob("*.json"))
    return [RecordedZone(file.stem, node) for file in files for node in sorted(_read(file)["northbound"])]


def recording(name: str) -> dict[str, Any]:
    """A recording: config, operator, inputs, northbound and complaints."""
    files = (_folder() / folder / f"{name}.json" for folder in _FOLDERS)
    return _read(next(file for file in files if file.is_file()))


@cache
def recorded_schema() -> WholeSchema:
    """The schema of the recorded databases."""
    return whole_schema(_read(_folder() / "peers" / "ovnkube-rows" / "ovn-nb.ovsschema"))


def recorded_rows(zone: RecordedZone) -> list[Row]:
    """What OVN-Kubernetes wrote."""
    schema = recorded_schema()
    tables = recording(zone.recording)["northbound"][zone.node]
    return [decoded_row(schema, table, uuid, row) for table, rows in tables.items() for uuid, row in rows.items()]


def manifests(name: str, folder: Path) -> list[str]:
    """The options for a command that plans the inputs of a recording, which are written into ``folder``."""
    data = recording(name)
    nodes = [each for each in data["inputs"] if each["kind"] == "Node"]
    others = [each for each in recorded_cluster(data) if each["kind"] != "Node"]
    for file, items in (("nodes.json", nodes), ("networks.json", others)):
        (folder / file).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    return ["-f", str(folder / "networks.json"), "--nodes", str(folder / "nodes.json")]


def planned_rows(zone: RecordedZone, folder: Path) -> tuple[Sequence[Row], LeftOut]:
    """What `plan` says of the same inputs, and what it leaves out on purpose."""
    return rows_of_plan(planned(zone, folder).desired, zone.node)


def planned(zone: RecordedZone, folder: Path) -> PlannedManifests:
    """The plan of the same inputs."""
    _, networks, _, nodes = manifests(zone.recording, folder)
    return plan_manifests(read_manifests([networks], [nodes]), {}, (zone.node,))


def rows_of_plan(desired: DesiredState, node: str) -> tuple[Sequence[Row], LeftOut]:
    """The planned rows of a zone, and what is left out on purpose."""
    rows = next((each.rows for each in desired.plan.zones if each.node == node), ())
    return rows, left_out_of(desired, node)


def fill(remote: str, zone: RecordedZone) -> None:
    """Write what OVN-Kubernetes wrote into a live database, under the recorded UUIDs."""
    tables = recording(zone.recording)["northbound"][zone.node]
    inserts = [
        {"op": "insert", "table": table, "uuid": uuid, "row": row}
        for table, rows in tables.items()
        for uuid, row in rows.items()
        if table != "NB_Global"
    ]
    with closing(Session(remote, 30, lambda: False)) as session:
        session.transact(inserts)


@cache
def compared(zone: RecordedZone) -> Comparison:
    """The recorded zone next to the planned one, once in a process.

    Like an audit, it judges neither what is left of networks that a rule refuses, nor rows of other controllers.
    """
    with TemporaryDirectory() as folder:
        found_plan = planned(zone, Path(folder))
    refused = {error["network"] for error in found_plan.errors if error["rule"] and not error["node"]}
    found = compare(recorded_rows(zone), *rows_of_plan(found_plan.desired, zone.node))
    policies = policies_of(ObjectsView(recording(zone.recording)["inputs"]))

    def is_judged(each: Difference) -> bool:
        owned = each.row is not None and policies.owner_of(each.row)
        return each.side is not Side.OBSERVED or not (owned or each.network in refused)

    return replace(found, differences=tuple(filter(is_judged, found.differences)))


def _folder() -> Path:
    shared = shared_folder()
    assert shared is not None, "conformance tests are deselected where this is None"
    return shared


def _read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def rows_of(found: Comparison, side: Side) -> int:
    """The number of rows with a difference on ``side``."""
    return len({(each.table, each.identity) for each in found.differences if each.side is side})


def main(words: list[str]) -> None:
    """Print the counts of every zone whose name holds a word, with -v its unexplained differences."""
    verbose, wanted = "-v" in words, [word for word in words if word != "-v"]
    total = Counter[str]()
    for zone in recorded_zones():
        if wanted and not any(word in str(zone) for word in wanted):
            continue
        found = compared(zone)
        unexplained = [each for each in found.differences if explained(each, EXPLANATIONS) is None]
        counts = Counter(
            equal=found.equal,
            differ=rows_of(found, Side.BOTH),
            missing=rows_of(found, Side.OBSERVED),
            extra=rows_of(found, Side.PLANNED),
            unexplained=len(unexplained),
        )
        total += counts
        print(f"{zone!s:45}{_counts(counts)}")
        for each in unexplained if verbose else ():
            print(f"  {each}")
    print(f"{'total':45}{_counts(total)}")


def _counts(counts: Counter[str]) -> str:
    return "".join(f" {name} {counts[name]:5}" for name in ("equal", "differ", "missing", "extra", "unexplained"))


if __name__ == "__main__":
    main(sys.argv[1:])
