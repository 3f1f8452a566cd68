"""`--audit` as a wrong call, and against a database that is not there."""

import pytest

from tests.support.reconciler_cli import NODES, VALID, run

INPUTS = ("-f", VALID, "--nodes", NODES)
DATABASE = ("--nb-db", "worker-a=unix:/nonexistent.sock")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--store", "x"), "--audit compares live databases (--nb-db NODE=REMOTE), not --store"),
        ((*DATABASE, "--host", "worker-a"), "--audit compares live databases (--nb-db NODE=REMOTE), not --host"),
        ((*DATABASE, "-o", "nbctl"), "--audit has no output nbctl: text or json"),
    ],
)
def test_options_that_an_audit_does_not_have(arguments, message):
    done = run("diff", "--audit", *INPUTS, *arguments)
    assert (done.code, done.err) == (2, message)


def test_a_machine_is_no_part_of_an_audit():
    databases = ("--node", "worker-a", "--nb-db", "unix:/x", "--sb-db", "unix:/y")
    done = run("verify", "--audit", *INPUTS, *databases, "--host", "worker-a")
    assert (done.code, done.err) == (2, "--audit compares the database alone, not --host")


def test_a_database_that_is_not_there():
    done = run("diff", "--audit", *INPUTS, *DATABASE)
    assert done.code == 3
    assert "error: node worker-a: unix:/nonexistent.sock: No such file or directory" in done.err
