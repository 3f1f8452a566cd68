"""docs/monitoring.md lists the metrics and alerts of the reconciler."""

import re

import pytest
import yaml

from tests.support.paths import ROOT
from tests.support.release.registered_metrics import metrics

PAGE = (ROOT / "docs/monitoring.md").read_text(encoding="utf-8")
COUNTED_ELSEWHERE = ("ovnk_reconcile_dns_", "ovnk_reconcile_rollout_")
"""Metrics that pages of their own list."""


def rows(first: str) -> list[list[str]]:
    """The cells of the table whose first column has that name."""
    (table,) = (each for each in re.findall(r"(?:^\|.+\|\n)+", PAGE, re.MULTILINE) if each.startswith(f"| {first} |"))
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_every_metric_is_explained() -> None:
    listed = {row[0].strip("`").partition("{")[0] for row in rows("metric")}
    others = {f"{prefix}*" for prefix in COUNTED_ELSEWHERE} | {"process_*", "ovnguard_build_info"}
    assert listed - others == {name for name, _ in metrics("reconciler") if not name.startswith(COUNTED_ELSEWHERE)}
    assert others <= listed


def test_every_alert_of_the_reconciler_is_explained() -> None:
    path = ROOT / "deploy/components/monitoring/alerts.yaml"
    (group,) = [
        each
        for each in yaml.safe_load(path.read_text(encoding="utf-8"))["spec"]["groups"]
        if each["name"] == "ovnguard-reconciler"
    ]
    assert [row[0] for row in rows("alert")] == [rule["alert"] for rule in group["rules"]]


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)]+)\)", PAGE))
def test_links_lead_somewhere(target: str) -> None:
    name, _, anchor = target.partition("#")
    found = ROOT / "docs" / name
    assert found.is_file()
    headings = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
    assert not anchor or anchor in {each.lower().replace(" ", "-") for each in headings}
