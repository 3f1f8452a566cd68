"""What the bed may write in the cluster under test, by author: kubelets, the scheduler, ovnkube-node, other controllers
of every cluster, and people. Everything else is ovnguard's own work, and `Author` refuses it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.testbed.apiserver import ApiServer

MERGE: Final = "application/merge-patch+json"
Path = tuple[str, ...]
_IDENTITY: Final[tuple[Path, ...]] = (
    ("apiVersion",),
    ("kind",),
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("metadata", "labels"),
)


@dataclass(frozen=True, slots=True)
class Permit:
    """An author may write these fields, and those below them, of a resource; a deletion has none."""

    author: str
    verb: str
    resource: str
    fields: tuple[Path, ...] = ()


def _annotation(key: str) -> Path:
    return ("metadata", "annotations", key)


CHASSIS, GATEWAY = "k8s.ovn.org/node-chassis-id", "k8s.ovn.org/l3-gateway-config"
REQUESTED = "k8s.v1.cni.cncf.io/networks"

_OF_KUBELETS: Final = ("phase", "conditions", "containerStatuses", "podIP", "podIPs")
PERMITS: Final = (
    Permit("kubelet", "POST", "nodes"),
    Permit("kubelet", "PATCH", "nodes/status", (("status", "addresses"),)),
    Permit("kubelet", "PATCH", "pods/status", tuple(("status", field) for field in _OF_KUBELETS)),
    Permit("kubelet", "DELETE", "pods"),
    Permit("scheduler", "POST", "pods/binding", (("target",),)),
    Permit("ovnkube-node", "PATCH", "nodes", (_annotation(CHASSIS), _annotation(GATEWAY))),
    Permit("controller-manager", "POST", "pods", (("spec",), ("metadata", "ownerReferences"))),
    Permit("controller-manager", "DELETE", "pods"),
    Permit("administrator", "POST", "namespaces"),
    Permit("administrator", "DELETE", "namespaces"),
    Permit("administrator", "POST", "networks", (("spec",),)),
    Permit("administrator", "POST", "clusteruserdefinednetworks", (("spec",),)),
    Permit("administrator", "DELETE", "clusteruserdefinednetworks"),
    Permit("administrator", "POST", "daemonsets", (("spec",),)),
    Permit("administrator", "DELETE", "daemonsets"),
    Permit("administrator", "PATCH", "nodes", (("spec", "unschedulable"),)),
    Permit("administrator", "POST", "pods/eviction"),
    Permit("administrator", "DELETE", "nodes"),
    Permit("tenant", "POST", "userdefinednetworks", (("spec",),)),
    Permit("tenant", "DELETE", "userdefinednetworks"),
    Permit("tenant", "POST", "network-attachment-definitions", (("spec",),)),
    Permit("tenant", "DELETE", "network-attachment-definitions"),
    Permit("tenant", "POST", "pods", (("spec",), _annotation(REQUESTED))),
    Permit("tenant", "DELETE", "pods"),
    Permit("tenant", "POST", "services", (("spec",),)),
    Permit("tenant", "DELETE", "services"),
)


def refusal(author: str, verb: str, path: str, body: Any) -> str:
    """Why an author may not send a request, or nothing.

    Args:
        author: one of `PERMITS`.
        verb: the HTTP method.
        path: of the request, such as ``/api/v1/namespaces/a/pods/b/status``.
        body: what it sends, or None.
    """
    resource = resource_of(verb, path)
    found = [each for each in PERMITS if (each.author, each.verb, each.resource) == (author, verb, resource)]
    if not found:
        return f"{author} does not {verb} {resource}"
    permitted = [field for each in found for field in (*_IDENTITY, *each.fields)]
    for leaf in _leaves(body or {}):
        if not any(leaf[: len(field)] == field for field in permitted):
            return f"{author} does not {verb} {'.'.join(leaf)} of {resource}"
    return ""


def resource_of(verb: str, path: str) -> str:
    """The resource of a path, with its subresource: ``pods/status``."""
    words = path.partition("?")[0].strip("/").split("/")
    words = words[2:] if words[0] == "api" else words[3:]
    if words[0] == "namespaces" and len(words) > 2:
        words = words[2:]
    named = words[1:] if verb == "POST" and len(words) < 3 else words[2:]
    return "/".join([words[0], *named])


def _leaves(value: Any, place: Path = ()) -> Iterator[Path]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*place, key))
    else:
        yield place


class Author:
    """Somebody who writes in the cluster, within `PERMITS`."""

    def __init__(self, api: ApiServer, name: str) -> None:
        self._api, self._name = api, name

    def send(self, verb: str, path: str, body: Any = None, accepted: Sequence[int] = (200, 201)) -> dict[str, Any]:
        """Send a request that succeeds; PermissionError when its author does not send such a one."""
        why = refusal(self._name, verb, path, body)
        if why:
            raise PermissionError(why)
        kind = MERGE if verb == "PATCH" else "application/json"
        status, answer = self._api.request(verb, path, body, kind)
        assert status in accepted, f"{verb} {path}: {status} {json.dumps(answer)}"
        return dict(answer)
