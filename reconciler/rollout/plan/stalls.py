"""What keeps a rollout from finishing, by node and pod.

Source: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect", 'Troubleshooting'.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload
from ovnguard.validators.network.parse_values import MAX_ITEMS, dig, mapping, text_of
from ovnguard.validators.network.selectors import labels_of

MAX_STALLS: Final = 50
"""More are only counted."""
_MAX_TEXT: Final = 200
_DAEMON: Final = "DaemonSet"
_CRASHES: Final = "CrashLoopBackOff"


@dataclass(frozen=True, slots=True)
class Stall:
    """One cause: ``node`` and ``pod`` are names, empty where there is none. ``crashing``: waiting does not help."""

    workload: str
    node: str
    pod: str
    reason: str
    crashing: bool = False

    def __str__(self) -> str:
        places = [f"node {self.node}" if self.node else "", f"pod {self.pod}" if self.pod else ""]
        return f"{', '.join(filter(None, places)) or self.workload}: {self.reason}"


def stalls_of(
    rolling: Iterable[Workload],
    objects: Mapping[str, JsonObject],
    pods: Sequence[JsonObject],
    nodes: Sequence[JsonObject],
) -> tuple[Stall, ...]:
    """Return what the unfinished rollouts ``rolling`` wait for.

    ``objects`` are the workloads by kind and name; ``pods`` and ``nodes`` those of the same cluster.
    """
    by_name = {_name(each): each for each in nodes}
    found: list[Stall] = []
    for workload in rolling:
        own = [each for each in pods if labels_of(each).get("app") == workload.name]
        found += [_of_pod(workload, each, by_name) or _NOTHING for each in own]
        if workload.kind == _DAEMON:
            found += _without_pod(workload, objects.get(str(workload), {}), own, nodes)
    return tuple(each for each in found if each is not _NOTHING)


_NOTHING: Final = Stall("", "", "", "")


def _of_pod(workload: Workload, pod: JsonObject, nodes: Mapping[str, JsonObject]) -> Stall | None:
    """Why a pod is not ready; None when it is."""
    if _condition(pod, "Ready").get("status") == "True":
        return None
    node = text_of(dig(pod, "spec", "nodeName"))
    down = _node_fault(nodes[node]) if node in nodes else ""
    fault = _container_fault(pod)
    reason = down or fault or _scheduling_fault(pod) or "is not ready"
    return Stall(str(workload), node, _name(pod), reason, _CRASHES in fault and not down)


def _without_pod(
    workload: Workload, obj: JsonObject, pods: Sequence[JsonObject], nodes: Sequence[JsonObject]
) -> Iterator[Stall]:
    """Nodes that should have a pod of the DaemonSet and have none."""
    selector = mapping(obj, "spec", "template", "spec", "nodeSelector")
    running = {text_of(dig(each, "spec", "nodeName")) for each in pods}
    for node in nodes:
        labels, name = labels_of(node), _name(node)
        if name in running or any(labels.get(key) != value for key, value in selector.items()):
            continue
        cordoned = "the node is cordoned, and " if dig(node, "spec", "unschedulable") is True else ""
        fault = _node_fault(node)
        yield Stall(str(workload), name, "", fault or f"{cordoned}no pod of {workload.name} is there")


def _node_fault(node: JsonObject) -> str:
    ready = _condition(node, "Ready")
    if not ready or ready.get("status") == "True":
        return ""
    since, message = text_of(ready.get("lastTransitionTime")), _text(ready.get("message"))
    return f"the node is not ready{f' since {since}' if since else ''}{f': {message}' if message else ''}"


def _container_fault(pod: JsonObject) -> str:
    """The first container that cannot start or restarts again and again."""
    for key in ("initContainerStatuses", "containerStatuses"):
        listed = dig(pod, "status", key)
        for each in listed[:MAX_ITEMS] if isinstance(listed, list) else ():
            waiting = mapping(each, "state", "waiting")
            reason = _text(waiting.get("reason"))
            if reason and reason not in ("ContainerCreating", "PodInitializing"):
                restarts = dig(each, "restartCount")
                again = f" after {restarts} restarts" if isinstance(restarts, int) and restarts > 0 else ""
                return f"container {_text(dig(each, 'name'))} is in {reason}{again}"
    return ""


def _scheduling_fault(pod: JsonObject) -> str:
    scheduled = _condition(pod, "PodScheduled")
    if scheduled.get("status") != "False":
        return ""
    message = _text(scheduled.get("message"))
    return f"is not scheduled{f': {message}' if message else ''}"


def _condition(obj: JsonObject, kind: str) -> Mapping[str, Any]:
    listed = dig(obj, "status", "conditions")
    for each in listed[:MAX_ITEMS] if isinstance(listed, list) else ():
        if dig(each, "type") == kind:
            return mapping(each)
    return {}


def _name(obj: JsonObject) -> str:
    return text_of(dig(obj, "metadata", "name"))


def _text(value: object) -> str:
    """One short line of untrusted text."""
    return " ".join(text_of(value).split())[:_MAX_TEXT]
