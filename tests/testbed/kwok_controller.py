"""A real kwok, which plays the kubelets of a test's API server: nodes have Leases and heartbeats, and pods run.

It listens nowhere. A kubelet writes a status with nothing new but times every five minutes, and renews a Lease of 40 s
every ten seconds.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from tests.testbed.parts import Part
from tests.testbed.process import Child

LEASE_SECONDS: Final = 40
HEARTBEAT_MS: Final = 300_000
"""The longest time between two heartbeats of a node; a random one, so that nodes do not write all at once."""
_READY: Final = """
conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ Now | Quote }}
  lastTransitionTime: {{ $.metadata.creationTimestamp | Quote }}
{{ end }}
phase: Running
"""


def stages() -> list[dict[str, Any]]:
    """The stages of nodes; addresses stay as they are. Pods follow kwok's own stages: they run at once."""
    soon = {"durationMilliseconds": 1000, "jitterDurationMilliseconds": HEARTBEAT_MS}
    return [_stage("node-initialize", "NotIn", {}), _stage("node-heartbeat", "In", {"delay": soon})]


def _stage(name: str, running: str, more: dict[str, Any]) -> dict[str, Any]:
    selector = {"matchExpressions": [{"key": ".status.phase", "operator": running, "values": ["Running"]}]}
    spec = {"resourceRef": {"apiGroup": "v1", "kind": "Node"}, "selector": selector, "next": {"statusTemplate": _READY}}
    return {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage", "metadata": {"name": name}, "spec": spec | more}


class Kwok:
    """kwok for all nodes of a cluster while the context lasts; its log and configuration in `folder`.

    With stages `pods`, pods follow these.
    """

    def __init__(self, part: Part, kubeconfig: Path, folder: Path, pods: Sequence[dict[str, Any]] = ()) -> None:
        self._stages = [*stages(), *pods]
        self._program, self._kubeconfig, self._folder = part.tool("kwok"), kubeconfig, folder

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True)
        config = self._folder / "stages.yaml"
        # JSON is YAML, too
        config.write_text("\n---\n".join(map(json.dumps, self._stages)), encoding="utf-8")
        nodes = ["--manage-all-nodes", f"--node-lease-duration-seconds={LEASE_SECONDS}"]
        argv: list[str | Path] = [self._program, "--config", config, "--kubeconfig", self._kubeconfig, *nodes]
        # a configuration in the user's home is not read
        env = {"KWOK_WORKDIR": str(self._folder)}
        self.child = Child("kwok", argv, self._folder / "kwok.log", env)
        return self

    def __exit__(self, *_: object) -> None:
        self.child.stop()
