"""The metrics of the webhook and of the reconciler, as their modules register them."""

import re
from collections.abc import Iterator
from typing import Final

from tests.support.paths import ROOT

METRICS: Final = {"reconciler": "ovnk_reconcile", "webhook": "ovnk_admission"}
"""What the names of the metrics of a folder begin with: its ``PREFIX``."""


def metrics(folder: str) -> Iterator[tuple[str, str]]:
    """The metrics that the modules of a folder register, as Prometheus names them, each with its kind."""
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).rglob("*metrics.py")))
    for kind, name in re.findall(r'(Counter|Histogram|Gauge)(?:MetricFamily)?\(\s*f"\{PREFIX\}(\w+)"', source):
        yield f"{METRICS[folder]}{name}{'_total' if kind == 'Counter' else ''}", kind.lower()
