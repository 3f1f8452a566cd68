"""Wrong calls: one line that names the option, and exit code 2."""

import pytest

from tests.support.reconciler_cli import NODES, VALID, run


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["plan", "--nodes", NODES], "Missing option '-f' / '--filename'."),
        (["plan", "-f", VALID], "Missing option '--nodes'."),
        (["plan", "-f", VALID, "--nodes", NODES, "--node", "worker-x"], "--node: no node worker-x in --nodes"),
        (
            ["apply", "-f", VALID, "--nodes", NODES],
            "name one place to apply to: --store DIR or --nb-db NODE=REMOTE",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--store", "s", "--nb-db", "worker-a=unix:x"],
            "name one place to apply to: --store DIR or --nb-db NODE=REMOTE",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--store", "s", "--frr-dir", "d"],
            "--frr-dir needs --nb-db; a store has its own folder for FRR",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "unix:x"],
            "Invalid value for --nb-db: 'unix:x' is not NODE=REMOTE",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=http:x"],
            "Invalid value for --nb-db: 'http:x' is not a database: unix:PATH, tcp:IP:PORT or ssl:IP:PORT is needed",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=ssl:1.2.3.4:5"],
            "Invalid value for --nb-db: 'ssl:1.2.3.4:5' needs a private key, a certificate and a CA certificate",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-x=unix:x"],
            "--nb-db: no node worker-x in --nodes",
        ),
        (
            ["apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=unix:x,tcp:1.2.3.4:5"],
            "Invalid value for --nb-db: 'tcp:1.2.3.4:5' is neither encrypted nor authenticated; name an ssl: remote "
            "or add --insecure-nb",
        ),
        (
            ["run", "--node", "n", "--nb-db", "tcp:1.2.3.4:5"],
            "Invalid value for --nb-db: 'tcp:1.2.3.4:5' is neither encrypted nor authenticated; name an ssl: remote "
            "or add --insecure-nb",
        ),
        (
            ["verify", "-f", VALID, "--nodes", NODES, "--node", "worker-a", "--nb-db", "tcp:1.2.3.4:5", "--sb-db", "x"],
            "Invalid value for --nb-db: 'tcp:1.2.3.4:5' is neither encrypted nor authenticated; name an ssl: remote "
            "or add --insecure-nb",
        ),
        (
            [
                "verify",
                "-f",
                VALID,
                "--nodes",
                NODES,
                "--node",
                "worker-a",
                "--nb-db",
                "unix:x",
                "--sb-db",
                "tcp:1.2.3.4:5",
            ],
            "Invalid value for --sb-db: 'tcp:1.2.3.4:5' is neither encrypted nor authenticated; name an ssl: remote "
            "or add --insecure-nb",
        ),
        (["run", "--node", "n"], "name one place for the rows: --nb-db REMOTE or --store DIR"),
        (["run", "--node", "../n", "--store", "s"], "Invalid value for --node: '../n' is not a valid node name"),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--frr-reload", "x"],
            "--frr-reload needs --frr-conf or --frr-dir",
        ),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--vtysh", "x"],
            "--vtysh needs --frr-conf or --frr-dir",
        ),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--frr-secrets", "frr"],
            "--frr-secrets needs --frr-conf or --frr-dir",
        ),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--frr-conf", "f", "--frr-secrets", "a/b"],
            "Invalid value for --frr-secrets: 'a/b' is not a valid namespace name",
        ),
        (
            ["run", "--node", "n", "--store", "s", "--frr-secrets", "frr"],
            "--frr-secrets needs --mode own: an audit does not write",
        ),
        (
            ["verify", "-f", VALID, "--nodes", NODES, "--node", "worker-a"],
            "name what to verify: --nb-db REMOTE and --sb-db REMOTE, --frr, or all three",
        ),
        (
            ["verify", "-f", VALID, "--nodes", NODES, "--node", "worker-a", "--frr", "--nb-db", "unix:x"],
            "name what to verify: --nb-db REMOTE and --sb-db REMOTE, --frr, or all three",
        ),
        (
            [
                *("verify", "-f", VALID, "--nodes", NODES, "--node", "worker-a"),
                *("--nb-db", "unix:x", "--sb-db", "unix:y", "--frr-pathspace", "n"),
            ],
            "--frr-pathspace needs --frr",
        ),
        (
            ["run", "--mode", "own", "--node", "n", "--store", "s", "--frr-conf", "a", "--frr-dir", "b"],
            "name one place for FRR: --frr-conf FILE or --frr-dir DIR",
        ),
        (
            ["run", "--node", "n", "--store", "s", "--frr-conf", "a"],
            "--frr-conf needs --mode own: an audit does not write",
        ),
        (["run", "--node", "n", "--store", "s", "--record"], "--record needs --mode own: an audit does not write"),
        (
            ["run", "--node", "n", "--nb-db", "ssl:1.2.3.4:5"],
            "Invalid value for --nb-db: 'ssl:1.2.3.4:5' needs a private key, a certificate and a CA certificate",
        ),
        (
            ["run", "--node", "n", "--nb-db", "ssl:1.2.3.4:5", "--nb-ca-cert", "x"],
            "--nb-private-key, --nb-certificate and --nb-ca-cert belong together",
        ),
        (
            ["run", "--node", "n", "--store", "s", "--kubeconfig", "/nowhere"],
            "/nowhere: Invalid kube-config file. No configuration found.; name one with --kubeconfig",
        ),
        (
            ["plan", "-f", VALID, "--nodes", NODES, "--store", "s", "-o", "nbctl"],
            "-o nbctl prints commands for empty databases; use `diff --store DIR -o nbctl` to compare",
        ),
        (["nothing"], "No such command 'nothing'."),
    ],
    ids=lambda value: " ".join(value[:1] + value[-2:]) if isinstance(value, list) else "",
)
def test_wrong_calls(args, text):
    done = run(*args)
    assert (done.code, done.out) == (2, "")
    assert done.err == text


@pytest.mark.parametrize(
    "args",
    [
        ["plan", "-f", VALID, "--nodes", NODES, "--store", ""],
        ["apply", "-f", VALID, "--nodes", NODES, "--store", ""],
        ["run", "--node", "n", "--store", ""],
    ],
    ids=lambda args: args[0],
)
def test_a_place_without_a_name_is_refused(args):
    done = run(*args)
    assert (done.code, done.out) == (2, "")
    assert done.err == "Invalid value for '--store': the name is empty; use . for the current folder"
