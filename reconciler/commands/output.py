"""What `plan` and `apply` say: results on standard output, remarks and complaints on standard error."""

from collections import Counter
from collections.abc import Sequence

import click

from reconciler.apply.ovn.nbctl import nbctl_script
from reconciler.commands.manifests import Inputs, Manifests
from reconciler.plan.diff import diff
from reconciler.plan.render.as_text import changes_as_text
from reconciler.plan.render.mermaid import picture
from reconciler.plan.render.svg import drawing
from reconciler.plan.rows import Operation, ZonePlan
from validators.commandline.program import Exit


def show(output: str, zones: Sequence[ZonePlan], texts: Sequence[str], *, one: bool) -> None:
    """Print a plan in a form; ``texts`` are the zones', and ``one`` zone's file has no heading.

    Commands of ovn-nbctl are those that write it into databases which have nothing of ours.
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


class Teller:
    """Says what was done to each zone, and in the end to all of them."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._totals = Counter[str]()

    def __call__(self, zone: ZonePlan, operations: Sequence[Operation], frr: str) -> None:
        """Tell of one zone."""
        counts = Counter[str](operation.op for operation in operations)
        self._totals.update(counts)
        self._totals["nodes"] += bool(operations or frr)
        self._totals["frr"] += bool(frr)
        click.echo(f"node {zone.node}: {_counts(counts) if operations else 'rows up to date'}")
        click.echo(changes_as_text(operations, whole=self._verbose), nl=False)
        if frr:
            click.echo(f"  FRR configuration: {frr}")

    def sum_up(self, *, complete: bool) -> None:
        """Tell of all zones together; where one failed, nobody can say that nothing changes."""
        totals = self._totals
        if not totals["nodes"] and complete:
            click.echo("no changes")
        elif totals["nodes"]:
            frr = f"FRR configuration of {totals['frr']} changed"
            click.echo(f"total: {_counts(totals)} on {totals['nodes']} nodes, {frr}")


def _counts(counts: Counter[str]) -> str:
    return f"{counts['insert']} inserted, {counts['update']} updated, {counts['delete']} deleted"


def remarks(inputs: Inputs) -> None:
    """Print notes and errors of a plan."""
    for note in inputs.notes:
        click.echo(f"note: {note}", err=True)
    for error in inputs.errors:
        field = f"{error['field']}: " if error["field"] else ""
        click.echo(f"{error['file']}:{error['line']}:{error['column']}: error: {field}{error['message']}", err=True)


def unreadable(manifests: Manifests) -> int:
    """Print what could not be read, and return the exit code."""
    for problem in manifests.unreadable:
        click.echo(f"{problem.file}:{problem.line}:{problem.column}: {problem.message}", err=True)
    return Exit.USAGE
