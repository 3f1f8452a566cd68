"""docs/webhook.md says what is deployed: webhooks, metrics, alerts, overlays, components."""

import re

import yaml

from ovnguard.webhook.commands.registration import BREAK_GLASS, EXEMPT_LABEL, Client, render
from tests.support.manifests.deploy_manifests import DEPLOY
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "webhook.md"
TEXT = PAGE.read_text(encoding="utf-8")


def tables():
    """The rows of every table by its header, cells stripped."""
    found = {}
    for block in re.findall(r"(?:^\|.+\|\n)+", TEXT, re.MULTILINE):
        head, _, *rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()]
        found[head[0]] = rows
    return found


def hooks():
    texts = render(Client(service=("ovnguard-system", "ovnguard-webhook")))
    return [hook for text in texts for hook in yaml.safe_load(text)["webhooks"]]


def test_table_of_webhooks():
    rows = [row for row in tables()["webhook"] if row[0]]
    documented = {row[0].strip("`"): row[3].strip("*") for row in rows}
    assert documented == {hook["name"]: hook["failurePolicy"] for hook in hooks()}


def test_table_of_operations():
    documented: dict[str, set[str]] = {}
    name = ""
    for row in tables()["webhook"]:
        name = row[0].strip("`") or name
        documented.setdefault(name, set()).update(row[2].split(", "))
    asked = {hook["name"]: {each for rule in hook["rules"] for each in rule["operations"]} for hook in hooks()}
    assert documented == asked


def test_tables_of_files():
    assert {row[0].strip("`") for row in tables()["overlay"]} == {path.name for path in (DEPLOY / "overlays").iterdir()}
    components = {path.name for path in (DEPLOY / "components").iterdir()}
    assert {row[0].strip("`") for row in tables()["component"]} == components


def test_tables_of_metrics_and_alerts():
    source = (ROOT / "webhook/observability/metrics.py").read_text(encoding="utf-8")
    names = re.findall(r'(Counter|Histogram|Gauge)\(\s*f"\{PREFIX\}(\w+)"', source)
    metrics = {f"ovnk_admission{name}{'_total' if kind == 'Counter' else ''}" for kind, name in names}
    assert {row[0].strip("`").partition("{")[0] for row in tables()["metric"]} == metrics
    text = (DEPLOY / "components/monitoring/alerts.yaml").read_text(encoding="utf-8")
    (group,) = [each for each in yaml.safe_load(text)["spec"]["groups"] if each["name"] == "ovnguard-webhook"]
    assert [row[0] for row in tables()["alert"]] == [rule["alert"] for rule in group["rules"]]


def test_ways_past_are_those_of_the_registration():
    assert BREAK_GLASS in TEXT
    assert f"{EXEMPT_LABEL}=" in TEXT
    # the page and overlays/dev change the policy of the first one
    for text in render(Client(service=("ovnguard-system", "ovnguard-webhook"))):
        first, *others = yaml.safe_load(text)["webhooks"]
        assert first["failurePolicy"] == "Fail"
        assert {each["failurePolicy"] for each in others} == {"Ignore"}


def test_links_lead_somewhere():
    headings = {title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)}
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        name, _, anchor = target.partition("#")
        assert not name or (PAGE.parent / name).is_file(), target
        assert name or anchor in headings
