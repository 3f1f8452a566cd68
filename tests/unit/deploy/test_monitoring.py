"""Alerts, dashboard and runbooks speak of metrics that there are, and of each other."""

import json
import re

import pytest
import yaml

from ovnguard.reconciler.loop.process.metrics import PREFIX as RECONCILER_PREFIX
from ovnguard.webhook.observability.metrics import PREFIX
from tests.support.paths import ROOT

MONITORING = ROOT / "deploy" / "components" / "monitoring"
RUNBOOKS = ROOT / "docs" / "runbooks"
ALERTS = [
    rule
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text(encoding="utf-8"))["spec"]["groups"]
    for rule in group["rules"]
]
DASHBOARDS = {
    path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(MONITORING.glob("dashboard*.json"))
}
REPOSITORY = "REPOSITORY/blob/main/"
"""Where the manifests say that this repository is."""
# Of others: Prometheus itself, its client library, the API server (held against a real one in tests/e2e), the kubelet.
# The last one is of every process.
FOREIGN = {
    "up",
    "apiserver_admission_webhook_rejection_count",
    "apiserver_admission_webhook_fail_open_count",
    "container_memory_working_set_bytes",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "ovnguard_build_info",
}
LABELS = {
    "webhook",
    "operation",
    "resource",
    "allowed",
    "reason",
    "le",
    "topology",
    "phase",
    "result",
    "state",
    "method",
    "code",
}
_FUNCTIONS = {
    "absent",
    "and",
    "by",
    "count",
    "histogram_quantile",
    "increase",
    "max",
    "min",
    "offset",
    "or",
    "rate",
    "sum",
    "time",
    "vector",
}


def expressions():
    yield from ((alert["alert"], alert["expr"]) for alert in ALERTS)
    for panel in (panel for dashboard in DASHBOARDS.values() for panel in dashboard["panels"]):
        yield from ((panel["title"], target["expr"]) for target in panel["targets"])


def own_metrics(folder="webhook", prefix=PREFIX):
    """The names that the modules of a folder give to a registry, with the suffixes of their kinds."""
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).rglob("*metrics.py")))
    suffixes = {"Counter": ("_total",), "Histogram": ("_bucket", "_sum", "_count"), "Gauge": ("",)}
    found = re.findall(r'(Counter|Histogram|Gauge)(?:MetricFamily)?\(\s*f"\{PREFIX\}(\w+)"', source)
    return {f"{prefix}{name}{suffix}" for kind, name in found for suffix in suffixes[kind]}


def metrics_of(expression):
    bare = re.sub(r"\{[^}]*\}|\"[^\"]*\"|\[[^\]]*\]|by \([^)]*\)", " ", expression)
    return set(re.findall(r"\b[a-z_][a-z0-9_]*\b", bare)) - _FUNCTIONS


@pytest.mark.parametrize(("title", "expression"), [*expressions()])
def test_metrics_are_known(title, expression):
    names = metrics_of(expression)
    assert names
    reconciler = own_metrics("reconciler", RECONCILER_PREFIX)
    assert names <= own_metrics() | reconciler | FOREIGN, title


@pytest.mark.parametrize(("title", "expression"), [*expressions()])
def test_brackets_are_closed(title, expression):
    stack = []
    for char in re.sub(r'"[^"]*"', "", expression):
        if char in "([{":
            stack.append({"(": ")", "[": "]", "{": "}"}[char])
        elif char in ")]}":
            assert stack, title
            assert stack.pop() == char, title
    assert not stack, title


@pytest.mark.parametrize(("title", "expression"), [*expressions()])
def test_labels_of_our_metrics_are_known(title, expression):
    for selector in re.findall(rf"(?:{PREFIX}|{RECONCILER_PREFIX})\w+\{{([^}}]*)\}}", expression):
        assert set(re.findall(r"(\w+)\s*(?:=|!)", selector)) <= LABELS, title


def test_every_metric_of_ours_is_looked_at():
    found = {name for _, expression in expressions() for name in metrics_of(expression)}
    seen = {name for name in found if name.startswith((PREFIX, RECONCILER_PREFIX))}
    known = own_metrics() | own_metrics("reconciler", RECONCILER_PREFIX)
    assert {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in known} == {
        re.sub(r"_(total|bucket)$", "", name) for name in seen
    }


def test_reasons_are_those_of_the_code():
    source = (ROOT / "webhook/admission/handlers.py").read_text(encoding="utf-8")
    for _, expression in expressions():
        for pattern in re.findall(rf'{PREFIX}\w+\{{[^}}]*reason[=!]~"([^"]*)"', expression):
            for word in filter(None, pattern.split("|")):
                assert f'"{word}"' in source


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert["alert"])
def test_an_alert_has_its_page(alert):
    assert alert["labels"]["severity"] in {"critical", "warning", "info"}
    assert alert["annotations"]["summary"].endswith(".")
    address = alert["annotations"]["runbook_url"]
    assert address.startswith(REPOSITORY)
    page = ROOT / address.removeprefix(REPOSITORY)
    assert page == RUNBOOKS / f"{alert['alert']}.md"
    assert page.read_text(encoding="utf-8").startswith(f"# {alert['alert']}\n")


def test_a_page_has_its_alert():
    assert {path.stem for path in RUNBOOKS.glob("*.md")} == {alert["alert"] for alert in ALERTS}


@pytest.mark.parametrize("page", sorted(RUNBOOKS.glob("*.md")), ids=lambda page: page.stem)
def test_links_of_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        found = (page.parent / name).resolve()
        assert found.is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, target


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_has_a_place_for_each_panel(name):
    panels = DASHBOARDS[name]["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(taken)) == len(taken)
    for panel in panels:
        assert panel["description"]
        assert panel["title"]
        assert panel["datasource"]["uid"] == "$datasource"


def test_every_dashboard_is_deployed_and_has_an_identity_of_its_own():
    found = yaml.safe_load((MONITORING / "kustomization.yaml").read_text(encoding="utf-8"))
    (generated,) = found["configMapGenerator"]
    assert sorted(each.partition("=")[2] for each in generated["files"]) == sorted(DASHBOARDS)
    assert len({each["uid"] for each in DASHBOARDS.values()}) == len(DASHBOARDS)
