"""Where the user manages DNS: a real CoreDNS answers ``*.apps`` as a real API server and real DNS servers say."""

import itertools
import json
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from dns.rcode import Rcode

from ovnguard.reconciler.dns.plan.load_balancer import MAX_ADDRESSES
from ovnguard.reconciler.dns.plan.static_pod import NAMESPACE
from tests.support.dns import objects
from tests.support.dns.authority import Name
from tests.support.dns.bed import INFRASTRUCTURES, LEADER, PROGRAM, SERVICES, Bed, open_bed
from tests.support.dns.objects import DOMAIN
from tests.support.dns.query_load import QueryLoad
from tests.support.soak import sized
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

NAMES = (f"lb{number}.example.net" for number in itertools.count())
APP = f"shop.apps.{DOMAIN}"
KEPT = "CoreDNS keeps the last addresses"


class Node(Bed):
    """A node with a process that follows the load balancer."""

    def lead_to(self, **records) -> str:
        """Give the cluster a load balancer of a new name with these records; return the name."""
        name = next(NAMES)
        self.authority.names[name] = Name(**records)
        self.balance({"hostname": name})
        return name

    def status(self) -> tuple[int, dict]:
        """The exit code and the answer of `dns status`."""
        server = f"{self.authority.host}:{self.authority.port}"
        argv: list[str | Path] = [
            PROGRAM,
            "dns",
            "status",
            "--kubeconfig",
            self.api.kubeconfig,
            "--server",
            server,
            "-o",
            "json",
        ]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
        assert done.stderr == ""
        return done.returncode, json.loads(done.stdout)

    def serves(self, name: str = APP) -> dict[str, tuple[str, list[str]]]:
        """What CoreDNS answers with the present file, by type."""
        with self.coredns():
            return {kind: self.ask(name, kind) for kind in ("A", "AAAA")}


@pytest.fixture(scope="module")
def running(parts: Parts, tmp_path_factory: pytest.TempPathFactory):
    need(parts, "etcd", "kube-apiserver", "coredns")
    with open_bed(parts, tmp_path_factory.mktemp("dns"), Node) as bed:
        bed.lead_to(a=["10.0.0.5"])
        with bed.following():
            yield bed


@pytest.fixture
def node(running: Node) -> Node:
    """The node of the module, with a load balancer at 10.0.0.5."""
    running.lead_to(a=["10.0.0.5"], ttl=5)
    running.until_written("10.0.0.5")
    return running


def test_names_of_applications_have_the_address_of_the_host_name(node):
    with node.coredns():
        for name in (APP, f"a.b.apps.{DOMAIN}", f"SHOP.Apps.{DOMAIN}"):
            assert node.ask(name) == ("NOERROR", ["10.0.0.5"])
        assert node.ask(APP, tcp=True) == ("NOERROR", ["10.0.0.5"])
        assert node.ask(APP, "AAAA") == ("NOERROR", [])


def test_all_other_names_are_forwarded(node):
    others = [*(f"{name}.{DOMAIN}" for name in ("apps", "xapps", "a.xapps", "api", "api-int")), "www.example.org"]
    answers = {name: ("NOERROR", [f"192.0.2.{number}"]) for number, name in enumerate(others)}
    node.authority.names |= {name: Name(a=addresses) for name, (_, addresses) in answers.items()}
    with node.coredns():
        assert {name: node.ask(name) for name in others} == answers
        assert node.ask(f"{APP}x") == ("NXDOMAIN", [])
        assert node.ask(f"worker-a.{DOMAIN}") == ("NOERROR", ["10.0.1.1"])


def test_no_answer_fails_while_the_load_balancer_changes(node):
    """Of a hundred queries a second; CoreDNS itself finds the changed file."""
    name = node.lead_to(a=["10.0.0.10"], aaaa=["2001:db8::10"], ttl=5)
    node.until_written("10.0.0.10", "2001:db8::10")
    allowed, lasted = {"A": {"10.0.0.10"}, "AAAA": {"2001:db8::10"}}, []
    with node.coredns(), QueryLoad(node.ports[0], f"apps.{DOMAIN}") as load:
        for number in range(11, sized(12, 40)):
            v4, v6, changed = f"10.0.0.{number}", f"2001:db8::{number}", time.monotonic()
            allowed["A"].add(v4)
            allowed["AAAA"].add(v6)
            node.authority.names[name] = Name(a=[v4], aaaa=[v6], ttl=5)
            node.until(partial(load.is_answered, "A", v4), v4)
            lasted.append(time.monotonic() - changed)
            node.until(partial(load.is_answered, "AAAA", v6), v6)
            assert node.answers() == (v4, v6)
            time.sleep(1)
            assert load.answered_since(time.monotonic() - 0.5) == {"A": {v4}, "AAAA": {v6}}
    assert load.failed == []
    assert load.answered_since(0) == allowed
    # the records' TTL and CoreDNS's interval, with room for a busy machine
    assert max(lasted) < 5 + 3 + 20


def test_changed_host_name_is_written_once_and_other_orders_never(node):
    node.lead_to(a=["10.0.0.21", "10.0.0.22"], ttl=5)
    node.until_written("10.0.0.21", "10.0.0.22")
    before = node.corefile.stat().st_ino
    others = [node.lead_to(a=["10.0.0.22", "10.0.0.21"]) for _ in range(2)]
    node.until(lambda: node.authority.count(others[1]) >= 2, "another name is looked up")
    renders = node.metric('renders_total{result="written"}')
    node.until(lambda: node.metric('lookups_total{result="ok"}') > 0, "the lookup is over")
    assert node.metric('renders_total{result="written"}') == renders
    assert node.corefile.stat().st_ino == before


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        ({"rcode": Rcode.NXDOMAIN}, "{}: NXDOMAIN"),
        ({"rcode": Rcode.SERVFAIL}, "{}: 127.0.0.1@{port}: SERVFAIL"),
        ({"a": ["10.0.0.9"], "delay": 30.0}, "{}: no answer within 5 s"),
        ({}, "{}: has no address"),
    ],
    ids=["NXDOMAIN", "SERVFAIL", "slow", "empty"],
)
def test_failed_lookup_keeps_the_answers_and_is_reported(node, records, problem):
    name = node.lead_to(**records)
    note = f"{problem.format(name, port=node.authority.port)}; {KEPT}"
    node.until(lambda: ("LoadBalancerProblem", note) in node.events(), note)
    assert note in node.log_lines()
    assert node.answers() == ("10.0.0.5",)
    node.until(lambda: node.metric("stale_age_seconds") > 0, "an age")
    assert node.http("/readyz") == (200, "ok\n")
    node.lead_to(a=["10.0.0.31"])
    node.until_written("10.0.0.31")
    node.until(lambda: node.metric("stale_age_seconds") == 0, "the age")


def test_load_balancer_with_ipv6_alone(node):
    node.lead_to(aaaa=["2001:db8::5"])
    node.until_written("2001:db8::5")
    assert node.serves() == {"A": ("NOERROR", []), "AAAA": ("NOERROR", ["2001:db8::5"])}


def test_load_balancer_with_both_families(node):
    node.lead_to(a=["10.0.0.6"], aaaa=["2001:db8::6"])
    node.until_written("10.0.0.6", "2001:db8::6")
    assert node.serves() == {"A": ("NOERROR", ["10.0.0.6"]), "AAAA": ("NOERROR", ["2001:db8::6"])}


def test_thousand_addresses_come_over_tcp_and_are_limited(node):
    node.lead_to(a=[f"10.1.{index // 250}.{index % 250 + 1}" for index in range(1000)])
    lowest = [f"10.1.0.{number}" for number in range(1, MAX_ADDRESSES + 1)]
    node.until_written(*lowest)
    assert node.serves()["A"] == ("NOERROR", sorted(lowest))


def test_service_of_another_controller_is_ignored(node):
    node.authority.names["shard.example.net"] = Name(a=["10.0.0.66"])
    node.put(SERVICES, objects.service({"hostname": "shard.example.net"}, name="router-shard"))
    node.lead_to(a=["10.0.0.7"])
    node.until_written("10.0.0.7")
    assert node.authority.count("shard.example.net") == 0


def test_answers_of_a_deleted_service_stay(node):
    node.lead_to(a=["10.0.0.8"])
    node.until_written("10.0.0.8")
    assert node.api.request("DELETE", f"{SERVICES}/router-default")[0] == 200
    text = f"Service openshift-ingress/router-default: does not exist; {KEPT}"
    node.until(lambda: text in node.log_lines(), text)
    assert node.answers() == ("10.0.0.8",)


def test_name_below_apps_is_a_loop(node):
    node.balance({"hostname": f"lb.apps.{DOMAIN}"})
    node.until(
        lambda: any("is itself one of the names" in line and line.endswith(KEPT) for line in node.log_lines()),
        "the loop",
    )
    assert node.answers() == ("10.0.0.5",)
    assert node.authority.count(f"lb.apps.{DOMAIN}") == 0


def test_upgraded_monitor_finds_its_file_as_it_is(node):
    before = node.corefile.stat()
    with node.running("--once", "--mode", "own", *node.files(), log="once.log") as once:
        assert once.process.wait(30) == 0
    assert node.corefile.stat().st_ino == before.st_ino
    assert not any("written" in line for line in node.log_lines("once.log"))


def test_folder_without_write_permission(node):
    path = Path("/sys/ovnguard/Corefile")
    with node.running("--once", "--mode", "own", "--corefile", path, log="refused.log") as once:
        assert once.process.wait(30) == 1
    lines = node.log_lines("refused.log")
    assert any(line.startswith("/sys/ovnguard") for line in lines), lines
    assert node.answers() == ("10.0.0.5",)


def test_status_of_the_cluster_finds_the_record_that_is_missing(node):
    records = {f"{name}.{DOMAIN}": Name(a=["10.0.0.9"]) for name in ("api", "api-int")}
    node.authority.names |= records
    name = node.lead_to(a=["10.0.0.5"])
    missing = {"name": f"*.apps.{DOMAIN}", "type": "CNAME", "value": name, "state": "missing", "detail": "NXDOMAIN"}
    code, found = node.status()
    assert (code, found["state"], found["problems"]) == (1, "CoreDNS", [])
    assert missing.items() <= found["records"][-1].items()
    node.authority.names[f"ovnguard-check.apps.{DOMAIN}"] = Name(alias=name)
    code, found = node.status()
    assert (code, [each["state"] for each in found["records"]]) == (0, ["resolves", "resolves", "correct"])


def test_released_api_records_the_address_once_and_serves_all_names(node):
    pods = node.folder / "kubernetes"
    images = ["--coredns-image", "coredns", "--monitor-image", "ovnguard"]
    node.choose(objects.infrastructure("GCP", objects.hosted(api=["10.0.0.41"], api_int=["10.0.0.42"])))
    try:
        options = ("--record", "--mode", "own", "--static-pod", pods, *images)
        with node.running(*options, log="leader.log", account=LEADER) as leader:
            node.balance({"ip": "10.0.0.43"})
            node.until_written("10.0.0.43", "10.0.0.41", "10.0.0.42")
            with node.coredns():
                served = [node.ask(name)[1] for name in (APP, f"api.{DOMAIN}", f"api-int.{DOMAIN}")]
            assert served == [["10.0.0.43"], ["10.0.0.41"], ["10.0.0.42"]]
            stored = node.api.request("GET", f"{INFRASTRUCTURES}/cluster")[1]
            hosted = stored["status"]["platformStatus"]["gcp"]["cloudLoadBalancerConfig"]["clusterHosted"]
            assert hosted["ingressLoadBalancerIPs"] == ["10.0.0.43"]
            manifest = json.loads((pods / "manifests" / "coredns.yaml").read_text())
            assert node.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})[0] == 201
            place = f"/api/v1/namespaces/{NAMESPACE}/pods?dryRun=All&fieldValidation=Strict"
            assert node.api.request("POST", place, manifest)[0] == 201
            leader.process.send_signal(signal.SIGTERM)
            assert leader.process.wait(60) == 0
        assert sum("recorded" in line for line in node.log_lines("leader.log")) == 1
        after = node.api.request("GET", f"{INFRASTRUCTURES}/cluster")[1]
        assert after["metadata"]["resourceVersion"] == stored["metadata"]["resourceVersion"]
    finally:
        node.choose(objects.infrastructure())


def test_lookup_in_progress_does_not_delay_the_end(node):
    other = node.folder / "other"
    with node.running("--mode", "own", "--corefile", other, log="ended.log") as process:
        node.until(other.exists, "the process writes its file")
        name = node.lead_to(a=["10.0.0.9"], delay=30.0)
        # each of two processes asks for both families
        node.until(lambda: node.authority.count(name) >= 4, "both processes ask")
        asked = time.monotonic()
        process.process.send_signal(signal.SIGTERM)
        assert process.process.wait(30) == 0
    # a lookup takes five seconds
    assert time.monotonic() - asked < 4
