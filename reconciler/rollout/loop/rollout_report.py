"""The report of an upgrade: one ConfigMap of its own, written by server-side apply, with conditions.

A condition keeps the time of its last transition as long as its status is the same, also over a change of the leader.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ovnguard.reconciler.apply.kube_report import LABEL, MAX_DOCUMENT
from ovnguard.reconciler.rollout.plan.model import Condition, Decision, Phase
from ovnguard.reconciler.rollout.plan.stalls import MAX_STALLS, Stall
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, ApiStatusError, Client
from ovnguard.validators.cluster.resources import CONFIG_MAPS
from ovnguard.validators.network.parse_values import dig, text_of

NAME: Final = "ovnguard-rollout"
KEY: Final = "report.json"
ROLLOUT: Final = "rollout"
FIELD_MANAGER: Final = "ovnguard-rollout-report"
FAILED: Final = "StepFailed"
HUNG: Final = "RolloutHung"
REFUSED: Final = "RolloutRefused"
MAX_REFUSALS: Final = 50
_GONE: Final = 404


@dataclass(frozen=True, slots=True)
class Finding:
    """What one pass says: the decision, what its rollouts wait for, failures, which of them hang, and refusals."""

    decision: Decision
    release: str
    stalls: tuple[Stall, ...] = ()
    failures: tuple[str, ...] = ()
    hung: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The decision's conditions. A step that fails and a container that crashes are degradations, too."""
        crashing = [f"{each.workload} rollout is not making progress: {each}" for each in self.stalls if each.crashing]
        status = self.decision.status
        if self.refused:
            return self._degraded(REFUSED, self.refused[:MAX_REFUSALS])
        if self.failures:
            return self._degraded(FAILED, self.failures)
        if status.phase is Phase.NOT_UNDERSTOOD or not (self.hung or crashing):
            return status.conditions
        return self._degraded(HUNG, (*self.hung, *crashing[:MAX_STALLS]))

    def _degraded(self, reason: str, texts: Sequence[str]) -> tuple[Condition, ...]:
        degraded = Condition("Degraded", True, reason, "\n".join(texts))
        return tuple(degraded if each.type == degraded.type else each for each in self.decision.status.conditions)


def report_of(finding: Finding, transitions: Mapping[tuple[str, bool], str], now: str) -> JsonObject:
    """Return the report. ``transitions`` are the times at which conditions got the status that they have."""
    decision = finding.decision
    return {
        "release": finding.release,
        "phase": decision.status.phase,
        "folder": decision.folder,
        "levelReached": decision.status.level_reached,
        "waitingFor": list(decision.status.waiting_for),
        "stalls": [
            {"workload": each.workload, "node": each.node, "pod": each.pod, "reason": each.reason}
            for each in finding.stalls[:MAX_STALLS]
        ],
        "warnings": list(decision.warnings),
        "refusals": list(finding.refused[:MAX_REFUSALS]),
        "leftToOperator": list(_left(finding)),
        "conditions": [
            {
                "type": each.type,
                "status": "True" if each.status else "False",
                "reason": each.reason,
                "message": each.message,
                "lastTransitionTime": transitions.get((each.type, each.status), now),
            }
            for each in finding.conditions
        ],
    }


def _left(finding: Finding) -> Iterator[str]:
    """What only the cluster network operator does, once everything runs the release and is handed over."""
    if finding.decision.status.level_reached and not finding.failures and not finding.refused:
        yield f"ClusterOperator network: report version {finding.release}"
        yield "ClusterOperator network: set its conditions and related objects"
        yield "workloads: record IP families and the hybrid overlay, and own every object"


class RolloutReport:
    """Writes the report into ``namespace`` when it changes."""

    def __init__(self, client: Client, namespace: str, clock: Callable[[], datetime]) -> None:
        self._client, self._namespace, self._clock = client, namespace, clock
        self._written: JsonObject | None = None

    def publish(self, finding: Finding) -> None:
        """Write the report unless it is as before. Raises ClusterError."""
        before = self._stored() if self._written is None else self._written
        now = self._clock().strftime("%Y-%m-%dT%H:%M:%SZ")
        report = report_of(finding, _transitions(before.get("conditions")), now)
        if report == before:
            self._written = report
            return
        labels = {"app.kubernetes.io/name": "ovnguard", "app.kubernetes.io/component": "report", LABEL: ROLLOUT}
        body: JsonObject = {
            "apiVersion": CONFIG_MAPS.api_version,
            "kind": CONFIG_MAPS.kind,
            "metadata": {"name": NAME, "namespace": self._namespace, "labels": labels},
            "data": {KEY: json.dumps(report, indent=2)},
        }
        query = {"fieldManager": FIELD_MANAGER, "force": "true"}
        self._client.request("PATCH", CONFIG_MAPS.object_path(self._namespace, NAME), query, body, APPLY_PATCH)
        self._written = report

    def forget(self) -> None:
        """Read the report again before the next write: another leader may have written it."""
        self._written = None

    def _stored(self) -> JsonObject:
        try:
            obj = self._client.request("GET", CONFIG_MAPS.object_path(self._namespace, NAME))
        except ApiStatusError as error:
            if error.code != _GONE:
                raise
            return {}
        return _read(text_of(dig(obj, "data", KEY)))


def _read(text: str) -> JsonObject:
    try:
        value = json.loads(text) if len(text) <= MAX_DOCUMENT else None
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}


def _transitions(conditions: Any) -> dict[tuple[str, bool], str]:
    entries: Sequence[Any] = conditions if isinstance(conditions, list) else ()
    found = ((text_of(dig(each, key)) for key in ("type", "status", "lastTransitionTime")) for each in entries)
    return {(kind, status == "True"): time for kind, status, time in found if time}
