"""Options of a writer: what they become, and which calls are wrong."""

from pathlib import Path

import pytest

from ovnguard.reconciler.apply.deletion_brake import Limit
from ovnguard.reconciler.commands.mode_options import Writing
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from tests.support.reconciler_cli import run

CALL = ("run", "--node", "n", "--store", "s")


def test_options_of_a_writer():
    assert Writing((), (), None).options(audit=False) == WriteOptions(False, None, frozenset(), Limit(10, True))
    given = Writing(("a", "b"), ("b",), Limit(3, False))
    assert given.options(audit=False) == WriteOptions(False, frozenset("ab"), frozenset("b"), Limit(3, False))
    assert Writing((), (), None, unenforced=True).options(audit=False) == WriteOptions(unenforced=True)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["--mode", "write"], "Invalid value for '--mode': 'write' is not one of 'audit', 'own'."),
        (["--adopt", "a"], "--adopt needs --mode own: an audit does not write"),
        (["--networks", "a"], "--networks needs --mode own: an audit does not write"),
        (["--max-deletions", "0"], "--max-deletions needs --mode own: an audit does not write"),
        (["--unenforced-policies"], "--unenforced-policies needs --mode own: an audit does not write"),
        (
            ["--mode", "own", "--default-network", "x"],
            "--default-network needs --mode audit: a writer follows the cluster's own object",
        ),
        (["--default-network", "absent.yaml"], "absent.yaml:1:1: cannot be read: No such file or directory"),
        (["--read-only"], "No such option '--read-only'."),
        (["--mode", "own", "--networks", "a", "--adopt", "b"], "--adopt: b is not among --networks"),
        *(
            (
                ["--mode", "own", "--max-deletions", text],
                f"Invalid value for '--max-deletions': {text!r} is neither a number nor a percentage such as 10%",
            )
            for text in ("", "ten", "-1", "10 %", "1.5%", "٣", "99999999")
        ),
    ],
    ids=" ".join,
)
def test_wrong_calls(args: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    done = run(*CALL, *args)
    assert (done.code, done.out, done.err) == (2, "", text)


def test_a_default_network_is_one_object_of_its_kind(tmp_path: Path) -> None:
    file = tmp_path / "network.yaml"
    file.write_text("{apiVersion: v1, kind: Namespace, metadata: {name: red}}\n")
    done = run(*CALL, "--default-network", str(file))
    text = "contains no operator.openshift.io Network, or more than one"
    assert (done.code, done.out, done.err) == (2, "", f"{file}:1:1: {text}")


def test_an_audit_of_the_leader_records_nothing_that_could_be_limited():
    done = run("cluster", "--networks-only")
    assert (done.code, done.err) == (2, "--networks-only needs --mode own: an audit does not write")
    done = run("cluster", "--unenforced-policies")
    assert (done.code, done.err) == (2, "--unenforced-policies needs --mode own: an audit does not write")
