"""versions.toml says what is wanted, and a changed pin is another folder."""

import shutil
from pathlib import Path

import pytest

from tests.testbed import pins, recipes, version


def test_every_part_is_whole_and_has_recipes() -> None:
    known = pins.load()
    assert set(known.parts) == set(recipes.RECIPES)
    for pin in known.parts.values():
        assert {probe.tool for probe in pin.probes} <= set(pin.tools)
        assert bool(pin.probes) is not bool(pin.archives), f"{pin.name} has nothing that tells whether it is whole"
        for first, own in ((probe, pin.version) for probe in pin.probes[:1] if pin.version):
            assert version.within(own, first.minimum, first.below), f"{pin.name} pins a version that it refuses"


def test_minimum_versions() -> None:
    known = pins.load().parts
    bounds = {probe.tool: (probe.minimum, probe.below) for pin in known.values() for probe in pin.probes}
    assert bounds["ovn-nbctl"] == ("25.03", None)
    assert bounds["bgpd"] == ("10", None)
    assert bounds["etcd"] == ("3.5.16", None)
    assert bounds["kube-apiserver"] == bounds["kube-controller-manager"] == ("1.35", "1.36")


def test_digest_follows_what_is_installed(tmp_path: Path) -> None:
    text = pins.FILE.read_text(encoding="utf-8")
    other = tmp_path / "versions.toml"
    other.write_text(text.replace('version = "1.35.4"', 'version = "1.35.5"'), encoding="utf-8")
    before, after = pins.load().parts, pins.load(other).parts
    changed = {name for name in before if before[name].digest != after[name].digest}
    assert changed == {"kube-apiserver", "kube-controller-manager"}
    other.write_text(text.replace('suite = "trixie"', 'suite = "forky"'), encoding="utf-8")
    assert all(before[name].digest != pin.digest for name, pin in pins.load(other).parts.items())


def test_digest_follows_the_source_that_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "versions.toml"
    other.write_bytes(pins.FILE.read_bytes())
    for source in ("coredns", "policy_verdict", "crd_verdict", "gotemplate", "helm", "kwok"):
        shutil.copytree(pins.FILE.parent / source, tmp_path / source)
    before = pins.load().parts
    monkeypatch.setattr(pins, "FILE", other)
    assert {name: pin.digest for name, pin in pins.load(other).parts.items()} == {
        name: pin.digest for name, pin in before.items()
    }
    (tmp_path / "coredns" / "go.sum").write_text("other sums")
    changed = pins.load(other).parts
    assert {name for name in before if before[name].digest != changed[name].digest} == {"coredns"}


@pytest.mark.parametrize(
    ("part", "module"),
    [
        ("coredns", "github.com/coredns/coredns"),
        ("gotemplate", "helm.sh/helm/v3"),
        ("helm", "helm.sh/helm/v3"),
        ("kwok", "sigs.k8s.io/kwok"),
    ],
)
def test_sums_pin_the_version_that_the_table_names(part: str, module: str) -> None:
    pin = pins.load().parts[part]
    assert f"{module} v{pin.version}" in (pin.source_folder / "go.mod").read_text()
    assert f"{module} v{pin.version} h1:" in (pin.source_folder / "go.sum").read_text()


def test_package_that_is_built_is_the_folder_or_a_tool_of_its_module() -> None:
    parts = pins.load().parts
    assert {name: pin.package for name, pin in parts.items() if pin.source} == {
        "coredns": ".",
        "policy-verdict": ".",
        "crd-verdict": ".",
        "gotemplate": ".",
        "helm": "helm.sh/helm/v3/cmd/helm",
        "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    }
    for name in ("helm", "kwok"):
        assert f"tool {parts[name].package}\n" in (parts[name].source_folder / "go.mod").read_text()


def test_bound_that_is_no_version(tmp_path: Path) -> None:
    other = tmp_path / "versions.toml"
    other.write_text(pins.FILE.read_text(encoding="utf-8").replace('"25.03"', '"new"'), encoding="utf-8")
    with pytest.raises(ValueError, match=r"^'new' holds no version$"):
        pins.load(other)
