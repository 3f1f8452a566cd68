"""Alerts and dashboard of the webhook, evaluated by Prometheus' own engine over scrapes of real processes."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.webhook.certificates.self_signed import SelfSigned
from tests.support.deployed.installed import served_crds
from tests.support.deployed.running import account_of, as_deployed, remove_traces
from tests.support.monitoring import engine as monitoring
from tests.support.monitoring.engine import Engine, alerts_of, bystanders, faulty, healthy, panels_of
from tests.support.monitoring.engine import webhook as labelled
from tests.support.monitoring.scrapes import DOWN, Scrape, State, Target, parse, settled
from tests.support.webhook.webhook_process import EXAMPLES, Serving, serving
from tests.testbed.apiserver import ApiServer

pytestmark = pytest.mark.timing
engine = monitoring.engine
ADMISSION = "apiserver_admission_webhook_"
REGISTRATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
RIGHTS = ("base/account.yaml", "base/rbac.yaml")
REFUSED_WATCHES = "ovnk_admission_watch_refused"


def example(name: str) -> dict[str, Any]:
    obj: dict[str, Any] = yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))
    return obj


def reader(webhook: Serving) -> Callable[[], Scrape]:
    return lambda: parse(webhook.metrics(), time.time())


def between(read: Callable[[], Scrape], act: Callable[[], object]) -> State:
    """The state in which something happens between two scrapes."""
    first = read()
    act()
    time.sleep(1)
    return State(first, read())


@contextmanager
def replica(folder: Path, *options: str | Path, **given: Any) -> Iterator[Serving]:
    with serving(folder, "--metrics-port", "0", *options, **given) as webhook:
        yield webhook


def test_replicas_that_are_down(tmp_path: Path, engine: Engine) -> None:
    with replica(tmp_path) as webhook:
        state = settled(reader(webhook))
    one, other = labelled("one"), labelled("other")
    with pytest.raises(OSError, match="refused"):
        webhook.metrics()
    engine.fires([*bystanders(0), healthy(one, state), faulty(other, state, DOWN, state)], "OvnguardWebhookOneReplica")
    both = [faulty(each, state, DOWN, state) for each in (one, other)]
    engine.fires([*bystanders(0), *both], "OvnguardWebhookDown")


def test_answers_without_a_verdict_refusals_and_slow_verdicts(tmp_path: Path, engine: Engine) -> None:
    valid, invalid = example("valid/blue-layer2.yaml"), example("invalid/bad-cidr.yaml")
    with replica(tmp_path / "fast") as webhook:
        read = reader(webhook)

        def judged() -> None:
            assert webhook.ask("/validate", valid)["allowed"] is True
            assert webhook.ask("/mutate", valid)["allowed"] is True

        judged()
        assert webhook.ask("/validate", invalid)["allowed"] is False
        assert webhook.call("POST", "/validate", b"{}")[0] == 400
        before = between(read, judged)
        broken = between(read, lambda: webhook.call("POST", "/validate", b"{}"))
        refusing = between(read, lambda: [webhook.ask("/validate", invalid) for _ in range(5)])
        later = between(read, judged)
    program = (sys.executable, "-m", "tests.support.webhook.slow_webhook")
    with replica(tmp_path / "slow", program=program) as webhook:
        valid["metadata"]["labels"] = {"slow": ""}
        slow = between(reader(webhook), lambda: webhook.ask("/validate", valid))
    memory = Scrape(0.0, {("container_memory_working_set_bytes", ()): 1e8})
    cadvisor = Target({**labelled("one"), "job": "kubelet", "service": "kubelet"}, [(State(memory, memory), 300)])
    shown: list[Target] = []
    for fault, alert in (
        (broken, "OvnguardAdmissionErrors"),
        (refusing, "OvnguardManyRefusals"),
        (slow, "OvnguardAdmissionSlow"),
    ):
        target = faulty(labelled("one"), before, fault, later)
        engine.fires([*bystanders(), target], alert)
        shown.append(faulty(labelled(alert), before, fault, later))
    here = [each for each in panels_of("webhook") if ADMISSION not in each and REFUSED_WATCHES not in each]
    engine.shows([*shown, cadvisor], here)


def test_a_certificate_that_expires(tmp_path: Path, engine: Engine) -> None:
    made = SelfSigned(tmp_path)
    made.ensure(datetime.now(UTC) - timedelta(days=5, hours=12))
    with replica(tmp_path, files=made.files) as webhook:
        expiring = settled(reader(webhook))
    made.ensure()
    with replica(tmp_path, files=made.files) as webhook:
        valid = settled(reader(webhook))
    engine.fires([*bystanders(), faulty(labelled("one"), valid, expiring, valid)], "OvnguardCertificateExpires")


def permit(api: ApiServer, *, nodes: bool) -> None:
    """Give the account all rights, or all but those about Nodes."""
    for path, document in (each for file in RIGHTS for each in account_of(file)):
        if document["kind"] == "ClusterRole":
            for rule in () if nodes else document["rules"]:
                rule["resources"] = [each for each in rule["resources"] if each != "nodes"] or ["none"]
            assert api.request("PUT", f"{path}/{document['metadata']['name']}", document)[0] == 200


def test_a_list_that_the_api_server_refuses(apiserver: ApiServer, tmp_path: Path, engine: Engine) -> None:
    with served_crds(apiserver):
        kubeconfig = as_deployed(apiserver, tmp_path, "ovnguard-webhook", *RIGHTS)
        permit(apiserver, nodes=False)
        with replica(tmp_path / "webhook", "--kubeconfig", kubeconfig) as webhook:
            refused = settled(reader(webhook), lambda found: found.value(REFUSED_WATCHES, resource="nodes") == 1)
            permit(apiserver, nodes=True)
            later = settled(reader(webhook), lambda found: found.value(REFUSED_WATCHES, resource="nodes") == 0)
        for path, document in (each for file in RIGHTS for each in account_of(file)):
            apiserver.request("DELETE", f"{path}/{document['metadata']['name']}")
        remove_traces(apiserver)
    target = faulty(labelled("one"), later, refused, later)
    engine.fires([*bystanders(), target], "OvnguardWatchRefused")
    engine.shows([target], [each for each in panels_of("webhook") if REFUSED_WATCHES in each])


def unreachable(policy: str) -> dict[str, Any]:
    """A webhook of ours that nobody answers for, about ConfigMaps of one namespace."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    return {
        "name": f"{policy.lower()}.validate.ovnguard.io",
        "clientConfig": {"url": "https://127.0.0.1:1/validate"},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": policy,
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": f"unreachable-{policy.lower()}"}},
        "rules": [rule],
    }


def test_api_servers_that_cannot_call_the_webhook(apiserver: ApiServer, engine: Engine) -> None:
    def read() -> Scrape:
        _, text = apiserver.request("GET", "/metrics")
        found = parse(text, time.time())
        ours = {key: value for key, value in found.samples.items() if key[0].startswith(ADMISSION)}
        return Scrape(found.at, ours, found.counters)

    def asked() -> list[int]:
        obj = {"metadata": {"generateName": "x-"}}
        places = (f"/api/v1/namespaces/unreachable-{each}/configmaps?dryRun=All" for each in ("fail", "ignore"))
        return [apiserver.request("POST", place, obj)[0] for place in places]

    for name in ("unreachable-fail", "unreachable-ignore"):
        assert apiserver.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})[0] == 201
    before = settled(read)
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    document = {**kind, "metadata": {"name": "unreachable"}, "webhooks": [unreachable("Fail"), unreachable("Ignore")]}
    assert apiserver.request("POST", REGISTRATIONS, document)[0] == 201
    try:
        end = time.monotonic() + 30
        while asked() != [500, 201]:
            assert time.monotonic() < end
        failing = between(read, asked)
    finally:
        apiserver.request("DELETE", f"{REGISTRATIONS}/unreachable")
        for name in ("unreachable-fail", "unreachable-ignore"):
            apiserver.request("DELETE", f"/api/v1/namespaces/{name}")
    assert failing.last is not None
    target = faulty({"job": "apiserver"}, before, failing, State(failing.last, failing.last))
    engine.fires([*bystanders(), target], "OvnguardWebhookUnreachable", "OvnguardAdmissionFailsOpen")
    engine.shows([target], [each for each in panels_of("webhook") if ADMISSION in each])


def test_every_alert_of_the_webhook_has_a_test() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in sorted(alerts_of("webhook")) if f'"{name}"' not in source] == []
