"""Which metrics docs/monitoring.md promises of which process."""

import re

from tests.support.monitoring.scrapes import Scrape
from tests.support.paths import ROOT

_PAGE = (ROOT / "docs/monitoring.md").read_text(encoding="utf-8")


def promised(*processes: str) -> set[str]:
    """The metrics of all processes, and of those whose cell in the table is one of ``processes``."""
    rows = re.findall(r"^\| `(\w+\*?)[^|]*\| ([^|]+) \|", _PAGE, re.MULTILINE)
    assert {*processes} <= {process for _, process in rows}
    return {name for name, process in rows if process in ("all", *processes)} - {"process_*"}


def exposed(found: Scrape) -> set[str]:
    """The metrics that a process registers, without those of the client library."""
    return {name for name in found.families if not name.startswith("process_") and not name.endswith("_created")}
