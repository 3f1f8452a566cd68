"""Recipes are tried in order, the machine's own programs are believed only when they say the right version."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.testbed import command, pins, recipes, store
from tests.testbed.command import CommandError
from tests.testbed.recipes import Got, Kitchen
from tests.testbed.sources import debian, golang

KNOWN = pins.load()
ETCD = KNOWN.parts["etcd"]


@pytest.fixture
def kitchen(tmp_path: Path) -> Kitchen:
    base = tmp_path / "cache"
    base.mkdir()
    return Kitchen(
        base, KNOWN, debian.Apt(tmp_path / "apt", KNOWN.suite, KNOWN.component, tmp_path / "etc"), tmp_path / "go"
    )


def program(folder: Path, name: str, says: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\necho '{says}'\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is all of PATH and of the system's folders."""
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    monkeypatch.setattr(recipes, "_SYSTEM_TOOLS", ())
    return folder


@pytest.mark.parametrize(
    ("says", "outcome"),
    [
        ("etcd Version: 3.5.16", "3.5.16"),
        ("etcd Version: 3.5.1", "etcd is 3.5.1, >= 3.5.16 is wanted"),
        ("hello", "etcd tells no version"),
    ],
)
def test_program_of_the_machine_is_used_if_its_version_fits(
    kitchen: Kitchen, own: Path, tmp_path: Path, says: str, outcome: str
) -> None:
    etcd = program(own, "etcd", says)
    if outcome[0].isdigit():
        got = recipes.from_machine(kitchen, ETCD, tmp_path)
        assert got == Got(outcome, "this machine", {"etcd": str(etcd)}, {}, {})
    else:
        with pytest.raises(CommandError) as caught:
            recipes.from_machine(kitchen, ETCD, tmp_path)
        assert str(caught.value) == outcome


def test_upper_bound_and_assets(kitchen: Kitchen, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pin = KNOWN.parts["kube-apiserver"]
    program(own, "kube-apiserver", "Kubernetes v1.36.0")
    with pytest.raises(CommandError, match=r"^kube-apiserver is 1\.36\.0, >= 1\.35 and < 1\.36 is wanted$"):
        recipes.from_machine(kitchen, pin, tmp_path)
    assets = program(tmp_path / "assets", "kube-apiserver", "Kubernetes v1.35.0").parent
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))
    got = recipes.from_machine(kitchen, pin, tmp_path)
    assert got == Got("1.35.0", "KUBEBUILDER_ASSETS", {"kube-apiserver": str(assets / "kube-apiserver")}, {}, {})


@pytest.mark.parametrize(
    ("part", "reason"),
    [("etcd", "this machine has no etcd"), ("ovn", "this machine has no ovn-nbctl and 12 more")],
)
def test_absent_programs(kitchen: Kitchen, own: Path, tmp_path: Path, part: str, reason: str) -> None:
    with pytest.raises(CommandError) as caught:
        recipes.from_machine(kitchen, KNOWN.parts[part], tmp_path)
    assert str(caught.value) == reason


def failing(reason: str) -> recipes.Recipe:
    def recipe(_kitchen: Kitchen, _pin: pins.Pin, work: Path) -> Got:
        (work / "half").write_text("made")
        raise CommandError(reason)

    return recipe


def working(_kitchen: Kitchen, pin: pins.Pin, work: Path) -> Got:
    program(work / "bin", "etcd", "etcd Version: 9.9")
    return Got("9.9", "a test", {"etcd": "bin/etcd"}, {}, {})


def test_first_recipe_that_works_wins(kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "RECIPES", {"etcd": (failing("no"), working, failing("never asked"))})
    stamp = recipes.install(kitchen, ETCD)
    assert isinstance(stamp, store.Stamp)
    assert store.read_stamp(kitchen.base, ETCD) == stamp
    assert (stamp.version, stamp.source) == ("9.9", "a test")
    assert [path.name for path in kitchen.base.iterdir()] == [f"etcd-{ETCD.digest}"]


def test_every_reason_is_reported_once(kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "RECIPES", {"etcd": (failing("no etcd"), failing("no apt"), failing("no apt"))})
    missing = recipes.install(kitchen, ETCD)
    assert isinstance(missing, store.Missing)
    assert missing.reason == "no etcd; no apt"
    assert [path.name for path in kitchen.base.iterdir()] == [f"etcd-{ETCD.digest}.missing.json"]


def test_the_machines_own_is_asked_again(kitchen: Kitchen, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(own, "etcd", "etcd Version: 3.5.16")
    monkeypatch.setattr(recipes, "RECIPES", {"etcd": (recipes.from_machine,)})
    stamp = recipes.install(kitchen, ETCD)
    assert isinstance(stamp, store.Stamp)
    assert recipes.still_good(kitchen.base, ETCD, stamp)
    program(own, "etcd", "etcd Version: 3.5.17")
    assert not recipes.still_good(kitchen.base, ETCD, stamp)
    program(own, "etcd", "etcd Version: 2.0")
    assert not recipes.still_good(kitchen.base, ETCD, stamp)


def test_without_apt(kitchen: Kitchen, own: Path, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(CommandError, match=r"^no apt-get on this machine, so Debian packages cannot be got$"):
            recipes.from_debian(kitchen, ETCD, tmp_path)


def test_without_a_debian_mirror(kitchen: Kitchen, own: Path, tmp_path: Path) -> None:
    for tool in ("apt-get", "dpkg-deb"):
        program(own, tool, "not called")
    with pytest.raises(CommandError, match=r"^the machine's apt settings name no Debian mirror$"):
        recipes.from_debian(kitchen, ETCD, tmp_path)


def test_wrapper_goes_through_the_unpacked_loader(tmp_path: Path) -> None:
    libraries = tmp_path / "root/usr/lib/x86_64-linux-gnu"
    program(libraries, "ld-linux-x86-64.so.2", "")
    (libraries / "ld-linux-x86-64.so.2").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program(tmp_path / "root/usr/lib/frr", "bgpd", "")
    tools = debian.find_tools(tmp_path / "root", ["bgpd"])
    assert tools == {"bgpd": Path("usr/lib/frr/bgpd")}
    wrappers = debian.write_wrappers(tmp_path, tools)
    assert wrappers == {"bgpd": "bin/bgpd"}
    lines = command.run([tmp_path / "bin" / "bgpd", "--version", "two words"]).splitlines()
    root = f"{tmp_path}/bin/../root"
    libs = f"{root}/usr/lib/x86_64-linux-gnu"
    assert lines == [
        *("--library-path", f"{libs}:{libs}/frr:{libs}/pulseaudio"),
        *(f"{root}/usr/lib/frr/bgpd", "--version", "two words"),
    ]


def test_a_program_that_reads_data_from_its_own_folder_has_a_loader_there(tmp_path: Path) -> None:
    libraries = tmp_path / "root/usr/lib/x86_64-linux-gnu"
    program(libraries, "ld-linux-x86-64.so.2", "")
    (libraries / "ld-linux-x86-64.so.2").write_text('#!/bin/sh\nprintf "%s\\n" "$0" "$3"\n')
    for folder in ("usr/bin", "usr/lib/chromium"):
        program(tmp_path / "root" / folder, "chromium-headless-shell", "")
    debian.write_wrappers(tmp_path, debian.find_tools(tmp_path / "root", ["chromium-headless-shell"]))
    lines = command.run([tmp_path / "bin/chromium-headless-shell"]).splitlines()
    home = f"{tmp_path}/bin/../root/usr/lib/chromium"
    assert lines == [f"{home}/ld-linux-x86-64.so.2", f"{home}/chromium-headless-shell"]


def test_packages_without_the_tool_or_the_loader(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"^the Debian packages bring no bgpd$"):
        debian.find_tools(tmp_path, ["bgpd"])
    with pytest.raises(CommandError, match=r"^the Debian packages bring no dynamic loader for this machine$"):
        debian.find_loader(tmp_path)


def test_go_mod_of_kubernetes_replaces_the_staging_modules() -> None:
    upstream = {
        "Go": "1.25.0",
        "Require": [
            {"Path": "go.etcd.io/etcd/api/v3", "Version": "v3.6.5"},
            {"Path": "k8s.io/api", "Version": "v0.0.0"},
            {"Path": "k8s.io/apiserver", "Version": "v0.0.0"},
            {"Path": "k8s.io/utils", "Version": "v0.0.0-20251002143259-bc988d571ff4"},
        ],
    }
    assert golang.go_mod("k8s.io/kubernetes", "1.35.4", upstream) == (
        "module testbed.invalid/build\n\ngo 1.25.0\n\nrequire k8s.io/kubernetes v1.35.4\n"
        "require k8s.io/api v0.35.4\nrequire k8s.io/apiserver v0.35.4\n"
        "replace k8s.io/api => k8s.io/api v0.35.4\nreplace k8s.io/apiserver => k8s.io/apiserver v0.35.4\n"
    )


def test_go_mod_of_a_module_without_placeholders() -> None:
    upstream = {"Go": "1.24", "Require": None}
    assert golang.go_mod("go.etcd.io/etcd/server/v3", "3.6.5", upstream) == (
        "module testbed.invalid/build\n\ngo 1.24\n\nrequire go.etcd.io/etcd/server/v3 v3.6.5\n"
    )


def test_kubernetes_reports_its_version() -> None:
    flags = golang.kubernetes_ldflags("1.35.4")
    assert "-X k8s.io/component-base/version.gitVersion=v1.35.4" in flags
    assert "-X k8s.io/component-base/version.gitMinor=35" in flags


@pytest.mark.parametrize(("says", "usable"), [("go version go1.26.8 linux/amd64", True), ("go version go1.19", False)])
def test_system_go(own: Path, says: str, usable: bool) -> None:
    go = program(own, "go", says)
    assert golang.system_go("1.25") == (go if usable else None)


def test_part_that_needs_a_go_that_cannot_be_had(
    kitchen: Kitchen, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "RECIPES", {"go": (failing("no package index"),)})
    with pytest.raises(CommandError, match=r"^no go: no package index$"):
        recipes.from_go(kitchen, replace(ETCD, go="1.24"), tmp_path)


def test_module_of_this_repository_is_built_with_its_pinned_sums(kitchen: Kitchen, own: Path, tmp_path: Path) -> None:
    pin = KNOWN.parts["coredns"]
    go = program(own, "go", "go version go1.24.0 linux/amd64")
    go.write_text(
        '#!/bin/bash\n[ "$1" = build ] || { echo go1.24.0; exit; }\n'
        '[ -e go.sum ] && [ -e main.go ] && [ "$2" = -mod=readonly ] && out="${6%/*}" || exit 1\n'
        "[ -d $out ] || /bin/mkdir -p $out\n"
        "printf '#!/bin/sh\\necho CoreDNS-1.13.2\\n' > $6; /bin/chmod +x $6\n"
    )
    got = recipes.from_own_source(kitchen, pin, tmp_path)
    assert got == Got("1.13.2", "built from tests/testbed/coredns", {"coredns": "bin/coredns"}, {}, {})
    assert not (tmp_path / "build").exists()
