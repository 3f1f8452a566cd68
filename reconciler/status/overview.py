"""All parts of the state in one: what is wrong first, then the tables."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.render.as_text import Line, Mark
from ovnguard.reconciler.status.leader_part import leader_part
from ovnguard.reconciler.status.networks_part import networks_part
from ovnguard.reconciler.status.part import NOT_KNOWN, Finding, Part, time_text
from ovnguard.reconciler.status.snapshot import Snapshot
from ovnguard.reconciler.status.versions_part import versions_part
from ovnguard.reconciler.status.webhook_part import webhook_part
from ovnguard.reconciler.status.zones_part import zones_part
from ovnguard.validators.base.json_types import JsonObject

WELL: Final = "all is well"
MOST: Final = 20
"""The maximum number of rows of zones and of networks that are well."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The parts, and the findings of all, the gravest first."""

    seen: Snapshot
    parts: tuple[Part, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong, then what is unknown."""
        unread = (
            Finding(f"unknown: {name} cannot be listed: {listed.fault}", NOT_KNOWN)
            for name, listed in self.seen.lists.items()
            if listed.fault
        )
        found = [each for part in self.parts for each in part.findings]
        return (*(each for each in found if each.runbook != NOT_KNOWN), *unread, *_unknown(found))


def _unknown(found: Sequence[Finding]) -> Iterator[Finding]:
    return (each for each in found if each.runbook == NOT_KNOWN)


def overview_of(seen: Snapshot) -> Overview:
    """Return the state that a snapshot shows."""
    parts = (webhook_part, leader_part, zones_part, networks_part, versions_part)
    return Overview(seen, tuple(part(seen) for part in parts))


def as_lines(overview: Overview) -> Iterator[Line]:
    """Yield the text for people."""
    for text, page in overview.findings:
        yield Line(f"{'' if page == NOT_KNOWN else 'wrong: '}{printable(text)}; see {page}", Mark.DELETE)
    if not overview.findings:
        yield Line(WELL)
    for part in overview.parts:
        yield Line("")
        yield Line(part.title, Mark.HEADING)
        yield from map(Line, _table(part))


def _table(part: Part) -> Iterator[str]:
    left_out = max(0, part.quiet - MOST)
    shown = part.rows[: len(part.rows) - left_out]
    rows = [tuple(map(printable, row)) for row in ((part.heads, *shown) if part.heads else shown)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield f"  {'  '.join(cells)}".rstrip()
    if left_out:
        yield f"  and {left_out} more that are well (-o json lists them)"


def as_json(overview: Overview) -> str:
    """Return the document for programs; null is unknown."""
    document: JsonObject = {
        "ok": not overview.findings,
        "time": time_text(overview.seen.now),
        "findings": [each._asdict() for each in overview.findings],
        **{part.title.lower(): part.data for part in overview.parts},
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
