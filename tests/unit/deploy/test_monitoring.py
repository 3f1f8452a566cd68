"""Alerts, dashboard and runbooks speak of metrics that there are, and of each other."""

import json
import re

import pytest
import yaml

from reconciler.loop.process.metrics import PREFIX as RECONCILER_PREFIX
from tests.support.paths import ROOT
from webhook.observability.metrics import PREFIX

MONITORING = ROOT / "deploy" / "components" / "monitoring"
RUNBOOKS = ROOT / "docs" / "runbooks"
ALERTS = [
    rule
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text(encoding="utf-8"))["spec"]["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
# Of others: Prometheus itself, the API server (held against a real one in tests/e2e), the kubelet.
FOREIGN = {
    "up",
    "apiserver_admission_webhook_rejection_count",
    "apiserver_admission_webhook_fail_open_count",
    "container_memory_working_set_bytes",
}
LABELS = {"webhook", "operation", "resource", "allowed", "reason", "le", "pod", "topology", "phase"}
_FUNCTIONS = {
    "absent",
    "and",
    "by",
    "histogram_quantile",
    "increase",
    "max",
    "min",
    "offset",
    "or",
    "rate",
    "sum",
    "time",
}


def expressions():
    yield from ((alert["alert"], alert["expr"]) for alert in ALERTS)
    for panel in DASHBOARD["panels"]:
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
    for selector in re.findall(rf"{PREFIX}\w+\{{([^}}]*)\}}", expression):
        assert set(re.findall(r"(\w+)\s*(?:=|!)", selector)) <= LABELS, title


def test_every_metric_of_ours_is_looked_at():
    seen = {name for _, expression in expressions() for name in metrics_of(expression) if name.startswith(PREFIX)}
    assert {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in own_metrics()} == {
        re.sub(r"_(total|bucket)$", "", name) for name in seen
    }


def test_reasons_are_those_of_the_code():
    source = (ROOT / "webhook/admission/handlers.py").read_text(encoding="utf-8")
    for _, expression in expressions():
        for pattern in re.findall(r'reason[=!]~"([^"]*)"', expression):
            for word in filter(None, pattern.split("|")):
                assert f'"{word}"' in source


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert["alert"])
def test_an_alert_has_its_page(alert):
    assert alert["labels"]["severity"] in {"critical", "warning", "info"}
    assert alert["annotations"]["summary"].endswith(".")
    page = ROOT / alert["annotations"]["runbook"]
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


def test_dashboard_is_one():
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    taken = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(taken)) == len(taken)
    for panel in DASHBOARD["panels"]:
        assert panel["description"]
        assert panel["title"]
        assert panel["datasource"]["uid"] == "$datasource"
