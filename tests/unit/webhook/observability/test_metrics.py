"""Counters: names, labels that stay few, and sums over processes."""

import os
import subprocess
import sys

import pytest

from ovnguard.webhook.admission.review import AdmissionRequest, Limits, decode
from tests.support.admission_reviews import body
from tests.support.paths import ROOT

pytest.importorskip("prometheus_client", reason="the environment is older than the lock file")

WORKER = """
import sys
from tests.support.admission_reviews import body
from ovnguard.webhook.admission.handlers import Answer, Decision
from ovnguard.webhook.observability.metrics import PrometheusTelemetry
from ovnguard.webhook.admission.review import Limits, decode
telemetry = PrometheusTelemetry(lambda: 1000.0 + len(sys.argv), lambda: sys.argv[1:])
review = decode(body(), Limits())
strange = decode(body(resource={"group": "g", "version": "v1", "resource": "x" * 40}), Limits())
telemetry.decided(Decision("/validate", review, Answer(200, {}, "allowed"), 0.002))
denied = Answer(200, {}, "denied", "rules", ("OVNG-T0",), 500)
late = Answer(504, {}, "failed", "timeout")
telemetry.decided(Decision("/validate", review, denied, 0.2))
telemetry.decided(Decision("/mutate", strange, late, 4.0))
telemetry.rejected("validate", 413)
with telemetry.in_flight():
    print(telemetry.exposition()[1])
"""


def worker(folder, *args: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", WORKER, *args],
        cwd=ROOT,
        env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, value in lines}


def test_two_processes_add_up(tmp_path):
    first, second = worker(tmp_path), worker(tmp_path, "second")
    resource = 'resource="clusteruserdefinednetworks"'
    allowed = (
        f'ovnk_admission_requests_total{{allowed="true",operation="CREATE",reason="",{resource},webhook="validate"}}'
    )
    assert (first[allowed], second[allowed]) == (1.0, 2.0)
    denied = allowed.replace('allowed="true"', 'allowed="false"').replace('reason=""', 'reason="rules"')
    assert second[denied] == 2.0
    late = 'allowed="false",operation="CREATE",reason="timeout",resource="other",webhook="mutate"'
    assert second[f"ovnk_admission_requests_total{{{late}}}"] == 2.0
    bad = 'allowed="false",operation="",reason="http-413",resource="other",webhook="validate"'
    assert second[f"ovnk_admission_requests_total{{{bad}}}"] == 2.0
    duration = f'ovnk_admission_duration_seconds_count{{operation="CREATE",{resource},webhook="validate"}}'
    assert second[duration] == 4.0
    assert second[f'ovnk_admission_cel_cost_sum{{{resource},webhook="validate"}}'] == 1000.0
    assert second["ovnk_admission_cert_expiry_timestamp_seconds"] == 1001.0
    # the first process has ended without a word, as a killed one would
    assert first["ovnk_admission_in_flight"] == 1.0


def test_processes_that_have_ended_leave_the_gauges(tmp_path, monkeypatch):
    from ovnguard.webhook.observability import metrics

    monkeypatch.setenv(metrics.FOLDER, str(tmp_path))
    for name in ("gauge_livesum_12.db", "gauge_livemin_12.db", "counter_12.db", "gauge_livesum_112.db"):
        (tmp_path / name).touch()
    metrics.forget(12)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["counter_12.db", "gauge_livesum_112.db"]


def test_names_of_objects_are_no_labels():
    assert b"blue" in body()
    review = decode(body(), Limits())
    assert isinstance(review, AdmissionRequest)
    assert review.name == "blue"
    from ovnguard.webhook.observability.metrics import RESOURCES

    assert len(RESOURCES) < 40


def test_refused_watches_are_counted_by_resource(tmp_path):
    refused = 'ovnk_admission_watch_refused{resource="nodes"}'
    assert refused not in worker(tmp_path)
    assert worker(tmp_path, "nodes")[refused] == 1.0
