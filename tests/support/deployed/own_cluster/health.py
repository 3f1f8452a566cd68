"""The sentence that must hold after each step: rows equal the plan, conditions are True, no process ended by itself,
packets pass where they should and nowhere else, the webhook and policies refused none of our accounts, and nobody else
did ovnguard's work.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from tests.support.deployed.audit_log import log_of, recorded
from tests.support.deployed.first_pod import RECORD
from tests.support.deployed.own_cluster.cluster import OwnCluster
from tests.support.deployed.own_cluster.day_objects import BY_HAND
from tests.support.deployed.own_cluster.machines import PORT
from tests.testbed.endpoint import Endpoint
from tests.testbed.process import BedError

OURS: Final = "system:serviceaccount:ovnguard-system:"
PLANNED: Final = (
    "/api/v1/nodes",
    "/api/v1/namespaces",
    "/api/v1/pods",
    "/api/v1/services",
    "/apis/discovery.k8s.io/v1/endpointslices",
    "/apis/operator.openshift.io/v1/networks",
    "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks",
    "/apis/k8s.ovn.org/v1/userdefinednetworks",
    "/apis/k8s.ovn.org/v1/routeadvertisements",
    "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions",
    "/apis/frrk8s.metallb.io/v1beta1/frrconfigurations",
)
"""What a plan is made of."""
_PROGRAM: Final = Path(sys.executable).parent / "ovnguard-reconciler"
_TOGETHER: Final = 8
_PATIENCE: Final = 60.0
_SECONDS: Final = 1.5
_FORBIDDEN, _INVALID = 403, 422
_CONDITIONED: Final = {"clusteruserdefinednetworks", "userdefinednetworks", "routeadvertisements"}
_WRITES: Final = {"create", "update", "patch", "delete"}


def problems(cluster: OwnCluster) -> list[str]:
    """Why the sentence does not hold now; nothing when it does."""
    ended = [f"ended by itself: {each}" for each in cluster.processes.ended()]
    return [
        *_lasting(plan_differences, cluster),
        *lost_and_leaked(cluster),
        *refused(cluster),
        *done_by_others(cluster),
        *ended,
        *(fault for replica in cluster.replicas for fault in replica.faults()),
        *_lasting(OwnCluster.unsettled, cluster),
    ]


def _lasting(look: Callable[[OwnCluster], list[str]], cluster: OwnCluster) -> list[str]:
    """What is found and does not end: rows and reports follow what a zone learns after its last report."""
    deadline = time.monotonic() + _PATIENCE
    while (found := look(cluster)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


def plan_differences(cluster: OwnCluster) -> list[str]:
    """What a plan from scratch, of the objects that the API server has now, would change in the zones of all Nodes."""
    objects = [each for path in PLANNED for each in _listed(cluster, path)]
    file = cluster.folder / "objects.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), encoding="utf-8")
    nodes = [each["metadata"]["name"] for each in objects if each["kind"] == "Node"]
    with ThreadPoolExecutor(2) as pool:
        return [text for text in pool.map(lambda node: _difference(cluster, node, file), nodes) if text]


def _listed(cluster: OwnCluster, path: str) -> list[dict[str, Any]]:
    answer = cluster.get(path)
    kind = {"apiVersion": answer["apiVersion"], "kind": answer["kind"].removesuffix("List")}
    return [kind | item for item in answer["items"]]


def _difference(cluster: OwnCluster, node: str, file: Path) -> str:
    """Differences of one zone and of its machine, as the command `diff` reports them on the node."""
    lab = cluster.machines.lab[node]
    inside = lab.namespace.inside(cluster.machines.environment(node, os.environ["PATH"]))
    argv = [*inside, _PROGRAM, "diff", "-f", file, "--nodes", file, "--nb-db", f"{node}={lab.zone.nb}", "--host", node]
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, timeout=120, check=False)
    return "" if done.returncode == 0 else f"{node}: exit code {done.returncode}\n{done.stdout}{done.stderr}"


def refused(cluster: OwnCluster) -> list[str]:
    """Writes of our own accounts that the API server refused, and decisions against them in the webhook's log."""
    found = [
        f"{each['user']['username']} {each['verb']} {each['requestURI']}: {each['responseStatus'].get('message', '')}"
        for each in recorded(log_of(cluster.folder / "audited"))
        if each["user"]["username"].startswith(OURS)
        and each["verb"] in _WRITES
        and each.get("responseStatus", {}).get("code") in (_FORBIDDEN, _INVALID)
    ]
    decisions = [each for replica in cluster.replicas for each in replica.decisions()]
    return found + [str(each) for each in decisions if each["user"].startswith(OURS) and not each["allowed"]]


def done_by_others(cluster: OwnCluster) -> list[str]:
    """What is ovnguard's own work and another author wrote: attachments of networks, conditions, records of pods."""
    found = [
        f"{each['user']['username']} {each['verb']} {each['requestURI']}"
        for each in recorded(log_of(cluster.folder / "audited"))
        if not each["user"]["username"].startswith(OURS)
        and each["verb"] in _WRITES
        and _is_own_work(each.get("objectRef", {}))
    ]
    for pod in cluster.get("/api/v1/pods")["items"]:
        for entry in pod["metadata"].get("managedFields", ()):
            if f'"f:{RECORD}"' in json.dumps(entry["fieldsV1"]) and not entry["manager"].startswith("ovnguard"):
                found.append(f"{entry['manager']} wrote the record of {pod['metadata']['name']}")
    return found


def _is_own_work(place: dict[str, str]) -> bool:
    resource, is_status = place.get("resource", ""), place.get("subresource") == "status"
    by_hand = place.get("name") == BY_HAND
    return (resource == "network-attachment-definitions" and not by_hand) or (is_status and resource in _CONDITIONED)


def lost_and_leaked(cluster: OwnCluster) -> list[str]:
    """Packets that do not pass within a network, and those that pass between two."""
    with ThreadPoolExecutor(_TOGETHER) as pool:
        found = pool.map(lambda key: list(_wrong(cluster, key)), list(cluster.pods))
    return [text for each in found for text in each] + list(_unserved(cluster))


def _unserved(cluster: OwnCluster) -> Iterator[str]:
    for address, (client, server) in cluster.services.items():
        yield from _lost(cluster.pods[client][1], address, cluster.pods[server][1].name, 80)


def _wrong(cluster: OwnCluster, pod: tuple[str, str]) -> Iterator[str]:
    """Whom a pod reaches that it should not, or does not reach though it should: pods of its network and no others."""
    network, client = cluster.pods[pod]
    others = [each for key, each in cluster.pods.items() if key != pod]
    answered = client.survey(sorted({each.ip(4) for _, each in others}), PORT, _SECONDS)
    own = {each.ip(4): each.name for of, each in others if of == network}
    for address, name in own.items():
        if address not in answered:
            yield from _lost(client, address, name)
    for address, name in answered.items():
        if name not in (own.get(address), client.name):
            yield f"{client.name} of {network} reaches {name} at {address}"


def _lost(client: Endpoint, address: str, name: str, port: int = PORT) -> Iterator[str]:
    """Ask once more, with patience: a busy machine is late."""
    try:
        answer = client.ask("tcp", address, port)
    except BedError as error:
        yield f"{client.name} does not reach {name} at {address}: {error}"
    else:
        if answer.name != name:
            yield f"{answer.name} answers {client.name} in place of {name}"
