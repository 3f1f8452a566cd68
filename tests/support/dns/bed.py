"""User-managed DNS with real parts: an API server, the process of a node or of the leader, CoreDNS, and DNS servers."""

import contextlib
import copy
import http.client
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import dns.exception
import dns.message
import dns.query
import dns.rcode

from ovnguard import crd_schemas
from tests.support.deployed.audit_log import audited
from tests.support.deployed.installed import create_crd
from tests.support.deployed.running import as_deployed, kubeconfig_of
from tests.support.dns import objects
from tests.support.dns.authority import Authority
from tests.testbed.apiserver import ApiServer
from tests.testbed.coredns_server import CoreDns, free_ports
from tests.testbed.parts import Parts
from tests.testbed.process import Child, wait_until

PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
CONFIG = "/apis/config.openshift.io/v1"
INFRASTRUCTURES, DNSES = f"{CONFIG}/infrastructures", f"{CONFIG}/dnses"
SERVICES = "/api/v1/namespaces/openshift-ingress/services"
CONTROLLERS = "/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers"
EVENTS = "/apis/events.k8s.io/v1/namespaces/openshift-ingress/events"
NODES = "/api/v1/nodes"
NODE, LEADER = "ovnguard-dns", "ovnguard-dns-leader"
MERGE = "application/merge-patch+json"
_Bed = TypeVar("_Bed", bound="Bed")
KINDS = ("infrastructures", "dnses", "ingresscontrollers")


class Bed:
    """The world of one test module; `authority` has the load balancer's names and those of the user."""

    def __init__(self, api: ApiServer, parts: Parts, folder: Path, authority: Authority) -> None:
        self.api, self.parts, self.folder, self.authority = api, parts, folder, authority
        self.corefile = folder / "etc" / "Corefile"
        self.ports = free_ports()
        self.metrics_port = free_ports()[1]
        self.process: Child | None = None
        as_deployed(api, folder, LEADER, "components/dns/account.yaml", "components/dns-own/rights.yaml")
        self.kubeconfigs = {account: kubeconfig_of(api, folder, account) for account in (NODE, LEADER)}

    def put(self, path: str, obj: dict[str, Any]) -> None:
        """Create or replace an object with its status."""
        name = obj["metadata"]["name"]
        status, stored = self.api.request("POST", path, obj)
        if status == 409:
            status, stored = self.api.request("PATCH", f"{path}/{name}", {"spec": obj["spec"]}, MERGE)
        assert status in (200, 201), stored
        if "status" in obj:
            change = {"status": obj["status"]}
            status, stored = self.api.request("PATCH", f"{path}/{name}/status", change, MERGE)
            assert status == 200, stored

    def balance(self, *ingress: dict[str, str]) -> None:
        """Give the default router's Service these load balancers."""
        self.put(SERVICES, objects.service(*ingress))

    def choose(self, infrastructure: dict[str, Any]) -> None:
        """Make it another cluster: the choice of an existing one is immutable."""
        self.api.request("DELETE", f"{INFRASTRUCTURES}/cluster")
        self.put(INFRASTRUCTURES, infrastructure)

    @contextlib.contextmanager
    def running(self, *options: str | Path, log: str = "run.log", account: str = NODE) -> Iterator[Child]:
        """`dns run` with these options, and the rights of an account as deployed."""
        upstream = f"{self.authority.host}:{self.authority.port}"
        argv: list[str | Path] = [
            PROGRAM,
            "dns",
            "run",
            "--kubeconfig",
            self.kubeconfigs[account],
            "--upstream",
            upstream,
        ]
        before = self.process
        with Child("dns run", [*argv, "--log-format", "json", *options], self.folder / log) as child:
            self.process = child
            try:
                yield child
            finally:
                self.process = before

    def following(self, *options: str | Path) -> contextlib.AbstractContextManager[Child]:
        """The process of a node, which writes the Corefile."""
        probes = ["--metrics-bind-address", f"127.0.0.1:{self.metrics_port}"]
        return self.running("--mode", "own", *self.files(), *probes, *options)

    def files(self) -> list[str | Path]:
        """The options for the Corefile."""
        return ["--corefile", self.corefile, "--reload", "2", "--health-port", str(self.ports[1])]

    def coredns(self) -> CoreDns:
        """CoreDNS with the Corefile that a process wrote."""
        return CoreDns(self.corefile, self.ports, self.folder / "coredns.log", self.parts.coredns)

    def answers(self) -> tuple[str, ...]:
        """The addresses in the Corefile's answers, in its order."""
        text = self.corefile.read_text() if self.corefile.exists() else ""
        return tuple(line.split()[-1].strip('"') for line in text.splitlines() if line.strip().startswith("answer"))

    def until(self, done: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
        """Wait while the process lives."""
        wait_until(done, what, seconds, [] if self.process is None else [self.process])

    def until_written(self, *addresses: str) -> None:
        """Wait until the Corefile answers with these addresses."""
        self.until(lambda: self.answers() == addresses, f"{addresses} instead of {self.answers()}")

    def ask(self, name: str, kind: str = "A", tcp: bool = False) -> tuple[str, list[str]]:
        """CoreDNS's response code and addresses. A server that just starts may lose a question, so it is repeated."""
        query = dns.message.make_query(f"{name}.", kind)
        send = partial(dns.query.tcp if tcp else dns.query.udp, query, "127.0.0.1", port=self.ports[0])
        try:
            response = send(timeout=5)
        except dns.exception.Timeout:
            response = send(timeout=60)
        found = [str(each.address) for rrset in response.answer for each in rrset if hasattr(each, "address")]
        return dns.rcode.to_text(response.rcode()), sorted(found)

    def log_lines(self, log: str = "run.log") -> list[str]:
        """The log messages of a process."""
        lines = (self.folder / log).read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["message"] for line in lines]

    def http(self, path: str) -> tuple[int, str]:
        """What the process answers to a probe."""
        connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=60)
        with contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def metric(self, name: str) -> float:
        """A number of the process."""
        lines = dict(line.rsplit(" ", 1) for line in self.http("/metrics")[1].splitlines() if line[:1] != "#")
        return float(lines.get(f"ovnk_reconcile_dns_{name}", "nan"))

    def events(self) -> list[tuple[str, str]]:
        """Reasons and notes of the Events about the Service, the oldest first."""
        items = self.api.request("GET", EVENTS)[1]["items"]
        return [(each["reason"], each["note"]) for each in sorted(items, key=lambda each: each["eventTime"])]


@contextlib.contextmanager
def open_bed(parts: Parts, folder: Path, kind: type[_Bed]) -> Iterator[_Bed]:
    """An API server with the definitions and objects of a new cluster on AWS, without a load balancer yet."""
    with audited(folder, parts) as api, Authority() as authority:
        for definition in _definitions():
            create_crd(api, definition)
        for path in (INFRASTRUCTURES, DNSES, CONTROLLERS):
            wait_until(lambda path=path: api.request("GET", path)[0] == 200, f"{path} is served", 60)
        for name in ("openshift-ingress", "openshift-ingress-operator"):
            assert api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})[0] == 201
        bed = kind(api, parts, folder, authority)
        bed.put(INFRASTRUCTURES, objects.infrastructure())
        bed.put(DNSES, objects.dns())
        bed.put(CONTROLLERS, objects.controller())
        bed.put(NODES, objects.node())
        bed.put(SERVICES, objects.service())
        yield bed


def _definitions() -> Iterator[dict[str, Any]]:
    """The definitions, with the choice of both APIs for AWS: one server is then enough for tests of both."""
    proposed, released = (crd_schemas.crds(each) for each in ("enhancement", "released"))
    for name, definition in released.items():
        plural = definition["spec"]["names"]["plural"]
        made = copy.deepcopy(definition)
        if plural == "infrastructures":
            _aws(made)["dnsConfig"] = _aws(proposed[name])["dnsConfig"]
        if plural in KINDS:
            yield made


def _aws(definition: dict[str, Any]) -> dict[str, Any]:
    """The fields of a platform status on AWS."""
    found = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for field in ("status", "platformStatus", "aws"):
        found = found["properties"][field]
    return found["properties"]
