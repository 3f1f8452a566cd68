"""docs/exactness.md lists the streams and the known differences of ``make differential``."""

from tests.support.differential.causes import KNOWN
from tests.support.differential.streams import NAMES, TEXTS
from tests.support.paths import ROOT

PAGE = (ROOT / "docs/exactness.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_stream_is_listed() -> None:
    assert [row[0] for row in rows("What is compared")] == list(NAMES)
    assert f"and {len(TEXTS)} short texts" in PAGE


def test_every_known_difference_is_listed_and_they_are_few() -> None:
    listed = [[name, ", ".join(sorted(known.streams)), known.reason] for name, known in KNOWN.items()]
    assert rows("What is known to differ") == listed
    assert len(KNOWN) <= 5
