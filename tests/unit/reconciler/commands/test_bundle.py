"""`bundle` without a recording: where the file goes, what is said, and what is refused."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from tests.support.bundled_cluster import FORBIDDEN, contents
from tests.support.reconciler_cli import run


class Empty:
    """A cluster with one node and nothing else; `refused` is raised for the version."""

    refused: Exception | None = None

    def request(self, method: str, path: str, query: Mapping[str, str] | None = None, *_: object) -> dict[str, Any]:
        if path == "/version" and self.refused is not None:
            raise self.refused
        if path == "/api/v1/nodes":
            return {"items": [{"metadata": {"name": "worker-a"}}]}
        return {"items": [], "gitVersion": "v1.36.1"}

    def execute(self, path: str, container: str, command: Sequence[str]) -> Iterator[bytes]:
        raise AssertionError("there is no pod")

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[bytes]:
        raise AssertionError("there is no pod")

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def cluster(tmp_path, monkeypatch) -> Empty:
    found = Empty()
    monkeypatch.setattr("ovnguard.reconciler.commands.bundle.connected", lambda _: found)
    monkeypatch.chdir(tmp_path)
    return found


MISSING = "not read: Northbound database of worker-a: no pod of OVN-Kubernetes serves it\n"


def test_without_a_name_the_file_has_one_with_the_time(cluster, tmp_path):
    done = run("bundle")
    (file,) = tmp_path.iterdir()
    assert (done.code, done.out, done.err) == (1, f"{file.name}\n", MISSING)
    assert file.name.startswith("ovnguard-bundle-2")
    assert "cluster-scoped-resources/core/nodes/1.json" in contents(file.read_bytes())


def test_what_takes_long_says_what_it_does(cluster, monkeypatch):
    seconds = itertools.count()
    monkeypatch.setattr("ovnguard.reconciler.commands.bundle.time.monotonic", lambda: next(seconds))
    said = run("bundle", "-o", "b.tar.gz").err.splitlines()
    assert said[0] == "collecting namespaces"
    assert 5 < len(said) < 20


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (["-o", "no/b.tar.gz"], 2, "no/b.tar.gz: No such file or directory"),
        (["--nb-db", "worker-a"], 2, "'worker-a' is not NODE=REMOTE"),
        (["--nb-db", "worker-a=tcp:10.0.0.2:6641"], 2, "is neither encrypted nor authenticated"),
        (["--logs", "--anonymize"], 2, "--logs: nobody can tell the names in a log"),
    ],
)
def test_a_wrong_call_leaves_no_file(cluster, tmp_path, args, code, text):
    done = run("bundle", *args)
    assert done.code == code
    assert text in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_is_not_there_is_named(cluster):
    done = run("bundle", "-o", "b.tar.gz", "--nb-db", "worker-a=unix:/nowhere/nb.sock")
    assert done.code == 1
    assert done.err.startswith("not read: Northbound database of worker-a: unix:/nowhere/nb.sock: ")


def test_a_cluster_that_refuses_everything_is_one_error(cluster, tmp_path):
    cluster.refused = FORBIDDEN
    assert (run("bundle").code, run("bundle").err) == (3, "error: 403 Forbidden: may not\n")
    assert list(tmp_path.iterdir()) == []
