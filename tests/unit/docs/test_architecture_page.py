"""docs/architecture.md: the calls between files are those that the bench counts."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.hops import PAGE, with_hops
from tests.support.paths import ROOT
from tests.support.soak import limit


@limit(60)
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the figures are those of CPython 3.11")
def test_hops_are_up_to_date(generated: Callable[[Path, str, str], None]) -> None:
    bench = [sys.executable, "-m", "tests.bench.hops"]
    figures = subprocess.run(bench, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    page = with_hops(PAGE.read_text(encoding="utf-8"), figures)
    generated(PAGE, page, "python -m tests.bench.hops --update, or make rules after a change of network rules")
