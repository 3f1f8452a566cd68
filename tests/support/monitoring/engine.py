"""Prometheus' own engine, as promtool brings it, over a timeline of real scrapes."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.support.monitoring.scrapes import INTERVAL, Scrape, State, Target
from tests.support.paths import ROOT
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

FOLDER: Final = ROOT / "deploy" / "components" / "monitoring"
GROUPS: Final[list[dict[str, Any]]] = yaml.safe_load((FOLDER / "alerts.yaml").read_text(encoding="utf-8"))["spec"][
    "groups"
]
ALERTS: Final[Mapping[str, str]] = {rule["alert"]: rule["expr"] for group in GROUPS for rule in group["rules"]}
HEALTHY_AT: Final = 40
"""Scrapes before a fault: 20 minutes."""
FAULTY: Final = 60
"""Scrapes during a fault: 30 minutes, longer than any alert waits."""
AFTER: Final = 200
"""Scrapes afterwards: 100 minutes, longer than the longest range of an alert."""
_SUBJECTS: Final = {"_dns_": "dns", "_rollout_": "rollout", "_bgp_": "bgp", "layer2": "layer2"}
_WEBHOOK: Final = re.compile(r"ovnk_admission|apiserver_admission|ovnguard-webhook|container=\"webhook\"")


def subject_of(expression: str) -> str:
    """Whose metrics an expression reads: each subject has a test bed of its own."""
    if _WEBHOOK.search(expression):
        return "webhook"
    return next((subject for word, subject in _SUBJECTS.items() if word in expression), "reconciler")


def alerts_of(subject: str) -> set[str]:
    """The names of the alerts of a subject."""
    return {name for name, expression in ALERTS.items() if subject_of(expression) == subject}


def panels_of(*subjects: str) -> Iterator[str]:
    """The expressions of all dashboards about the subjects, as Grafana sends them."""
    for path in sorted(FOLDER.glob("dashboard*.json")):
        for panel in json.loads(path.read_text(encoding="utf-8"))["panels"]:
            expressions = (
                target["expr"].replace("$__rate_interval", f"{4 * INTERVAL}s") for target in panel["targets"]
            )
            yield from (each for each in expressions if subject_of(each) in subjects)


def reconciler(pod: str, container: str = "reconciler") -> dict[str, str]:
    """The labels that the PodMonitor gives a process."""
    namespace = "ovnguard-system"
    job = {"namespace": namespace, "job": f"{namespace}/ovnguard-reconciler", "endpoint": "metrics"}
    return {**job, "pod": pod, "container": container, "instance": f"10.0.0.1:{len(pod)}"}


def webhook(pod: str) -> dict[str, str]:
    """The labels that the ServiceMonitor gives a replica."""
    job = {
        "namespace": "ovnguard-system",
        "job": "ovnguard-webhook",
        "service": "ovnguard-webhook",
        "endpoint": "metrics",
    }
    return {**job, "pod": pod, "container": "webhook", "instance": f"10.1.0.1:{len(pod)}"}


def healthy(labels: Mapping[str, str], state: State) -> Target:
    """A process that is in one state all the time."""
    return Target(labels, [(state, HEALTHY_AT + FAULTY + AFTER)])


def faulty(labels: Mapping[str, str], before: State, fault: State, later: State, during: int = FAULTY) -> Target:
    """A process that has a fault in the middle of the timeline; ``during`` is the number of its scrapes."""
    return Target(labels, [(before, HEALTHY_AT), (fault, during), (later, AFTER)])


def bystanders(replicas: int = 2, during: int = FAULTY) -> list[Target]:
    """A process of the reconciler and replicas of the webhook that answer all the time, and expose nothing."""
    empty = Scrape(0.0, {})
    state = State(empty, empty)
    labels = [reconciler("bystander"), *(webhook(f"bystander{'-too' * number}") for number in range(replicas))]
    return [faulty(each, state, state, state, during) for each in labels]


class Engine:
    """promtool, and a folder for what it reads."""

    def __init__(self, promtool: Path, folder: Path) -> None:
        self._promtool = promtool
        self._folder = folder
        self._rules = folder / "rules.json"
        self._rules.write_text(json.dumps({"groups": GROUPS}), encoding="utf-8")

    def check(self) -> str:
        """What `promtool check rules` says; it reads templates, too."""
        return self._run("check", "rules", "--lint-fatal", str(self._rules))

    def fires(self, targets: Sequence[Target], *alerts: str) -> None:
        """Assert that each of the ``alerts`` begins once and ends once, and that no other one fires."""
        total = max(each.length for each in targets)
        whole = f"[{total * INTERVAL}s:{INTERVAL}s]"
        tests = []
        for name in alerts:
            fires = f'(count(ALERTS{{alertname="{name}",alertstate="firing"}}) or vector(0))'
            tests += [(f"changes({fires}{whole})", 2), (f"max_over_time({fires}{whole})", 1), (fires, 0)]
        others = f'(count(ALERTS{{alertname!~"{"|".join(alerts)}",alertstate="firing"}}) or vector(0))'
        tests.append((f"max_over_time({others}{whole})", 0))
        self._test(targets, [(expression, number, total - 1) for expression, number in tests])

    def shows(self, targets: Sequence[Target], expressions: Sequence[str]) -> None:
        """Assert that each expression has a result while the fault lasts."""
        assert expressions
        at = HEALTHY_AT + FAULTY - 1
        self._test(targets, [(f"clamp_max(count(({each})), 1)", 1, at) for each in expressions])

    def _test(self, targets: Sequence[Target], expected: Sequence[tuple[str, int, int]]) -> None:
        """Run a unit test of rules; ``expected`` are expressions, their single number, and the scrape at which."""
        series = {name: values for each in targets for name, values in each.series().items()}
        test = {
            "interval": f"{INTERVAL}s",
            "input_series": [{"series": name, "values": " ".join(values)} for name, values in series.items()],
            "promql_expr_test": [
                {"expr": expr, "eval_time": f"{at * INTERVAL}s", "exp_samples": [{"labels": "{}", "value": number}]}
                for expr, number, at in expected
            ],
        }
        file = self._folder / "test.json"
        document = {"rule_files": [str(self._rules)], "evaluation_interval": f"{INTERVAL}s", "tests": [test]}
        file.write_text(json.dumps(document), encoding="utf-8")
        self._run("test", "rules", str(file))

    def _run(self, *args: str) -> str:
        done = subprocess.run([self._promtool, *args], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture
def engine(parts: Parts, tmp_path: Path) -> Engine:
    """The engine of the test bed."""
    need(parts, "promtool")
    return Engine(parts["promtool"].tool("promtool"), tmp_path)
