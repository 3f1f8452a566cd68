"""`audit` on a real ovsdb-server with the rows that OVN-Kubernetes recorded: the commands of docs/audit.md."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.plan.comparison.audit import EMPTY
from tests.support.gathered_archive import removed, write_archive
from tests.support.paths import ROOT
from tests.support.recorded_rows import RecordedZone, fill, manifests
from tests.testbed.ovn import OvnZone
from tests.testbed.process import Child, is_listening, scratch, wait_until

PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
ZONE = RecordedZone("layer3-dual-shared", "node1")
ROUTER = "red_net_ovn_cluster_router"

pytestmark = pytest.mark.conformance


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(PROGRAM), *args], capture_output=True, text=True, check=False)


@dataclass
class Audited:
    """A database with recorded rows, and the inputs that OVN-Kubernetes had."""

    remote: str
    inputs: list[str]

    def diff(self, *args: str) -> subprocess.CompletedProcess[str]:
        return run("audit", *self.inputs, "--nb-db", f"{ZONE.node}={self.remote}", *args)

    def drift(self) -> list[dict[str, Any]]:
        done = self.diff("-o", "json")
        assert done.stdout, done.stderr
        networks = json.loads(done.stdout)["nodes"][ZONE.node]["networks"]
        found = [{"network": name, **drift} for name, each in networks.items() for drift in each["drift"]]
        assert done.returncode == (1 if found else 0), done.stderr
        return found


@pytest.fixture
def zone(ovn_zone) -> OvnZone:
    """A zone that OVN-Kubernetes maintained."""
    found: OvnZone = ovn_zone(ZONE.node)
    fill(found.nb, ZONE)
    return found


@pytest.fixture
def audited(zone, tmp_path) -> Audited:
    return Audited(zone.nb, manifests(ZONE.recording, tmp_path))


def test_a_recorded_zone_has_no_drift(audited):
    done = audited.diff()
    assert (done.returncode, done.stdout.splitlines()[3].endswith(" differences explained, no drift")) == (0, True)
    assert audited.drift() == []


def test_a_zone_with_the_options_of_openshift_has_no_drift(ovn_zone, tmp_path):
    """Its options are read from the objects; one that nobody plans is named once."""
    other = RecordedZone("openshift@default", "node1")
    found = ovn_zone(other.node)
    fill(found.nb, other)
    audited = Audited(found.nb, manifests(other.recording, tmp_path))
    done = audited.diff()
    lines = [
        "node node1: 80 rows as planned, 0 differences explained, no drift",
        "  rows of other controllers: Namespace 9",
    ]
    assert (done.returncode, done.stdout.splitlines()[3:-1]) == (0, lines)
    assert "declares neither" not in done.stderr
    networks = tmp_path / "networks.json"
    networks.write_text(networks.read_text().replace("--enable-egress-qos", "--enable-egress-qos --enable-new"))
    place = "DaemonSet ovnkube-node in namespace openshift-ovn-kubernetes"
    head = f"ovnguard plans nothing from these options, which may explain drift: --enable-new ({place})"
    assert audited.diff().stdout.splitlines()[3] == head
    assert json.loads(audited.diff("-o", "json").stdout)["mayExplainDrift"] == [f"--enable-new ({place})"]
    # options of the command override those of the objects
    assert "Meter_Band" in audited.diff("--acl-logging-rate-limit", "30").stdout
    assert audited.diff("--enable-multicast=false").returncode == 1


def test_what_hands_changed_is_drift_and_nothing_is_written(audited, zone):
    nbctl = zone.nbctl
    nbctl("lr-route-add", ROUTER, "192.0.2.0/24", "100.88.0.2")
    nbctl("lsp-del", "k8s-red_net_node1")
    nbctl("set", "logical_router_port", "red_net_rtots-node1", 'mac="0a:58:64:58:00:ff"')
    contents = nbctl("list", "logical_router_static_route")
    added = audited.drift()
    assert [{key: each[key] for key in each.keys() - {"planned", "observed"}} for each in added] == [
        {
            "network": "red_net",
            "difference": "changed",
            "table": "Logical_Router_Port",
            "row": "red_net_rtots-node1",
            "column": "mac",
        },
        {
            "network": "red_net",
            "difference": "foreign",
            "table": "Logical_Router_Static_Route",
            "row": f"{ROUTER} | 192.0.2.0/24 100.88.0.2",
        },
        {"network": "red_net", "difference": "missing", "table": "Logical_Switch_Port", "row": "k8s-red_net_node1"},
    ]
    assert (added[0]["observed"], added[0]["planned"]) == ("0a:58:64:58:00:ff", "0a:58:64:58:00:03")
    assert nbctl("list", "logical_router_static_route") == contents


def test_rows_of_other_controllers_are_counted_and_our_own_notes_are_no_drift(audited, zone, tmp_path):
    nbctl = zone.nbctl
    policy = 'external_ids={"k8s.ovn.org/owner-type"=NetworkPolicy,"k8s.ovn.org/name"="blue:deny"}'
    nbctl("create", "port_group", "name=a1", policy)
    nbctl("--type=switch", "acl-add", "node1", "to-lport", "1001", "ip", "allow")
    nbctl("set", "acl", nbctl("--bare", "--columns=_uuid", "find", "acl", "match=ip").strip(), policy)
    nbctl("set", "logical_router", ROUTER, "external_ids:ovnguard.io/note=x")
    # no such policy exists
    assert [each["table"] for each in audited.drift()] == ["ACL", "Port_Group"]
    written = tmp_path / "policy.json"
    owner = {"kind": "NetworkPolicy", "metadata": {"name": "deny", "namespace": "blue"}, "spec": {"podSelector": {}}}
    written.write_text(json.dumps({"apiVersion": "networking.k8s.io/v1", **owner}))
    audited.inputs += ["-f", str(written)]
    assert audited.drift() == []
    found = json.loads(audited.diff("-o", "json").stdout)["nodes"][ZONE.node]
    assert found["otherControllers"] == {"NetworkPolicy": 2}
    done = audited.diff()
    assert "  rows of other controllers: NetworkPolicy 2\n" in done.stdout
    assert "NetworkPolicy declares" not in done.stderr


def test_the_text_for_people(audited, zone):
    zone.nbctl("lr-route-add", ROUTER, "192.0.2.0/24", "100.88.0.2")
    zone.nbctl("set", "nb_global", ".", "name=node2")
    find = ("--bare", "--columns=_uuid", "find")
    nat = zone.nbctl(*find, "nat", "logical_ip=100.65.0.3").strip()
    zone.nbctl("set", "nat", nat, "external_ip=192.0.2.1")
    route = zone.nbctl(*find, "logical_router_static_route", "ip_prefix=100.65.0.2/32").strip()
    zone.nbctl("set", "logical_router_static_route", route, "nexthop=192.0.2.2")
    done = audited.diff()
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if line.startswith("    ")] == [
        f"    ~ Logical_Router_Static_Route {ROUTER} | 100.65.0.2/32",
        "        nexthop: 192.0.2.2 -> 100.88.0.2",
        f"    + Logical_Router_Static_Route {ROUTER} | 192.0.2.0/24 100.88.0.2: foreign",
        "    ~ NAT GR_red_net_node1 | snat 100.65.0.3",
        "        external_ip: 192.0.2.1 -> 169.254.0.11",
    ]
    assert "note: node node1: the database is that of zone node2\n" in done.stderr


def test_an_empty_database_is_one_finding(ovn_zone, tmp_path):
    done = Audited(ovn_zone("empty").nb, manifests(ZONE.recording, tmp_path)).diff()
    assert done.returncode == 1
    assert done.stdout.splitlines()[3:-1] == ["node node1: not compared", f"  drift: {EMPTY}"]


def test_a_copy_of_the_database_is_audited_like_the_database(audited, zone, parts, tmp_path):
    zone.nbctl("lr-route-add", ROUTER, "192.0.2.0/24", "100.88.0.2")
    argv = [parts.ovn.tool("ovsdb-client"), "backup", zone.nb, "OVN_Northbound"]
    (tmp_path / "nb.db").write_bytes(subprocess.run(argv, check=True, capture_output=True).stdout)
    with served(parts, tmp_path / "nb.db", tmp_path) as remote:
        assert Audited(remote, audited.inputs).drift() == audited.drift()


@contextlib.contextmanager
def served(parts, database: Path, folder: Path) -> Iterator[str]:
    """The remote of a server of this database file."""
    with scratch("copy") as run:
        options = ["-vconsole:off", "-vsyslog:off", f"--unixctl={run}/ctl", f"--remote=punix:{run}/nb.sock"]
        with Child("copy", [parts.ovn.tool("ovsdb-server"), *options, database], folder / "copy.out") as server:
            wait_until(partial(is_listening, run / "nb.sock"), "copy", 60.0, [server])
            yield f"unix:{run}/nb.sock"


def test_a_database_of_an_older_schema_is_one_error(parts, tmp_path):
    schema = json.loads(parts.ovn.file("ovn-nb.ovsschema").read_text())
    del schema["cksum"], schema["tables"]["Static_MAC_Binding"]
    old, database = tmp_path / "old.ovsschema", tmp_path / "old.db"
    old.write_text(json.dumps(schema))
    subprocess.run([parts.ovn.tool("ovsdb-tool"), "create", database, old], check=True)
    with served(parts, database, tmp_path) as remote:
        done = Audited(remote, manifests(ZONE.recording, tmp_path)).diff()
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        f"error: node node1: {remote}: OVN_Northbound of schema {schema['version']} has no table "
        "Static_MAC_Binding; OVN 25.03 (schema 7.11.0) or newer is needed"
    )


@pytest.mark.parametrize("name", ["default-dual-shared", "layer3-dual-shared", "layer2-mixed", "egressip-layer2"])
def test_packets_of_a_recorded_zone_arrive(ovn_zone, parts, tmp_path, name):
    """`verify --audit`: the rows, and the way of packets through what OVN-Kubernetes wrote."""
    zone, recorded = ovn_zone("node1"), RecordedZone(name, "node1")
    fill(zone.nb, recorded)
    for number in (1, 2, 3):
        chassis = f"8f3c0d6e-1b7a-4c52-9e4d-00000000000{number}"
        zone.sbctl("chassis-add", chassis, "geneve", f"172.18.0.{number + 1}")
        zone.sbctl("set", "chassis", chassis, f"other_config:is-remote={'false' if number == 1 else 'true'}")
    zone.wait_sb()
    inputs = manifests(recorded.recording, tmp_path)
    databases = ["--node", "node1", "--nb-db", zone.nb, "--sb-db", zone.sb]
    program = ["--ovn-trace", str(parts.ovn.tool("ovn-trace")), "-o", "json"]
    verified = json.loads(run("verify", "--audit", *inputs, *databases, *program).stdout)
    assert [each["words"] for each in verified["probes"] if not each["reached"]] == []
    networks = {"default"} if name.startswith("default") else {"default", "red_net"}
    assert {each["network"] for each in verified["probes"]} == networks
    assert verified["audit"] == json.loads(Audited(zone.nb, inputs).diff("-o", "json").stdout)["nodes"]["node1"]


def test_an_archive_with_a_southbound_database_says_what_drift_does_to_packets(zone, parts, tmp_path, monkeypatch):
    chassis = "8f3c0d6e-1b7a-4c52-9e4d-000000000001"
    zone.sbctl("chassis-add", chassis, "geneve", "172.18.0.2")
    zone.nbctl("lr-policy-del", ROUTER)
    zone.nbctl("lr-route-del", ROUTER)
    zone.wait_sb()
    copies = {}
    for kind, remote, name in (("nbdb", zone.nb, "OVN_Northbound"), ("sbdb", zone.sb, "OVN_Southbound")):
        argv = [parts.ovn.tool("ovsdb-client"), "backup", remote, name]
        copies[f"ovnkube-node-node1_{kind}"] = subprocess.run(argv, check=True, capture_output=True).stdout
    archive = write_archive(tmp_path / "a.tar.gz", ZONE.recording, collected=None, databases=copies)
    without = run("audit", str(archive))
    assert "  packets: " not in without.stdout
    monkeypatch.setenv("PATH", str(parts.ovn.tool("ovn-trace").parent), prepend=os.pathsep)
    done = run("audit", str(archive))
    (found,) = [line for line in done.stdout.splitlines() if line.startswith("  packets: ")]
    assert " of network red_net on node1 do not arrive: " in found
    assert f"stops in {ROUTER}, " in found
    assert done.returncode == 1


def commands() -> list[str]:
    """Every command of docs/audit.md that runs ovnguard."""
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    return [line.removeprefix("$ ") for line in page.splitlines() if line.startswith("$ ovnguard-reconciler ")]


def test_the_commands_of_the_page(audited, zone, parts, tmp_path, monkeypatch):
    live = tmp_path / "live"
    live.mkdir()
    manifests(ZONE.recording, live)
    (tmp_path / "blue.yaml").write_text((ROOT / "deploy/examples/valid/blue-layer2.yaml").read_text())
    copies = {"unix:/var/run/ovn/ovnnb_db.sock": zone.nb, "unix:/var/run/ovn/ovnsb_db.sock": zone.sb}
    gone = removed("Logical_Switch_Port", name="red.net_red_one")
    archive = tmp_path / "must-gather.tar.gz"
    write_archive(archive, "layer3-dual-shared", collected=None, change=lambda _, tables: gone(tables))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(parts.ovn.tool("ovn-trace").parent), prepend=os.pathsep)
    printed, codes = [], []
    for line in commands():
        words = [copies.get(each, each) for each in line.replace("node1=", "node1= ").split()]
        done = run(*" ".join(words).replace("= ", "=").split()[1:])
        codes.append(done.returncode)
        printed.append(done.stdout.splitlines()[0])
        if words[1] == "audit":
            assert f"{line}\n{done.stdout}```\n" in (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    titles = ["must-gather.tar.gz", "live/", "rows", "network cluster_udn_blue"]
    assert [line.partition(":")[0] for line in printed] == titles
    assert codes == [1, 0, 0, 0]
