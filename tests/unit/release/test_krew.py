"""The manifest for krew has what krew checks: names, a version, and an archive with its sum and its files."""

import hashlib
import re
from pathlib import Path

import pytest
import yaml

from tests.support.release.krew import manifest


@pytest.mark.parametrize(
    ("repository", "machine", "architecture"), [("https://git.test/o", "x86_64", "amd64"), ("", "aarch64", "arm64")]
)
def test_a_manifest(repository: str, machine: str, architecture: str, tmp_path: Path) -> None:
    archive = tmp_path / "program.tar.gz"
    archive.write_bytes(b"content")
    plugin = yaml.safe_load(manifest(archive, "1.2.3", repository, "python3.11", machine))
    assert plugin.keys() == {"apiVersion", "kind", "metadata", "spec"}
    assert (plugin["apiVersion"], plugin["kind"]) == ("krew.googlecontainertools.github.com/v1alpha2", "Plugin")
    assert re.fullmatch(r"[\w-]+", plugin["metadata"]["name"])
    spec = plugin["spec"]
    assert (spec["version"], spec["homepage"]) == ("v1.2.3", repository or "REPOSITORY")
    assert 0 < len(spec["shortDescription"]) <= 50
    assert spec["caveats"] == "It needs python3.11 on PATH. This manifest was not tried with krew.\n"
    (platform,) = spec["platforms"]
    assert platform["selector"]["matchLabels"] == {"os": "linux", "arch": architecture}
    assert platform["uri"] == f"{repository or 'REPOSITORY'}/releases/download/v1.2.3/program.tar.gz"
    assert platform["sha256"] == hashlib.sha256(b"content").hexdigest()
    assert [each["from"] for each in platform["files"]] == [platform["bin"], "LICENSE"]
