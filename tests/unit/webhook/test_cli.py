"""The command line: help, what it refuses and how it says so. Serving itself is tested with a real process."""

import contextlib
import io
import socket

import pytest

from ovnguard.validators.commandline import program
from ovnguard.webhook.certificates.self_signed import SelfSigned
from ovnguard.webhook.cli import cli, main
from ovnguard.webhook.commands.registration import Client, render


@pytest.fixture(scope="module")
def certs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certs")
    SelfSigned(folder).ensure()
    return folder


def run(*args):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as stop:
        program.run(cli, "ovnguard-webhook", [str(arg) for arg in args])
    return stop.value.code, out.getvalue(), err.getvalue()


NO_CERTIFICATE = "Give either --cert with --key, or --self-signed, or --authority-secret."


@pytest.mark.parametrize("args", [["--help"], ["serve", "-h"], ["manifests", "--help"]])
def test_help(args):
    code, out, _ = run(*args)
    assert code == 0
    assert "Usage: " in out


@pytest.mark.parametrize("name", ["serve", "manifests"])
def test_help_has_examples(name):
    assert f"Examples:\n    ovnguard-webhook {name} " in run(name, "--help")[1]


def test_manifests_prints_both(certs):
    code, out, err = run("manifests", "--url", "https://127.0.0.1:1", "--ca", certs / "ca.crt")
    assert (code, err) == (0, "")
    assert out == "---\n".join(render(Client("https://127.0.0.1:1", authority=(certs / "ca.crt").read_bytes())))


def test_manifests_for_a_service():
    assert run("manifests", "--service", "ns/svc")[1] == "---\n".join(render(Client(service=("ns", "svc")), "ns"))


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (["manifests"], "Give either --url or --service."),
        (["manifests", "--url", "https://a", "--service", "a/b"], "Give either --url or --service."),
        (["manifests", "--service", "a"], "--service: NAMESPACE/NAME is expected, not 'a'."),
        (["manifests", "--service", "a/b: c"], "--service: NAMESPACE/NAME is expected, not 'a/b: c'."),
        (
            ["manifests", "--url", "http://a"],
            "'http://a' cannot be registered: an https URL without user, query and fragment is needed",
        ),
        (["manifests", "--url", "https://a", "--ca", "/no/ca"], "/no/ca: cannot be read: No such file or directory"),
        (
            ["serve", "--client-network", "apiservers"],
            "--client-network apiservers needs --in-cluster or --kubeconfig.",
        ),
        (
            ["serve", "--client-network", "here"],
            "--client-network: a CIDR or 'apiservers' is expected: "
            "'here' does not appear to be an IPv4 or IPv6 network",
        ),
        (["serve", "--metrics-client-ca", "a"], "--metrics-client-ca needs --metrics-port."),
        (["serve", "--metrics-port", "8443"], "--metrics-port: metrics need a port of their own."),
        (
            ["serve", "--metrics-port", "1", "--metrics-host", "0.0.0.0"],
            "--metrics-host: metrics beyond this machine need --metrics-client-ca.",
        ),
        (["serve"], NO_CERTIFICATE),
        (["serve", "--cert", "a"], NO_CERTIFICATE),
        (["serve", "--key", "a", "--self-signed", "b"], NO_CERTIFICATE),
        (["serve", "--cert", "/no/c", "--key", "/no/k"], "/no/c: cannot be read: No such file or directory"),
        (["serve", "--self-signed", "/dev/null/x"], "/dev/null/x: certificates cannot be written: Not a directory"),
        (["serve", "--manifests", "a", "--in-cluster"], "Give one of --manifests, --kubeconfig and --in-cluster."),
        (["serve", "--manifests", "/no/file.yaml"], "/no/file.yaml:1:1: cannot be read: No such file or directory"),
        (["serve", "--kubeconfig", "/no/config"], "/no/config"),
        (
            ["serve", "--in-cluster"],
            "--in-cluster: this process does not run in a cluster; name one with --kubeconfig",
        ),
        (
            ["serve", "--feature-set", "X"],
            "there is no feature set 'X'; there are Default, OKD, TechPreviewNoUpgrade, ",
        ),
        (["serve", "--feature-gates", "X=true"], "no bundled definition knows the feature gate 'X'; there are "),
        (["serve", "--port", "65536"], "65536 is not in the range 0<=x<=65535"),
    ],
)
def test_one_clear_error(args, error, monkeypatch):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    assert error in err.splitlines()[-1]
    assert "Traceback" not in err


def test_port_in_use(certs):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = run("serve", "--self-signed", certs, "--port", port)
    assert (code, err) == (2, f"Error: cannot listen on 127.0.0.1:{port}: Address already in use\n")


def test_bad_key_pair(certs):
    code, _, err = run("serve", "--cert", certs / "tls.crt", "--key", certs / "ca.key")
    assert code == 2
    assert err == f"Error: {certs}/tls.crt, {certs}/ca.key: cannot be served together: KEY_VALUES_MISMATCH\n"


def test_a_bug_has_its_own_exit_code(monkeypatch, capsys):
    def fail(*_args, **_options):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(cli, "main", fail)
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 3
    error = "ovnguard-webhook: internal error: ZeroDivisionError: a bug; set OVNGUARD_DEBUG=1 for more\n"
    assert capsys.readouterr().err == error
