"""Time and memory of `audit` of a large archive.

``python -m tests.bench.audit_scale NODES NETWORKS PER_NODE [JOBS [DATABASES]]``

The node of deploy/examples is repeated under new names and addresses. Every node has pods of PER_NODE networks, which
alone have rows there, as dynamic allocation has it. The databases have the planned rows, one pod's port less on each;
DATABASES says how many of the nodes have one in the archive.
"""

import io
import json
import resource
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from ovnguard.reconciler.apply.files.must_gather import MARKER, READ
from ovnguard.reconciler.commands.manifests import manifests_of
from ovnguard.reconciler.commands.planned_manifests import judge_manifests
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.manifest.sources import read_sources
from tests.support.example_archive import database
from tests.support.fake_cluster import cudn
from tests.support.gathered_archive import place_of, zone_pod
from tests.support.paths import ROOT

_NODE: Final = ROOT / "deploy" / "examples" / "nodes" / "worker-a.yaml"


def main(nodes: int, networks: int, per_node: int, jobs: int, databases: int) -> None:
    """Write an archive, audit it and print what that took."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "archive.tar.gz"
        rows, size = _write(path, nodes, networks, per_node, databases)
        files = f"{size >> 20} MiB of databases, archive of {path.stat().st_size >> 20} MiB"
        print(f"{nodes} nodes, {databases} databases, {rows} rows, {files}")
        program = [sys.executable, "-c", "from ovnguard.reconciler.cli import main; main()"]
        command = [*program, "audit", str(path), "--enable-dynamic-udn-allocation", "-j", str(jobs)]
        started = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print("\n".join(done.stdout.splitlines()[:3]), *done.stderr.splitlines()[-2:], sep="\n")
        took = f"{time.monotonic() - started:.0f} s, processor {used.ru_utime + used.ru_stime:.0f} s"
        print(f"exit code {done.returncode}, {took}, {used.ru_maxrss >> 10} MiB in the largest process")


def _write(path: Path, nodes: int, networks: int, per_node: int, databases: int) -> tuple[int, int]:
    objects = [*_nodes(nodes), *_networks(networks), *_pods(nodes, networks, per_node)]
    documents = tuple(Document(place_of(obj), 0, obj, json.dumps(obj).encode()) for obj in objects)
    plan = judge_manifests(replace(manifests_of(documents), settings=Settings(dynamic=True)), {})
    total, size = 0, 0
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for obj in objects:
            _add(archive, place_of(obj), json.dumps(obj).encode())
        _add(archive, MARKER, json.dumps({"kinds": sorted(READ)}).encode())
        for name in map(_name, range(nodes)):
            _add(archive, place_of(zone_pod(name)), json.dumps(zone_pod(name)).encode())
        for name in map(_name, range(databases)):
            (zone,) = plan((name,)).plan.zones
            content = database(zone.node, tuple(zone.rows)[:-1])
            total, size = total + len(zone.rows), size + len(content)
            _add(archive, f"network_logs/ovnk_database_store/ovnkube-node-{name}_nbdb", content)
    return total, size


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    archive.addfile(info, io.BytesIO(content))


def _name(number: int) -> str:
    return f"worker-{number:03}"


def _nodes(count: int) -> Iterator[dict[str, Any]]:
    (template,) = read_sources([str(_NODE)]).documents
    for number in range(count):
        text = json.dumps(template.value).replace("worker-a", _name(number))
        text = text.replace("172.18.0.2", str(ip_address("172.18.0.2") + number))
        text = text.replace("10.128.0.0/23", f"{ip_address('10.128.0.0') + 512 * number}/23")
        text = text.replace("000000000002", f"{number + 2:012}").replace('node-id": "2"', f'node-id": "{number + 2}"')
        yield json.loads(text)


def _networks(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        name = f"net-{number}"
        network = cudn(name, f"{ip_address('20.0.0.0') + 65_536 * (number % 1_000)}/16")
        network["spec"]["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": name}}
        yield network
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": _labels(name)}}


def _labels(name: str) -> dict[str, str]:
    return {"kubernetes.io/metadata.name": name, "k8s.ovn.org/primary-user-defined-network": ""}


def _pods(nodes: int, networks: int, per_node: int) -> Iterator[dict[str, Any]]:
    """On every node one pod of each of its networks, which are other ones than those of the node before."""
    for node in range(nodes):
        for number in range(per_node):
            network = (node * per_node + number) % networks
            name = f"net-{network}"
            address = ip_address("20.0.0.0") + 65_536 * network + 256 + node
            octets = ":".join(f"{each:02x}" for each in address.packed)
            own = {
                "ip_addresses": [f"{address}/16"],
                "mac_address": f"0a:58:{octets}",
                "role": "primary",
                "tunnel_id": 100 + node,
            }
            record = {f"{name}/{name}": own | {"gateway_ips": [str(ip_address("20.0.0.1") + 65_536 * network)]}}
            annotations = {"k8s.ovn.org/pod-networks": json.dumps(record)}
            metadata = {"name": f"pod-{node}", "namespace": name, "annotations": annotations}
            spec = {"nodeName": _name(node), "containers": [{"name": "c"}]}
            yield {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": metadata,
                "spec": spec,
                "status": {"phase": "Running"},
            }


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*given, *(1, given[0])[len(given) - 3 :])
