"""A zone next to its plan, in words: its headline, its lines and its JSON value."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import click

from ovnguard.reconciler.plan.comparison.audit import NetworkAudit, ZoneAudit
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side, printable
from ovnguard.reconciler.plan.render.as_text import Line, Mark, column_text
from ovnguard.reconciler.plan.render.changes import ColumnChange
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.list_text import counted

_WORDS: Final[Mapping[Side, str]] = {Side.PLANNED: "missing", Side.OBSERVED: "foreign", Side.BOTH: "changed"}
_SIGNS: Final[Mapping[Side, str]] = {Side.PLANNED: "-", Side.OBSERVED: "+", Side.BOTH: "~"}
_MARKS: Final = {"+ ": Mark.INSERT, "~ ": Mark.UPDATE, "- ": Mark.DELETE}


def print_zone_notes(observed: Mapping[str, Sequence[Row]]) -> None:
    """Print a note for each database that names another zone than the node that it was given for."""
    for node, rows in observed.items():
        names = [str(row.columns.get("name", "")) for row in rows if row.table == "NB_Global"]
        for other in (name for name in names if name not in ("", node)):
            click.echo(f"note: node {node}: the database is that of zone {other}", err=True)


def audit_as_lines(found: ZoneAudit) -> Iterator[Line]:
    """Yield an audit for people."""
    if found.fault:
        yield Line(f"  drift: {found.fault}")
        return
    for each in found.networks:
        yield from _network_lines(each)
    counts = (
        ("rows of other controllers", found.others),
        ("rows of networks that are not planned", found.unplanned),
        ("not judged, because these objects were not collected", found.uncollected),
        ("not judged, because these objects changed during collection", found.changing),
    )
    yield from (Line(f"  {title}: {_counted(numbers)}") for title, numbers in counts if numbers)


def audit_as_json(found: ZoneAudit) -> JsonObject:
    """Return an audit as a JSON value; rules are those of docs/rows.md."""
    networks: JsonObject = {
        each.network: {"drift": [_difference_json(drift) for drift in each.drift], "explained": dict(each.explained)}
        for each in found.networks
    }
    value: JsonObject = {"rowsAsPlanned": found.equal, "networks": networks}
    value |= {"otherControllers": dict(found.others), "unplannedNetworks": dict(found.unplanned)}
    value |= {"notCollected": dict(found.uncollected)} if found.uncollected else {}
    value |= {"changedDuringCollection": dict(found.changing)} if found.changing else {}
    return value | ({"fault": found.fault} if found.fault else {})


def headline(found: ZoneAudit) -> str:
    """Return one line about a zone."""
    if found.fault:
        return "not compared"
    drift = f"{counted(found.drift, 'difference')} without a rule" if found.drift else "no drift"
    return f"{counted(found.equal, 'row')} as planned, {counted(found.explained, 'difference')} explained, {drift}"


def _network_lines(found: NetworkAudit) -> Iterator[Line]:
    """Rows that one side has, and of rows of both the columns, from the observed to the planned value."""
    yield Line(f"  network {printable(found.network)}:")
    last = ""
    for each in found.drift:
        title = printable(f"{each.table} {each.identity}")
        word = "" if each.side is Side.BOTH else f": {_WORDS[each.side]}"
        if word or title != last:
            yield Line(f"    {_SIGNS[each.side]} {title}{word}")
        if each.side is Side.BOTH:
            change = ColumnChange(printable(each.column), printable(each.observed), printable(each.planned))
            yield Line(f"        {column_text(change)}")
        last = title
    if found.explained:
        yield Line(f"    explained by docs/rows.md: {_counted(found.explained)}")


def line_mark(text: str) -> Mark:
    """Return the colour of a line by its sign."""
    return _MARKS.get(text[4:6], Mark.PLAIN)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{printable(name)} {count:,}" for name, count in sorted(counts.items()))


def _difference_json(each: Difference) -> JsonObject:
    value: JsonObject = {"difference": _WORDS[each.side], "table": each.table, "row": each.identity}
    if each.column:
        value["column"] = each.column
    sides = (("observed", Side.OBSERVED, each.observed), ("planned", Side.PLANNED, each.planned))
    return value | {key: text for key, side, text in sides if each.side in (Side.BOTH, side)}
