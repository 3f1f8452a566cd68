"""What rendered manifests grant and mount."""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from tests.support.rights.model import CONSTRAINTS, EVERY, OURS, Request

Document = dict[str, Any]
_OPENSHIFT: Final = "system:openshift:scc:"
_WORKLOADS: Final = ("Deployment", "DaemonSet")


def granted(documents: Sequence[Document]) -> Counter[tuple[str, Request]]:
    """How often each right is granted, by subject: each should be granted once."""
    roles = {_place(each): each for each in documents if each["kind"] in ("ClusterRole", "Role")}
    found: Counter[tuple[str, Request]] = Counter()
    for binding in documents:
        if binding["kind"] in ("ClusterRoleBinding", "RoleBinding"):
            namespace = binding["metadata"].get("namespace", "")
            for subject in binding["subjects"]:
                found.update((_subject(subject), each) for each in _rights(binding["roleRef"], namespace, roles))
    return found


def unbound(documents: Sequence[Document]) -> set[tuple[str, str, str]]:
    """Roles that nobody has."""
    roles = {_place(each) for each in documents if each["kind"] in ("ClusterRole", "Role")}
    bound = {
        (each["roleRef"]["kind"], each["metadata"].get("namespace", ""), each["roleRef"]["name"])
        for each in documents
        if each["kind"] in ("ClusterRoleBinding", "RoleBinding")
    }
    return roles - bound


def of_role(role: Document, namespace: str) -> Iterator[Request]:
    """Each right of a role once."""
    for rule in role["rules"]:
        assert set(rule) <= {"apiGroups", "resources", "resourceNames", "verbs"}, rule
        assert EVERY not in (*rule["apiGroups"], *rule["resources"], *rule["verbs"]), rule
        names = rule.get("resourceNames") or [EVERY]
        for parts in itertools.product(rule["apiGroups"], rule["resources"], names, rule["verbs"]):
            yield Request(namespace, *parts)


def mounted(documents: Iterable[Document]) -> dict[tuple[str, str], tuple[str, str, bool]]:
    """Source, type and whether it is writable of each mount, by workload and path."""
    found = {}
    for workload in documents:
        if workload["kind"] in _WORKLOADS:
            pod = workload["spec"]["template"]["spec"]
            volumes = {each["name"]: each for each in pod.get("volumes", ())}
            for container in (*pod["containers"], *pod.get("initContainers", ())):
                for mount in container.get("volumeMounts", ()):
                    writable = not mount.get("readOnly", False)
                    key = (workload["metadata"]["name"], mount["mountPath"])
                    assert key not in found, key
                    found[key] = (*_source(volumes[mount["name"]]), writable)
            used = {each["name"] for container in pod["containers"] for each in container.get("volumeMounts", ())}
            assert used == set(volumes), workload["metadata"]["name"]
    return found


def accounts(documents: Iterable[Document]) -> dict[str, str]:
    """The account of each workload."""
    found = (each for each in documents if each["kind"] in _WORKLOADS)
    return {each["metadata"]["name"]: each["spec"]["template"]["spec"]["serviceAccountName"] for each in found}


def _place(document: Document) -> tuple[str, str, str]:
    metadata = document["metadata"]
    return document["kind"], metadata.get("namespace", ""), metadata["name"]


def _subject(subject: Document) -> str:
    if subject["kind"] == "Group":
        return f"group {subject['name']}"
    assert (subject["kind"], subject["namespace"]) == ("ServiceAccount", OURS), subject
    return str(subject["name"])


def _rights(role: Document, namespace: str, roles: dict[tuple[str, str, str], Document]) -> Iterator[Request]:
    name = role["name"]
    if name.startswith(_OPENSHIFT):
        group, _, resource = CONSTRAINTS.partition("/")
        yield Request(namespace, group, resource, name.removeprefix(_OPENSHIFT), "use")
        return
    place = namespace if role["kind"] == "Role" else ""
    yield from of_role(roles[role["kind"], place, name], namespace)


def _source(volume: Document) -> tuple[str, str]:
    kinds = {key: value for key, value in volume.items() if key != "name"}
    ((kind, content),) = kinds.items()
    if kind == "hostPath":
        return content["path"], content["type"]
    name = content.get("secretName") or content.get("name")
    return (f"{kind} {name}" if name else kind), ""
