"""`-o html` of plan, diff and audit: what the text says is on the page."""

import json
import shutil
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.host_state import HostState
from tests.support.reconciler_cli import APPLICABLE, INVALID, NODES, VALID, run
from tests.unit.reconciler.plan.render.test_page import Document


def test_a_plan_as_a_page(tmp_path: Path) -> None:
    shutil.copytree(VALID, tmp_path / "networks")
    shutil.copy(f"{INVALID}/join-overlap.yaml", tmp_path / "networks")
    done = run("plan", "-f", tmp_path / "networks", "--nodes", NODES, "-o", "html")
    assert (done.code, done.err) == (1, "")
    document = Document(done.out)
    text = "".join(document.texts)
    assert (
        "Plan: 489 to add, 0 to change, 0 to destroy on 3 nodes; FRR configuration of 3 nodes; 1 network not planned"
        in text
    )
    assert "OVNG-NET-001" in text
    assert "Logical_Router_Port rtoe-GR_cluster_udn_blue_worker-a" in text
    assert "nodes worker-a, worker-b and worker-c: " in text
    assert "+router bgp 64600" in text
    assert "objects that make routes: 4 FRRConfiguration" in text
    assert f"{document.json}\n" == run("plan", "-f", tmp_path / "networks", "--nodes", NODES, "-o", "json").out


def test_a_large_plan_has_the_json_that_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ovnguard.reconciler.commands.page_content.MOST_ROWS", 10)
    value = json.loads(Document(run("plan", *APPLICABLE, "-o", "html").out).json)
    assert list(value["networks"]) == ["cluster_udn_blue", "default", ""]
    first = value["networks"][""][0]
    assert (first["nodes"], first["rows"][0]["name"]) == (["worker-a", "worker-b", "worker-c"], "20 packets per second")
    assert first["rows"][0]["columns"] == {"rate": {"old": "", "new": "20"}}
    assert value["frr"][0]["diff"].startswith("--- frr.conf\n+++ frr.conf (planned)\n@@ ")


def test_a_diff_as_a_page(tmp_path: Path) -> None:
    store = ("--store", tmp_path / "store")
    assert run("apply", *APPLICABLE, *store).code == 0
    done = run("diff", *APPLICABLE, *store, "-o", "html")
    assert (done.code, "<p>Plan: no changes</p>" in done.out) == (0, True)
    Path(tmp_path / "store/frr/worker-a.conf").write_text("other\n")
    done = run("diff", *APPLICABLE, *store, "-o", "html")
    assert done.code == 1
    assert "-other" in Document(done.out).texts


def test_databases_that_cannot_be_read_are_findings(tmp_path: Path) -> None:
    remote = ("--nb-db", f"worker-a=unix:{tmp_path}/none.sock")
    for arguments in (("diff",), ("audit",)):
        done = run(*arguments, *APPLICABLE, *remote, "-o", "html")
        assert done.code == 3
        assert "node worker-a: unix:" in "".join(Document(done.out).texts)


def test_this_machine_is_part_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    state = HostState("worker-a", error=StoreError("no nft"))
    monkeypatch.setattr("ovnguard.reconciler.commands.diff.compare_host", lambda *_: state)
    monkeypatch.setattr("ovnguard.reconciler.commands.diff.with_kernel_routes", lambda manifests, _: manifests)
    done = run("diff", *APPLICABLE, "--host", "worker-a", "-o", "html")
    assert (done.code, done.err.splitlines()[0]) == (3, "error: host worker-a: no nft")
    assert "host worker-a" in Document(done.out).texts
