"""docs/architecture.md: the calls between files are about those that the bench counts."""

import re
import subprocess
import sys

import pytest

from tests.bench.hops import PAGE, with_hops
from tests.support.paths import ROOT
from tests.support.soak import limit

_NOW = re.compile(r"([0-9,]+) \|$", re.MULTILINE)


def figures(page: str) -> list[int]:
    """The last cells of the table."""
    table = page.partition("## Calls between files")[2].partition("\n## ")[0]
    return [int(each.replace(",", "")) for each in _NOW.findall(table)]


@limit(180)
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the figures are those of CPython 3.11")
def test_no_figure_is_off_by_a_tenth() -> None:
    bench = [sys.executable, "-m", "tests.bench.hops"]
    counted = subprocess.run(bench, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    page = PAGE.read_text(encoding="utf-8")
    written, now = figures(page), figures(with_hops(page, counted))
    assert len(now) == 3
    assert written == [pytest.approx(each, rel=0.1) for each in now], "run python -m tests.bench.hops --update"
