"""A plan, a diff or an audit as one HTML page that needs no network, no script and no other file.

The template escapes every text. Only the stylesheets and `Picture.svgs`, which an XML library has written, are markup;
the page's Content-Security-Policy permits neither scripts nor requests.
"""

import base64
import gzip
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from ovnguard.reconciler.plan.render.as_text import NONE, column_text, counts_text, node_list
from ovnguard.reconciler.plan.render.changes import NetworkChanges, RowChange
from ovnguard.reconciler.plan.render.pictures import Picture

# A longer JSON text is only part of the page as a compressed file.
MAX_SHOWN_JSON: Final = 256 * 1024
_TITLES: Final = MappingProxyType({"insert": "add", "update": "change", "delete": "destroy"})


class Finding(NamedTuple):
    """An error or a note: ``place`` is FILE:LINE:COLUMN, or empty."""

    severity: str
    message: str
    place: str = ""
    rule: str = ""


class Block(NamedTuple):
    """Lines about some nodes, such as a unified diff, in a fixed-width font."""

    title: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a page.

    ``summary`` are its first sentences, ``unchecked`` a line about rules that were not checked and the lines behind it.
    ``networks`` are None where no changes are planned. ``overview`` is the picture of all networks, ``pictures`` are
    those of each. ``json`` is the value behind the page.
    """

    title: str
    summary: Sequence[str]
    findings: Sequence[Finding] = ()
    unchecked: Sequence[str] = ()
    networks: Sequence[NetworkChanges] | None = ()
    overview: Picture | None = None
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    frr: Sequence[Block] = ()
    host: Sequence[Block] = ()
    objects: Sequence[Block] = ()
    audits: Sequence[Block] = ()
    json: str = "{}"


def page_as_html(page: Page) -> str:
    """Return the HTML document."""
    template = _environment().get_template("page.html.j2")
    style = _environment().get_template("page.css").render().strip()
    changes = {each.network: each for each in page.networks or ()}
    networks = [(name, changes.get(name)) for name in {**changes, **page.pictures}]
    return template.render(
        page=page,
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        networks=networks,
        first=next((name for name, _ in networks if name), ""),
        packed=base64.b64encode(gzip.compress(page.json.encode(), 6, mtime=0)).decode(),
        shows_json=len(page.json) <= MAX_SHOWN_JSON,
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ovnguard.reconciler.plan.render", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"titles": _TITLES, "none": NONE}
    environment.filters |= {
        "nodes": lambda nodes: node_list(nodes, whole=True),
        "few_nodes": node_list,
        "counts": counts_text,
        "column": _column,
        "line_kind": _line_kind,
        "total": _total,
        "number": "{:,}".format,
    }
    return environment


def _column(row: RowChange) -> list[str]:
    return [column_text(each, new=row.op == "insert") for each in row.columns]


def _line_kind(line: str) -> str:
    """The class of a line by its sign."""
    return {"+": "insert", "-": "delete", "~": "update", "@": "place"}.get(line.lstrip()[:1], "")


def _total(found: NetworkChanges | None) -> Mapping[str, int]:
    """The numbers of all nodes by operation."""
    counts = found.counts.values() if found is not None else ()
    return {op: sum(each[op] for each in counts) for op in _TITLES}
