"""Printing: results on standard output; notes and errors on standard error."""

from collections import Counter
from collections.abc import Mapping, Sequence

import click

from reconciler.apply.files.object_file import StoredChanges
from reconciler.apply.objects.object_owners import title_of
from reconciler.apply.ovn.nbctl import nbctl_script
from reconciler.apply.store_errors import StoreCorruptError, StoreError, StoreUnusableError
from reconciler.commands.manifests import Manifests, PlannedManifests
from reconciler.plan.render.as_text import FEW, changes_as_text
from reconciler.plan.render.mermaid import picture
from reconciler.plan.render.svg import drawing
from reconciler.plan.row_diff import diff
from reconciler.plan.rows import Operation, ZonePlan
from validators.base.json_types import JsonObject
from validators.base.unchecked import summary
from validators.commandline.program import Exit


def print_zones(output: str, zones: Sequence[ZonePlan], texts: Sequence[str], *, one: bool) -> None:
    """Print a plan in the form ``output``; ``texts`` are the zones' own. The file of ``one`` zone has no heading.

    ovn-nbctl commands are those that write the plan into databases without rows of ovnguard.
    """
    if output == "mermaid":
        drawn = picture(zones)
        click.echo(drawn, nl=False)
        if not drawn:
            click.echo("note: no primary Layer2 network to draw", err=True)
    elif output == "frr":
        for zone in zones:
            click.echo(zone.frr if one else f"! ---- {zone.node}\n{zone.frr}", nl=not zone.frr.endswith("\n"))
    elif output == "svg":
        click.echo(drawing(zones), nl=False)
    elif output == "nbctl":
        for zone in zones:
            head = "" if one else f"# ---- node {zone.node}\n"
            click.echo(f"{head}{nbctl_script(diff((), zone.rows))}", nl=False)
    else:
        click.echo("\n".join(texts), nl=False)


class ChangePrinter:
    """Prints the changes of each zone, and at the end the totals."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._totals = Counter[str]()

    def __call__(self, zone: ZonePlan, operations: Sequence[Operation], frr: str) -> None:
        """Print the changes of one zone."""
        counts = Counter[str](operation.op for operation in operations)
        self._totals.update(counts)
        self._totals["nodes"] += bool(operations or frr)
        self._totals["frr"] += bool(frr)
        click.echo(f"node {zone.node}: {_counts(counts) if operations else 'rows up to date'}")
        click.echo(changes_as_text(operations, whole=self._verbose), nl=False)
        if frr:
            click.echo(f"  FRR configuration: {frr}")

    def print_totals(self, objects: StoredChanges | None, *, complete: bool) -> None:
        """Print the changes of ``objects`` and the totals.

        "no changes" requires ``complete``, because the changes of a failed zone are unknown.
        """
        totals = self._totals
        if objects:
            click.echo(objects_diff_as_text(objects, whole=self._verbose), nl=False)
        if totals["nodes"] or objects:
            frr = f"FRR configuration of {totals['frr']} changed"
            tail = f", {object_counts(objects)}" if objects is not None else ""
            click.echo(f"total: {_counts(totals)} on {totals['nodes']} nodes, {frr}{tail}")
        elif complete:
            click.echo("no changes")


def _counts(counts: Counter[str]) -> str:
    return f"{counts['insert']} inserted, {counts['update']} updated, {counts['delete']} deleted"


def object_counts(changes: StoredChanges) -> str:
    """Return the numbers of changed objects as text."""
    return f"objects: {len(changes.added)} added, {len(changes.changed)} changed, {len(changes.removed)} removed"


def objects_diff_as_text(changes: StoredChanges, *, whole: bool) -> str:
    """Return a line of numbers, and one line per object where few change or ``whole``, else one per kind."""
    signed = (("+", changes.added), ("~", changes.changed), ("-", changes.removed))
    names = [(sign, title_of(each)) for sign, objects in signed for each in objects]
    kinds = Counter((sign, str(each["kind"])) for sign, objects in signed for each in objects)
    few = whole or len(names) <= FEW
    lines = (
        [f"{sign} {name}" for sign, name in names] if few else [f"{s} {k:<28} {n:>4}" for (s, k), n in kinds.items()]
    )
    return "".join((f"{object_counts(changes)}\n", *(f"  {line}\n" for line in lines)))


def objects_diff_to_json(changes: StoredChanges) -> JsonObject:
    """Return ``{"added": [...], "changed": [...], "removed": [...]}``, the objects by kind, namespace and name."""
    return {
        "added": list(map(title_of, changes.added)),
        "changed": list(map(title_of, changes.changed)),
        "removed": list(map(title_of, changes.removed)),
    }


def print_remarks(planned: PlannedManifests, *, verbose: bool | None = None) -> None:
    """Print notes and errors of a plan; an error ends with the id of the rule that refuses, if one does.

    The rules that were not checked are one line, or one line each when ``verbose``; None is for a command without -v.
    """
    for note in planned.all_notes if verbose else planned.notes:
        click.echo(f"note: {note}", err=True)
    if planned.unchecked and not verbose:
        hint = "" if verbose is None else " (-v lists them)"
        click.echo(f"note: {summary([each for _, each in planned.unchecked])}{hint}", err=True)
    for error in planned.errors:
        field = f"{error['field']}: " if error["field"] else ""
        rule = f"  [{error['rule']}]" if error["rule"] else ""
        text = f"{error['file']}:{error['line']}:{error['column']}: error: {field}{error['message']}{rule}"
        click.echo(text, err=True)


def print_unreadable(manifests: Manifests) -> int:
    """Print what cannot be read, and return the exit code."""
    for problem in manifests.unreadable:
        click.echo(f"{problem.file}:{problem.line}:{problem.column}: {problem.message}", err=True)
    return Exit.USAGE


def print_failures(failures: Mapping[str, StoreError]) -> int:
    """Print one error per node that failed, and return the exit code."""
    for node, failure in failures.items():
        click.echo(f"error: node {node}: {failure}", err=True)
    return max(map(exit_of, failures.values()), default=Exit.OK)


def print_failure(error: StoreError) -> int:
    """Print the error and return the exit code."""
    click.echo(f"error: {error}", err=True)
    return exit_of(error)


def exit_of(error: StoreError) -> Exit:
    """Return USAGE for a path that cannot be read or written, INTERNAL for a backend that does not work now."""
    return Exit.USAGE if isinstance(error, (StoreCorruptError, StoreUnusableError)) else Exit.INTERNAL
