"""Wrong calls of `dns run`, which end before anything is watched."""

import pytest

from tests.support.reconciler_cli import run

COREFILE = ("--corefile", "Corefile")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ((), "name what to maintain: --corefile FILE, --static-pod DIR or --record"),
        (("--static-pod", "/etc/kubernetes"), "--static-pod needs --coredns-image and --monitor-image"),
        ((*COREFILE, "--namespace", "A"), "Invalid value for --namespace: 'A' is not a valid namespace name"),
        ((*COREFILE, "--reload", "1"), "Invalid value for '--reload': 1 is not in the range 2<=x<=3600."),
        (
            (*COREFILE, "--upstream", "dns.example.com"),
            "Invalid value for '--upstream': 'dns.example.com' is not ADDRESS or ADDRESS:PORT "
            "([ADDRESS]:PORT for IPv6)",
        ),
    ],
)
def test_wrong_calls(options, error):
    outcome = run("dns", "run", *options)
    assert (outcome.code, outcome.err) == (2, error)


def test_without_a_cluster(tmp_path, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    outcome = run("dns", "run", *COREFILE)
    text = "no kubeconfig and no service account: Service host/port is not set.; name one with --kubeconfig"
    assert (outcome.code, outcome.err) == (2, text)
