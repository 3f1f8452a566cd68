"""CNI configurations of a node: which of them call OVN-Kubernetes' plugin."""

import os
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.host.cni_folder import names_plugin

OWN = '{"cniVersion": "0.4.0", "name": "ovn-kubernetes", "type": "ovn-k8s-cni-overlay", "ipam": {}, "dns": {}}'


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("10-ovn-kubernetes.conf", OWN, True),
        ("10-other.conflist", f'{{"name": "x", "plugins": [{{"type": "loopback"}}, {OWN}]}}', True),
        ("00-multus.conf", f'{{"type": "multus", "delegates": [{OWN}]}}', True),
        ("10-ovn-kubernetes.json", OWN, True),
        ("10-ovn-kubernetes.conf.bak", OWN, False),
        ("10-ovn-kubernetes", OWN, False),
        ("10-flannel.conflist", '{"plugins": [{"type": "flannel"}]}', False),
        ("10-other.conf", '{"name": "ovn-k8s-cni-overlay", "type": ["ovn-k8s-cni-overlay"]}', False),
        ("10-ovn-kubernetes.conf", OWN[:-1], False),
        ("10-ovn-kubernetes.conf", "[" * 100_000, False),
        ("10-ovn-kubernetes.conf", "\udcff", False),
        ("10-ovn-kubernetes.conf", OWN + " " * (1 << 20), False),
        ("10-ovn-kubernetes.conf", "", False),
    ],
)
def test_a_file_counts_when_it_names_the_plugin(tmp_path: Path, name: str, text: str, found: bool) -> None:
    (tmp_path / "99-loopback.conf").write_text('{"type": "loopback"}')
    (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    assert names_plugin(tmp_path) is found


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    assert not names_plugin(tmp_path / "missing")
    os.mkfifo(tmp_path / "10-ovn-kubernetes.conf")
    (tmp_path / "20-ovn-kubernetes.conf").mkdir()
    (tmp_path / "30-ovn-kubernetes.conf").symlink_to(tmp_path / "nowhere")
    assert not names_plugin(tmp_path)
    (tmp_path / "host.conf").write_text(OWN)
    (tmp_path / "40-ovn-kubernetes.conf").symlink_to(tmp_path / "host.conf")
    assert names_plugin(tmp_path)
