"""Pods among manifests: planned, placed, kept where they are, and every complaint where they are described."""

import json
from pathlib import Path

import pytest

from tests.support.reconciler_cli import NODES, Outcome, run

RECORD = "k8s.ovn.org/pod-networks"
BLUE = {"ip_addresses": ["10.100.0.9/16"], "mac_address": "0a:58:0a:64:00:09", "tunnel_id": 12, "role": "primary"}
NETWORK = {
    "apiVersion": "k8s.ovn.org/v1",
    "kind": "UserDefinedNetwork",
    "metadata": {
        "name": "net",
        "namespace": "blue",
        "annotations": {"ovnguard.io/transit-subnets": "100.88.0.0/16"},
    },
    "spec": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.100.0.0/28"]}},
}
NAMESPACE = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "blue", "labels": {"k8s.ovn.org/primary-user-defined-network": ""}},
}


def pod(name: str, node: str = "worker-a", record: object = None, **spec: object) -> dict:
    annotations = {} if record is None else {RECORD: record if isinstance(record, str) else json.dumps(record)}
    metadata = {"name": name, "namespace": "blue", "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": node, **spec}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A network and its namespace."""
    (tmp_path / "in").mkdir()
    write(tmp_path, net=NETWORK, namespace=NAMESPACE)
    return tmp_path


def write(folder: Path, **objects: dict) -> None:
    for name, obj in objects.items():
        (folder / "in" / f"{name}.yaml").write_text(json.dumps(obj))


def plan(folder: Path, *args: object) -> Outcome:
    return run("plan", "-f", folder / "in", "--nodes", NODES, *args)


def apply(folder: Path) -> Outcome:
    return run("apply", "-f", folder / "in", "--nodes", NODES, "--store", folder / "store", "-v")


def addresses(folder: Path) -> dict[str, str]:
    """Addresses of pods' ports in the zone of worker-a."""
    done = json.loads(plan(folder, "--node", "worker-a", "-o", "json").out)
    rows = [step["row"] for step in done["nodes"]["worker-a"]["operations"] if step["table"] == "Logical_Switch_Port"]
    return {row["name"]: row["addresses"][1][0] for row in rows if ["pod", "true"] in row["external_ids"][1]}


def notes(done: Outcome) -> list[str]:
    return [line for line in done.err.splitlines() if "od" in line and "not checked" not in line]


def test_pods_are_planned_with_what_they_record(folder: Path) -> None:
    write(folder, a=pod("a", record={"blue/net": {**BLUE, "ip_addresses": ["10.100.0.9/28"]}}))
    done = plan(folder)
    assert (done.code, notes(done)) == (0, [])
    assert addresses(folder) == {"blue.net_blue_a": "0a:58:0a:64:00:09 10.100.0.9"}


def test_pods_without_record_are_given_places_and_keep_them(folder: Path) -> None:
    write(folder, m=pod("m"), z=pod("z", "worker-b"))
    done = apply(folder)
    text = "network blue_net: allocated addresses for pods that record none: blue/m 10.100.0.3; blue/z 10.100.0.4"
    assert (done.code, notes(done)[-1]) == (0, f"note: {text}")
    write(folder, a=pod("a"))
    (folder / "in" / "m.yaml").unlink()
    done = apply(folder)
    assert done.code == 0
    lines = [line for line in done.out.splitlines() if "blue_" in line and "_Port" in line]
    port = "Logical_Switch_Port blue.net_blue_"
    assert lines == [f"    + {port}a", f"    - {port}m"] * 3
    assert apply(folder).out.splitlines()[-1] == "no changes"


def test_more_pods_than_addresses(folder: Path) -> None:
    for number in range(13):
        write(folder, **{f"p{number:02}": pod(f"p{number:02}")})
    done = plan(folder)
    assert done.code == 1
    (line,) = [line for line in done.err.splitlines() if "error" in line]
    text = "no IPv4 address left: all 12 of 10.100.0.0/28 for pods are in use"
    assert line == f"{folder}/in/p12.yaml:1:1: error: network blue_net, node worker-a, pod blue/p12: {text}"


def test_complaints_are_at_the_position_of_the_pod(folder: Path) -> None:
    write(
        folder,
        a=pod("a", record={"blue/net": BLUE}),
        b=pod("b", record={"blue/net": BLUE}),
        c=pod("c", record="["),
        d=pod(
            "d",
            "worker-x",
            {
                "blue/net": {
                    **BLUE,
                    "ip_addresses": ["10.100.0.5/28"],
                    "tunnel_id": 14,
                    "mac_address": "0a:58:0a:64:00:05",
                }
            },
        ),
        e=pod("e", hostNetwork=True),
        f=pod("f", record={"blue/other": BLUE}),
    )
    done = plan(folder)
    assert done.code == 1
    place = f"{folder}/in"
    errors = [line for line in done.err.splitlines() if "error" in line]
    assert errors[0].startswith(f"{place}/c.yaml:1:")
    assert errors[0].endswith(f': error: metadata.annotations[{RECORD}]: Invalid value: "[": must be JSON')
    held = "address 10.100.0.9 is already held by pod blue/a"
    assert errors[1:] == [f"{place}/b.yaml:1:1: error: network blue_net, node worker-a, pod blue/b: {held}"]
    assert notes(done) == [
        f"note: {place}/e.yaml:1: Pod blue/e is on no network of the manifests",
        "note: pod blue/f: no port on blue/other, which no object declares",
        "note: network blue_net, node worker-x, pod blue/d: its node is not known",
        *errors,
    ]


def test_with_dynamic_allocation_only_nodes_with_pods_have_the_network(folder: Path) -> None:
    write(folder, pod=pod("web", record={"blue/net": BLUE}))

    def on_nodes(*args: str) -> dict[str, tuple[bool, bool]]:
        """Whether each node has rows, and whether its host part names the network."""
        done = json.loads(plan(folder, "-o", "json", *args).out)["nodes"]
        return {name: (bool(node["operations"]), "blue_net" in json.dumps(node["host"])) for name, node in done.items()}

    assert set(on_nodes().values()) == {(True, True)}
    dynamic = on_nodes("--enable-dynamic-udn-allocation")
    assert dynamic.pop("worker-a") == (True, True)
    assert set(dynamic.values()) == {(False, False)}
    (folder / "in" / "pod.yaml").unlink()
    done = plan(folder, "--enable-dynamic-udn-allocation")
    assert "note: dynamic allocation: no node uses blue_net" in done.err
    assert on_nodes("--disable-dynamic-udn-allocation") == on_nodes()
