"""Printing: results on standard output; notes and errors on standard error."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import click

from ovnguard.reconciler.apply.files.object_file import StoredChanges
from ovnguard.reconciler.apply.foreign_rows import ForeignRow
from ovnguard.reconciler.apply.foreign_rows import as_text as foreign_text
from ovnguard.reconciler.apply.objects.object_owners import title_of
from ovnguard.reconciler.apply.ovn.nbctl import nbctl_script
from ovnguard.reconciler.apply.store_errors import StoreCorruptError, StoreError, StoreUnusableError
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests
from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.render.as_text import (
    FEW,
    SIGNS,
    Line,
    Mark,
    changes_as_lines,
    closing,
    counts_text,
    titled_nodes,
    unplanned_text,
)
from ovnguard.reconciler.plan.render.changes import ZoneChange
from ovnguard.reconciler.plan.render.folding import folded_texts, legend
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked, summary
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.commandline.terminal import use_colour

NO_CHANGES: Final = "no changes"
# Takes the place of the nodes in an error about several.
_NODES: Final = ", \0: "
_STYLES: Final[Mapping[Mark, Mapping[str, Any]]] = {
    Mark.HEADING: {"bold": True},
    Mark.INSERT: {"fg": "green"},
    Mark.UPDATE: {"fg": "yellow"},
    Mark.DELETE: {"fg": "red"},
    Mark.PLACE: {"fg": "cyan"},
}


def print_zones(output: str, planned: PlannedManifests, *, one: bool) -> None:
    """Print a plan in the form ``output``. The file of ``one`` zone has no heading.

    ovn-nbctl commands are those that write the plan into databases without rows of ovnguard.
    """
    zones = planned.plan.zones
    if output == "frr":
        for zone in zones:
            click.echo(zone.frr if one else f"! ---- {zone.node}\n{zone.frr}", nl=not zone.frr.endswith("\n"))
    elif output == "nbctl":
        for zone in zones:
            head = "" if one else f"# ---- node {zone.node}\n"
            click.echo(f"{head}{nbctl_script(diff((), zone.rows))}", nl=False)


def print_changes(
    zones: Sequence[ZoneChange],
    objects: StoredChanges | None = None,
    *,
    whole: bool,
    columns: bool = False,
    fold: bool = True,
) -> None:
    """Print what changes, by network and node, and the changes of ``objects``; see `changes_as_lines`."""
    lines = list(changes_as_lines(zones, whole=whole, columns=columns, fold=fold))
    echo_lines(lines)
    if explained := legend(line.text for line in lines):
        click.echo(explained)
    if objects:
        echo_lines(object_lines(objects, whole=whole))


def closing_line(
    zones: Sequence[ZoneChange], objects: StoredChanges | None = None, unplanned: Sequence[str] = ()
) -> str:
    """Return ``Plan: 7 to add, 6 to change, 7 to destroy on 3 nodes``, or ``Plan: no changes``.

    It counts the networks that are ``unplanned``, too.
    """
    text = closing(zones, _object_counts(objects) if objects else "") or NO_CHANGES
    return f"Plan: {'; '.join(filter(None, (text, unplanned_text(unplanned))))}"


def done_line(zones: Sequence[ZoneChange], objects: StoredChanges | None = None) -> str:
    """Return ``Applied: 7 added, 6 changed, 7 destroyed on 3 nodes``, or ``no changes``."""
    text = closing(zones, _object_counts(objects) if objects else "")
    for plan, done in (("to add", "added"), ("to change", "changed"), ("to destroy", "destroyed")):
        text = text.replace(plan, done)
    return f"Applied: {text}" if text else NO_CHANGES


def echo_lines(lines: Iterable[Line]) -> None:
    """Print lines, in colour where `use_colour` wants it."""
    colour = use_colour("auto")
    for text, mark in lines:
        click.echo(click.style(text, **_STYLES[mark]) if colour and mark in _STYLES else text, color=colour)


def _object_counts(changes: StoredChanges) -> str:
    numbers = {"insert": len(changes.added), "update": len(changes.changed), "delete": len(changes.removed)}
    return f"objects: {counts_text(numbers)}"


def object_lines(changes: StoredChanges, *, whole: bool) -> Iterator[Line]:
    """Yield a line of numbers, and one line per object where few change or ``whole``, else one per kind."""
    ops = (("insert", changes.added), ("update", changes.changed), ("delete", changes.removed))
    names = [(op, title_of(each)) for op, objects in ops for each in objects]
    kinds = Counter((op, str(each["kind"])) for op, objects in ops for each in objects)
    yield Line(_object_counts(changes), Mark.HEADING)
    if whole or len(names) <= FEW:
        yield from (Line(f"  {SIGNS[op]} {printable(name)}", Mark(op)) for op, name in names)
    else:
        yield from (Line(f"  {SIGNS[op]} {kind:<28} {n:>4,}", Mark(op)) for (op, kind), n in kinds.items())


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
    notes, hint = planned.all_notes if verbose else planned.notes, "" if verbose is None else " (-v lists them)"
    print_findings(notes, planned.errors, () if verbose else [each for _, each in planned.unchecked], hint)


def print_findings(
    notes: Iterable[str], errors: Iterable[JsonObject], unchecked: Collection[Unchecked], hint: str = ""
) -> None:
    """Print notes, one line about unchecked rules, which ends with ``hint``, and errors."""
    for note in notes:
        click.echo(f"note: {note}", err=True)
    if unchecked:
        click.echo(f"note: {summary(unchecked)}{hint}", err=True)
    for text in errors_on_nodes(errors):
        click.echo(text, err=True)


def errors_on_nodes(errors: Iterable[JsonObject]) -> Iterator[str]:
    """Yield one line per error; the same one about several nodes is one line."""
    nodes: dict[str, list[str]] = {}
    for error in errors:
        field = f"{error['field']}: " if error["field"] else ""
        rule = f"  [{error['rule']}]" if error["rule"] else ""
        node = str(error["node"])
        message = str(error["message"]).replace(f", node {node}: ", _NODES, 1) if node else str(error["message"])
        text = f"{error['file']}:{error['line']}:{error['column']}: error: {field}{message}{rule}"
        nodes.setdefault(text, []).append(node)
    for text, named in nodes.items():
        each = list(dict.fromkeys(named))
        yield text.replace(_NODES, f", {titled_nodes(each)}: ", 1)


def print_foreign(foreign: Mapping[str, Sequence[ForeignRow]]) -> None:
    """Print a note about rows of other writers that conflict with planned ones."""
    for text in foreign_notes(foreign):
        click.echo(f"note: {text}", err=True)


def foreign_notes(foreign: Mapping[str, Sequence[ForeignRow]]) -> Iterator[str]:
    """Yield notes about rows of other writers; nodes with equal ones are one."""
    texts = {node: [printable(foreign_text(found))] for node, found in foreign.items()}
    for nodes, (text,) in folded_texts(texts):
        yield f"{titled_nodes(nodes)}: {text}; apply changes no row of another writer"


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
