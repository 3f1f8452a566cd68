"""`ovnguard-reconciler dns`: what its commands print."""

import json
from ipaddress import ip_address

import pytest
import yaml

from ovnguard.reconciler.dns.apply.lookup import Answer
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterConfigError, ClusterError
from tests.support.dns.cluster_objects import (
    LB,
    PROPOSED,
    cluster_dns,
    cluster_version,
    coredns,
    infrastructure,
    install_config,
    node,
    router,
)
from tests.support.dns.objects import DOMAIN
from tests.support.reconciler_cli import run

RUNNING = (infrastructure(), cluster_dns(), router({"hostname": LB}), node(), coredns(), cluster_version("Completed"))
PROBE = f"ovnguard-check.apps.{DOMAIN}"


@pytest.fixture
def answers(monkeypatch):
    """Addresses by name; every other name does not exist. ``answers["asked"]`` are the servers."""
    found = {}

    def look_up(questions, servers):
        found["asked"] = list(map(str, servers))
        return {each: _answer(found.get(each.name), each.version) for each in questions}

    monkeypatch.setattr("ovnguard.reconciler.dns.commands.inputs.look_up", look_up)
    return found


def _answer(texts, version):
    if texts is None:
        return Answer(problem="NXDOMAIN")
    return Answer(tuple(each for each in map(ip_address, texts) if each.version == version), 60)


@pytest.fixture
def files(tmp_path):
    """Write objects to a file, and return its path."""

    def write(*objects):
        path = tmp_path / "objects.yaml"
        path.write_text("".join(f"---\n{json.dumps(each)}\n" for each in objects))
        return path

    return write


def test_status_of_a_cluster_without_the_record_of_apps(answers, files):
    answers |= {LB: ["10.0.0.5"], f"api.{DOMAIN}": ["10.0.0.6"], f"api-int.{DOMAIN}": ["10.0.0.7"]}
    found = run("dns", "status", "-f", files(*RUNNING), "--server", "10.0.0.2", "--server", "[fd00::2]:5353")
    assert found.code == 1
    assert found.out == (
        f"state: UserApps (AWS, proposed API, {DOMAIN})\n"
        "steps:\n"
        "  user: create the record of *.apps in your own DNS\n"
        "  monitor on the nodes: follow the load balancer: rewrite the Corefile when its addresses change\n"
        "records:\n"
        f"  resolves  api.{DOMAIN}      CNAME  <the load balancer of api>        before the installation"
        " (leads to 10.0.0.6)\n"
        f"  resolves  api-int.{DOMAIN}  CNAME  <the load balancer of api-int>    before the installation"
        " (leads to 10.0.0.7)\n"
        f"  missing   *.apps.{DOMAIN}   CNAME  {LB}  after the installation (NXDOMAIN)\n"
        "problems:\n"
        f"  *.apps.{DOMAIN}: does not resolve: NXDOMAIN\n"
    )
    assert answers["asked"] == ["10.0.0.2", "[fd00::2]:5353"]


def test_status_as_json_when_nothing_is_owed(answers, files):
    answers |= {LB: ["10.0.0.5", "fd00::5"], PROBE: ["10.0.0.5", "fd00::5"], "lb.example.net": ["10.0.0.6"]}
    answers |= {f"api.{DOMAIN}": ["10.0.0.6"], f"api-int.{DOMAIN}": ["10.0.0.7"]}
    words = ("--api-target", "lb.example.net", "--api-int-target", "10.0.0.7", "--server", "10.0.0.2", "-o", "json")
    found = run("dns", "status", "-f", files(*RUNNING), *words)
    document = json.loads(found.out)
    assert found.code == 0
    assert [document[key] for key in ("state", "api", "platform", "baseDomain", "problems")] == [
        *("Steady", "proposed", "AWS", DOMAIN),
        [],
    ]
    assert [(each["name"], each["type"], each["value"], each["state"]) for each in document["records"]] == [
        (f"api.{DOMAIN}", "CNAME", "lb.example.net", "correct"),
        (f"api-int.{DOMAIN}", "A", "10.0.0.7", "correct"),
        (f"*.apps.{DOMAIN}", "CNAME", LB, "correct"),
    ]
    assert [each["state"] for each in document["steps"]] == ["Steady"]


def test_status_before_the_installation_sends_no_queries(answers, files):
    found = run("dns", "status", "-f", files(install_config()), "--no-lookup")
    assert (found.code, found.out.splitlines()[0]) == (0, f"state: Validate (AWS, proposed API, {DOMAIN})")
    assert answers == {}


def test_status_of_a_refused_configuration(answers, files):
    found = run("dns", "status", "-f", files(install_config(PROPOSED | {"apiIntLBName": ""})), "--no-lookup")
    assert (found.code, found.out) == (
        1,
        f"state: Failed (AWS, proposed API, {DOMAIN})\n"
        "problems:\n"
        "  install-config.yaml: platform.aws.userConfiguredDNSLB.apiIntLBName: Required value: userDNS Enabled "
        "requires a load balancer for api-int\n",
    )


def test_status_of_nothing_is_the_first_state(answers, files):
    found = run("dns", "status", "-f", files(node()), "--no-lookup")
    assert (found.code, found.out.splitlines()[:2]) == (
        0,
        [
            "state: Prerequisites",
            "steps:",
        ],
    )


def test_manifests_of_an_installation(answers, files):
    answers |= {f"api.{DOMAIN}": ["10.0.0.6"]}
    found = run("dns", "manifests", "-f", files(install_config()), "--server", "10.0.0.2", "--infra-id", "c1-x7k2p")
    written = list(yaml.safe_load_all(found.out))
    assert (found.code, [each["kind"] for each in written]) == (0, ["Infrastructure", "DNS"])
    assert written[0]["status"]["infrastructureName"] == "c1-x7k2p"
    assert found.err == f"warning: api-int.{DOMAIN}: does not resolve: NXDOMAIN\n"


def test_manifests_as_json_with_addresses(answers, files):
    words = ("--no-lookup", "--api-int-address", "10.0.0.7", "--api-address", "203.0.113.5", "-o", "json")
    found = run("dns", "manifests", "-f", files(install_config("Enabled", "gcp")), *words)
    block = json.loads(found.out)[0]["status"]["platformStatus"]["gcp"]["cloudLoadBalancerConfig"]
    assert (found.code, block["clusterHosted"]) == (
        0,
        {"apiIntLoadBalancerIPs": ["10.0.0.7"], "apiLoadBalancerIPs": ["203.0.113.5"]},
    )


def test_warnings_of_a_configuration_and_of_its_manifests(answers, files):
    same = install_config(PROPOSED | {"apiLBName": "int-lb"})
    found = run("dns", "manifests", "-f", files(same), "--no-lookup")
    assert (found.code, found.err) == (
        0,
        'warning: platform.aws.userConfiguredDNSLB.apiLBName: Duplicate value: "int-lb": api and api-int use the same '
        "load balancer\n",
    )
    found = run("dns", "manifests", "-f", files(install_config("Enabled")), "--no-lookup")
    field = "status.platformStatus.aws.cloudLoadBalancerConfig.clusterHosted.apiIntLoadBalancerIPs"
    text = "AWS API Server Internal IPs unavailable when the DNSType is ClusterHosted"
    assert (found.code, found.err) == (0, f"warning: {field}: Invalid value: {text}\n")


def test_a_refused_configuration_has_no_manifests(answers, files):
    found = run("dns", "manifests", "-f", files(install_config(subnets=())), "--no-lookup")
    assert (found.code, found.out) == (1, "")
    assert found.err == (
        "error: install-config.yaml: platform.aws.vpc.subnets: Required value: userDNS Enabled requires existing "
        "subnets: those of your load balancers\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name install-config.yaml with -f"),
        (("-f", "OBJECTS"), "no install configuration in OBJECTS"),
        (
            ("-f", "OBJECTS", "--api-address", "ten"),
            "Invalid value for '--api-address': \"ten\" is not the address of a load balancer",
        ),
        (("-f", "OBJECTS", "--server", "dns"), "Invalid value for '--server': 'dns' is not ADDRESS or ADDRESS:PORT"),
        (("--no-lookup", "--server", "10.0.0.2"), "--server and --no-lookup exclude each other"),
    ],
)
def test_wrong_calls(answers, files, words, message):
    path = str(files(node()))
    found = run("dns", "manifests", *(path if word == "OBJECTS" else word for word in words))
    assert found.code == 2
    assert found.err.startswith(message.replace("OBJECTS", path))


def test_an_invalid_name_of_a_user_load_balancer_is_a_problem(answers, files):
    found = run("dns", "status", "-f", files(node()), "--api-target", "a b")
    assert (found.code, found.err) == (2, "Invalid value for '--api-target': 'a b' is not a DNS name or an address")


def test_only_errors_about_fields_are_shown(answers, files):
    found = run("dns", "manifests", "-f", files(install_config() | {"metadata": {}}), "--no-lookup")
    assert (found.code, found.out) == (1, "")
    assert found.err == "error: install-config.yaml: metadata.name: Required value: name or generateName is required\n"


def test_a_name_that_is_no_dns_name_has_no_manifests(answers, files):
    found = run("dns", "manifests", "-f", files(install_config(baseDomain="Example.com")), "--no-lookup")
    assert (found.code, found.out) == (1, "")
    assert found.err == "error: install-config.yaml: <metadata.name>.<baseDomain>: is not a DNS name in lower case\n"


def test_corefile_of_a_cluster(answers, files):
    answers |= {LB: ["10.0.0.5"]}
    found = run("dns", "corefile", "-f", files(*RUNNING), "--upstream", "10.0.0.2")
    assert (found.code, found.err, answers["asked"]) == (0, "", ["10.0.0.2"])
    assert '        answer "{{ .Name }} 60 in {{ .Type }} 10.0.0.5"\n' in found.out
    assert "    forward . 10.0.0.2 {\n" in found.out


def test_the_servers_of_a_node_without_the_node_itself(answers, files, tmp_path):
    resolv_conf = tmp_path / "resolv.conf"
    resolv_conf.write_text("nameserver 127.0.0.1\nnameserver 10.0.0.2\n")
    answers |= {LB: ["10.0.0.5"]}
    found = run("dns", "corefile", "-f", files(*RUNNING), "--resolv-conf", resolv_conf, "-o", "json")
    assert "forward . 10.0.0.2 {" in json.loads(found.out)["corefile"]
    assert answers["asked"] == ["10.0.0.2"]


def test_a_load_balancer_that_does_not_resolve_has_no_corefile(answers, files):
    found = run("dns", "corefile", "-f", files(*RUNNING), "--upstream", "10.0.0.2")
    assert (found.code, found.out) == (1, "")
    assert f"warning: {LB}: NXDOMAIN\n" in found.err


def test_a_node_without_another_server_has_no_corefile(answers, files, tmp_path):
    resolv_conf = tmp_path / "resolv.conf"
    resolv_conf.write_text("nameserver 127.0.0.1\n")
    found = run("dns", "corefile", "-f", files(infrastructure(), cluster_dns()), "--resolv-conf", resolv_conf)
    assert (found.code, found.out, found.err) == (1, "", "warning: resolv.conf: No upstream DNS servers found\n")


def test_the_dns_of_the_platform_has_no_corefile(answers, files):
    found = run("dns", "corefile", "-f", files(infrastructure(""), cluster_dns()), "--upstream", "10.0.0.2")
    assert (found.code, found.out) == (1, "")
    assert found.err == "error: the platform manages DNS: no CoreDNS runs on the nodes for it\n"


@pytest.mark.parametrize(("addresses", "folder"), [(["10.0.0.5"], "manifests"), (None, "disabled-manifests")])
def test_the_pod_and_its_path(answers, files, addresses, folder):
    answers |= {} if addresses is None else {LB: addresses}
    found = run("dns", "corefile", "-f", files(*RUNNING), "--upstream", "10.0.0.2", "-o", "pod")
    first, _, rest = found.out.partition("\n")
    assert (found.code, first) == (0, f"# /etc/kubernetes/{folder}/coredns.yaml")
    assert yaml.safe_load(rest)["metadata"]["name"] == "coredns"


def test_the_checklist_of_a_deletion(answers, files):
    found = run("dns", "deletion", "-f", files(install_config(), *RUNNING))
    assert (found.code, found.out.splitlines()[:2]) == (
        0,
        [
            f"[ ] load balancer of *.apps ({LB}): openshift-install destroy cluster",
            "[ ] load balancer of api (ext-lb): user",
        ],
    )
    assert answers == {}
    listed = json.loads(run("dns", "deletion", "-f", files(install_config(), *RUNNING), "-o", "json").out)
    assert listed[1] == {"resource": "load balancer of api (ext-lb)", "by": "user"}


def test_the_checklist_of_a_cluster_with_the_dns_of_its_platform(answers, files):
    found = run("dns", "deletion", "-f", files(infrastructure(""), cluster_dns()))
    assert (found.code, found.out) == (
        0,
        "the platform manages DNS: the installer deletes everything that it created\n",
    )


class FakeClient:
    """Answers for paths; every other path does not exist."""

    def __init__(self, answers):
        self.answers = answers

    def request(self, method, path):
        assert method == "GET"
        found = self.answers.get(path, ApiStatusError(404, "NotFound", "not found"))
        if isinstance(found, Exception):
            raise found
        return found

    def close(self):
        """Nothing is open."""


CONFIG = "/apis/config.openshift.io/v1"
LIVE = {
    f"{CONFIG}/infrastructures/cluster": infrastructure(),
    f"{CONFIG}/dnses/cluster": cluster_dns(),
    f"{CONFIG}/clusterversions/version": cluster_version("Completed"),
    "/api/v1/namespaces/openshift-ingress/services/router-default": router({"hostname": LB}),
    "/api/v1/nodes": {"items": [{"metadata": {"name": "n1"}}]},
    "/api/v1/namespaces/openshift-cloud-platform-infra/pods": {
        "items": [{key: coredns()[key] for key in ("metadata", "spec", "status")}]
    },
}


def connect_to(monkeypatch, answer):
    def connect(options):
        if isinstance(answer, Exception):
            raise answer
        return FakeClient(answer)

    monkeypatch.setattr("ovnguard.validators.cluster.kubernetes_client.connect", connect)


def test_status_of_a_live_cluster(answers, monkeypatch):
    connect_to(monkeypatch, LIVE)
    answers |= {LB: ["10.0.0.5"], PROBE: ["10.0.0.5"], f"api.{DOMAIN}": ["10.0.0.6"], f"api-int.{DOMAIN}": ["10.0.0.7"]}
    found = run("dns", "status", "--server", "10.0.0.2")
    assert (found.code, found.out.splitlines()[0]) == (0, f"state: Steady (AWS, proposed API, {DOMAIN})")


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        (ClusterConfigError("no kubeconfig"), 2, "error: no kubeconfig; or name files with -f\n"),
        ({"/api/v1/nodes": ApiStatusError(403, "Forbidden", "no")}, 3, "error: 403 Forbidden: no\n"),
        ({"/api/v1/nodes": ClusterError("10.0.0.1: timed out")}, 3, "error: 10.0.0.1: timed out\n"),
    ],
)
@pytest.mark.parametrize("command", ["status", "deletion", "corefile"])
def test_a_cluster_that_cannot_be_read(answers, monkeypatch, answer, code, message, command):
    connect_to(monkeypatch, answer)
    found = run("dns", command, *(("--upstream", "10.0.0.2") if command == "corefile" else ()))
    assert (found.code, found.out, found.err) == (code, "", message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file or directory; name a server with --server"),
        ("search example.com\n", "no nameserver; name one with --server"),
    ],
)
def test_a_machine_without_dns_servers(answers, files, monkeypatch, tmp_path, text, message):
    path = tmp_path / "resolv.conf"
    if text is not None:
        path.write_text(text)
    monkeypatch.setattr("ovnguard.reconciler.dns.commands.inputs.RESOLV_CONF", str(path))
    found = run("dns", "status", "-f", files(*RUNNING))
    assert (found.code, found.out, found.err) == (2, "", f"error: {path}: {message}\n")


def test_the_servers_of_the_machine(answers, files, monkeypatch, tmp_path):
    path = tmp_path / "resolv.conf"
    path.write_text("nameserver 127.0.0.53\n")
    monkeypatch.setattr("ovnguard.reconciler.dns.commands.inputs.RESOLV_CONF", str(path))
    run("dns", "status", "-f", files(*RUNNING))
    assert answers["asked"] == ["127.0.0.53"]


@pytest.mark.parametrize("command", ["status", "manifests", "corefile", "deletion"])
def test_help_has_examples_and_exit_codes(command):
    text = run("dns", command, "--help").out
    assert f"ovnguard-reconciler dns {command}" in text
    assert "Exit codes:" in text


def test_files_that_cannot_be_read(answers, tmp_path):
    path = tmp_path / "absent.yaml"
    found = run("dns", "status", "-f", path)
    assert (found.code, found.err) == (2, f"{path}:1:1: cannot be read: No such file or directory\n")
