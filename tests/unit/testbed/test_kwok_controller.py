"""What kwok is given, and which requests count as our processes'."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from tests.bench.own_requests import OwnRequests, writes
from tests.testbed.kwok_controller import Kwok, stages
from tests.testbed.parts import Part
from tests.testbed.process import wait_until


def test_kwok_manages_all_nodes_and_reads_only_its_own_configuration(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "$KWOK_WORKDIR" "$@"\nexec sleep 60\n')
    program.chmod(0o755)
    folder = tmp_path / "kwok"
    with Kwok(Part("kwok", "0.7.0", "a test", {"kwok": program}, {}, None), tmp_path / "kubeconfig", folder) as kwok:
        wait_until(lambda: bool(kwok.child.tail()), "the arguments", 10.0, [kwok.child])
        assert kwok.child.tail() == (
            f"{folder} --config {folder}/stages.yaml --kubeconfig {tmp_path}/kubeconfig "
            "--manage-all-nodes --node-lease-duration-seconds=40"
        )
    assert list(yaml.safe_load_all((folder / "stages.yaml").read_text())) == stages()


def test_a_node_starts_to_run_at_once_and_has_a_heartbeat_within_five_minutes() -> None:
    first, later = (stage["spec"] for stage in stages())
    assert first["selector"]["matchExpressions"] == [
        {"key": ".status.phase", "operator": "NotIn", "values": ["Running"]}
    ]
    assert "delay" not in first
    assert later["delay"] == {"durationMilliseconds": 1000, "jitterDurationMilliseconds": 300_000}
    assert first["next"] == later["next"]


def line(verb: str, resource: str) -> bytes:
    event: dict[str, Any] = {"verb": verb, "requestURI": "/version"}
    return json.dumps(event | ({"objectRef": {"resource": resource}} if resource else {})).encode() + b"\n"


def test_requests_are_counted_by_whole_lines(tmp_path: Path) -> None:
    requests = OwnRequests(tmp_path / "audit", "ours")
    assert requests.count() == Counter()
    log, last = tmp_path / "audit" / "audit.log", line("patch", "nodes")
    log.write_bytes(line("update", "leases") + line("get", "") + last[:9])
    assert requests.count() == Counter({"update leases": 1, "get /version": 1})
    assert writes(requests.count()) == 0
    with log.open("ab") as more:
        more.write(last[9:] + line("update", "leases"))
    assert requests.count() == Counter({"update leases": 2, "get /version": 1, "patch nodes": 1})
    assert writes(requests.count()) == 1
    policy = json.loads((tmp_path / "audit" / "policy.yaml").read_text())
    assert [rule.get("userGroups") for rule in policy["rules"]] == [["system:serviceaccounts:ours"], None]
