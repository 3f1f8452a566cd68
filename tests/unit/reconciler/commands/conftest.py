"""Manifests and databases that the tests of commands change."""

import shutil
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.files.file_store import FileStore
from tests.support.reconciler_cli import NODES, VALID


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Networks that can be applied, nodes and a place for a store, to be changed by the test."""
    shutil.copytree(VALID, tmp_path / "networks", ignore=shutil.ignore_patterns("green-layer3.yaml"))
    shutil.copytree(NODES, tmp_path / "nodes")
    return tmp_path


@pytest.fixture
def zones_of_files(tmp_path, monkeypatch):
    """Databases of all nodes are zones of one folder."""
    store = FileStore(tmp_path / "databases")
    monkeypatch.setattr(
        "ovnguard.reconciler.commands.options.Target.databases",
        lambda target, **_: {name: store.zone(name) for name in target.remotes},
    )
    return store
