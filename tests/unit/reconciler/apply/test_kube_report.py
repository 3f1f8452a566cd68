"""The one object of a zone: when it is written, and what of it a reader keeps."""

from datetime import UTC, datetime
from typing import Any

import pytest

from ovnguard.reconciler.apply.kube_report import (
    KEY,
    MAX_DOCUMENT,
    MAX_NAME,
    PAUSE,
    RENEWED,
    RETRY,
    ReportPublisher,
    node_of_report,
    report_name,
    reports_in,
)
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, ApiStatusError

LONG = {KEY: "x" * (MAX_DOCUMENT + 1)}
NODE = {"metadata": {"name": "n1", "uid": "u1"}}


class Client:
    """What was asked of the API server."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.failure: Exception | None = None

    def request(self, *asked: Any) -> dict[str, Any]:
        self.asked.append(asked)
        if self.failure is not None:
            raise self.failure
        return {}

    def watch(self, *_: Any) -> Any:
        raise AssertionError("nobody watches here")


class Bench:
    def __init__(self, node: str = "n1") -> None:
        self.client, self.seconds = Client(), 100.0
        now = datetime(2026, 1, 2, tzinfo=UTC)
        self.publisher = ReportPublisher(self.client, "ours", node, lambda: now, lambda: self.seconds)

    def publish(self, content: str) -> int:
        """How many writes there were so far."""
        self.publisher.publish(content, lambda time, seconds: f"{content} {time} {seconds:g}", NODE)
        return len(self.client.asked)


def test_one_object_by_server_side_apply_that_goes_with_its_node():
    bench = Bench()
    assert bench.publish("a") == 1
    method, path, query, body, kind = bench.client.asked[0]
    assert (method, path, kind) == ("PATCH", "/api/v1/namespaces/ours/configmaps/ovnguard-zone-n1", APPLY_PATCH)
    assert query == {"fieldManager": "ovnguard-zone", "force": "true"}
    assert body["metadata"]["labels"]["ovnguard.io/report"] == "zone"
    assert body["metadata"]["ownerReferences"] == [{"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "u1"}]
    assert body["data"] == {KEY: "a 2026-01-02T00:00:00Z 300"}


def test_written_when_it_changes_and_from_time_to_time_and_never_too_often():
    bench = Bench()
    assert [bench.publish("a"), bench.publish("a")] == [1, 1]
    assert bench.publisher.due() is None
    assert bench.publish("b") == 1
    # what has to wait is due without an event
    assert bench.publisher.due() == PAUSE
    bench.seconds += PAUSE
    assert [bench.publish("b"), bench.publish("b")] == [2, 2]
    assert bench.publisher.due() is None
    bench.seconds += RENEWED - 1
    assert bench.publish("b") == 2
    bench.seconds += 1
    assert bench.publish("b") == 3


def test_a_refusal_is_reported_once_and_retried(caplog: pytest.LogCaptureFixture):
    bench = Bench()
    bench.client.failure = ApiStatusError(403, "Forbidden", "no")
    for number in range(1, 4):
        assert [bench.publish("a"), bench.publish("a")] == [number] * 2
        assert bench.publisher.due() == RETRY
        bench.seconds += RETRY
    assert caplog.messages == ["cannot write the report ours/ovnguard-zone-n1: 403 Forbidden: no"]
    bench.client.failure = None
    assert [bench.publish("a"), bench.publish("a")] == [4, 4]


def test_names_lead_to_one_node_and_back(caplog: pytest.LogCaptureFixture):
    longest = "n" * (MAX_NAME - len("ovnguard-zone-"))
    assert len(report_name(longest) or "") == MAX_NAME
    assert report_name(f"{longest}n") is None
    assert node_of_report({"metadata": {"name": report_name("a.b")}}) == "a.b"
    assert node_of_report({"metadata": {"name": "ovnguard-authority"}}) is None
    assert Bench(f"{longest}n").publish("a") == 0
    assert caplog.messages == [f"node {longest}n: has no report: its name is too long for an object of its own"]


def test_only_the_report_of_an_object_is_kept():
    _, part = reports_in("ours")
    assert part.query == {"labelSelector": "ovnguard.io/report=zone"}
    metadata = {"name": "x", "resourceVersion": "1", "annotations": {"large": "text"}}
    for data, kept in (({KEY: "a", "other": "b"}, "a"), (None, None), ("text", None), ({}, None), (LONG, None)):
        found = part.trim({"metadata": metadata, "data": data})
        assert found["data"] == {KEY: kept}
        assert found["metadata"] == {"name": "x", "resourceVersion": "1"}
