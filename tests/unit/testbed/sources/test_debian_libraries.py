"""The libraries of a part are found while it is made: what its programs need, in what its packages depend on."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.testbed.command import CommandError
from tests.testbed.sources import debian

LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = f"{LIBRARIES}/ld-linux-x86-64.so.2"
BGPD = {"bgpd": Path("usr/lib/frr/bgpd")}

# Stands in for dpkg-deb: a .deb file is JSON with the package, its dependencies and the texts of its files.
DPKG_DEB = """#!{python}
import json, pathlib, sys
deb = json.loads(pathlib.Path(sys.argv[-2 if sys.argv[1] == "-x" else -1]).read_text())
if sys.argv[1] == "-x":
    for name, text in deb["files"].items():
        file = pathlib.Path(sys.argv[3], name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
elif sys.argv[1] == "--contents":
    print(*(f"-rwxr-xr-x root/root 1 2026-01-01 00:00 ./{{name}}" for name in deb["files"]), sep="\\n")
elif "Depends" in sys.argv[2]:
    print(", " + deb["depends"])
elif "Version" in sys.argv[2]:
    print(deb["package"] + "\\t1", end="")
else:
    print(deb["package"], end="")
"""
# Stands in for the loader: a file names the libraries that it needs, a word each.
RESOLVER = """#!{python}
import pathlib, sys
folder, seen, rest = pathlib.Path(sys.argv[2].split(":")[0]), set(), [pathlib.Path(sys.argv[3])]
for file in rest:
    for name in file.read_text().split():
        if name not in seen:
            seen.add(name)
            here = folder / name
            print(f"\\t{{name}} => {{here if here.exists() else '{elsewhere}'}}")
            rest += [here] if here.exists() else []
"""


class FakeApt(debian.Apt):
    """The packages of a suite, by name; ``downloaded`` lists what was asked for."""

    def __init__(self, suite: dict[str, dict[str, object]]) -> None:
        self.packages, self.downloaded = suite, list[str]()

    def libraries(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name in self.packages]

    def download(self, packages: Sequence[str], into: Path) -> list[Path]:
        into.mkdir(parents=True, exist_ok=True)
        self.downloaded += packages
        for name in packages:
            (into / f"{name}.deb").write_text(json.dumps({"package": name, **self.packages[name]}))
        return sorted(into.glob("*.deb"))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    # the variable for the loader would also trace the interpreter of the loader's stand-in
    for name, text in (("dpkg-deb", DPKG_DEB.format(python=sys.executable)), ("env", '#!/bin/sh\nshift\nexec "$@"\n')):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path


def suite(elsewhere: str = "not found") -> FakeApt:
    loader = RESOLVER.format(python=sys.executable, elsewhere=elsewhere)
    frr = {"usr/lib/frr/bgpd": "libyang.so.3 libc.so.6"}
    return FakeApt(
        {
            "frr": {"depends": "libc6 (>= 2.38), libyang3:any | libyang4, adduser, libgtk", "files": frr},
            "libc6": {"depends": "", "files": {LOADER: loader, f"{LIBRARIES}/libc.so.6": ""}},
            "libyang3": {"depends": "libpcre2 (>= 10)", "files": {f"{LIBRARIES}/libyang.so.3": "libpcre2.so.0"}},
            "libpcre2": {"depends": "", "files": {f"{LIBRARIES}/libpcre2.so.0": "libc.so.6"}},
            "libgtk": {"depends": "libx11", "files": {f"{LIBRARIES}/libgtk.so.4": "libx11.so.6"}},
            "libx11": {"depends": "", "files": {f"{LIBRARIES}/libx11.so.6": ""}},
        }
    )


def with_libraries(apt: FakeApt, made: Path) -> dict[str, str]:
    debian.unpack(apt.download(["frr"], made / "debs"), made / "root")
    return debian.add_libraries(apt, made / "root", BGPD, made / "debs")


@pytest.mark.parametrize("elsewhere", ["not found", "/lib/x86_64-linux-gnu/of-the-machine.so"])
def test_what_programs_need_is_unpacked_and_nothing_else(made: Path, elsewhere: str) -> None:
    apt = suite(elsewhere)
    assert with_libraries(apt, made) == {"libc6": "1", "libyang3": "1", "libpcre2": "1"}
    assert apt.downloaded == ["frr", "libc6", "libgtk", "libyang3", "libpcre2"]
    assert not (made / "root" / LIBRARIES / "libgtk.so.4").exists()


def test_a_library_that_no_dependency_brings_is_named(made: Path) -> None:
    apt = suite()
    apt.packages["libpcre2"]["files"] = {}
    expected = r"^the programs need libpcre2\.so\.0, which their Debian packages do not bring$"
    with pytest.raises(CommandError, match=expected):
        with_libraries(apt, made)
