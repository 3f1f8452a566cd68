"""Debian packages without installing them: a private apt state, dpkg-deb -x, and wrappers that go through their ld.so.

Neither apt's nor dpkg's own state is touched, and no root is needed: apt is told to keep lists, cache and status in a
folder of ours and to trust what the machine trusts.
"""

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.testbed.command import PROBE_SECONDS, CommandError, progress, run
from tests.testbed.sources import aptsources

ETC_APT = Path("/etc/apt")

# Hooks of the machine (software centres, container images) have no business in our private state; the sandbox user
# could not read a folder in somebody's home.
_APT_CONF = """\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
APT::Sandbox::User "root";
APT::Get::List-Cleanup "false";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{home}/sources";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "{home}";
Dir::State::lists "{home}/lists";
Dir::State::status "{home}/status";
Dir::Cache "{home}/cache";
Dir::Log "{home}";
"""

# Where Debian puts programs. A program of the first folder reads its data next to /proc/self/exe, which is the loader;
# its name in usr/bin is a script.
BESIDE_ITS_DATA = "usr/lib/chromium"
TOOL_FOLDERS = (BESIDE_ITS_DATA, "usr/bin", "usr/sbin", "usr/lib/frr", "usr/lib/openvswitch-switch")

_LOADERS = "usr/lib/*-linux-gnu*/ld-linux*.so.*"

# Where the libraries of one program are, below the folder of all.
_OWN_LIBRARIES = ("frr", "pulseaudio")

_WRAPPER = """\
#!/bin/sh
P=${{0%/*}}/../root
exec "$P/{loader}" --library-path "{libraries}" "$P/{tool}" "$@"
"""


class Apt:
    """A private apt state in `home`, brought up to date with the first mirror that carries the suite."""

    def __init__(self, home: Path, suite: str, component: str, etc_apt: Path = ETC_APT) -> None:
        self.home, self.suite, self.component, self.etc_apt = home, suite, component, etc_apt
        self._updated = False
        self._failure = ""

    def _setup(self) -> None:
        for folder in ("lists/partial", "cache/archives/partial", "sources"):
            (self.home / folder).mkdir(parents=True, exist_ok=True)
        (self.home / "status").touch()
        (self.home / "apt.conf").write_text(_APT_CONF.format(home=self.home), encoding="utf-8")

    def update(self) -> None:
        """Fetch the suite's index, once; raises CommandError when no mirror gives it (again at once, if it did)."""
        if self._updated:
            return
        if self._failure:
            raise CommandError(self._failure)
        try:
            self._update()
        except CommandError as error:
            self._failure = str(error)
            raise
        self._updated = True

    def _update(self) -> None:
        for tool in ("apt-get", "dpkg-deb"):
            if shutil.which(tool) is None:
                raise CommandError(f"no {tool} on this machine, so Debian packages cannot be got")
        stanzas = aptsources.stanzas_for(aptsources.read(self.etc_apt), self.suite, self.component)
        if not stanzas:
            raise CommandError("the machine's apt settings name no Debian mirror")
        self._setup()
        problem = ""
        for stanza in stanzas:
            source = self.home / "sources" / "testbed.sources"
            source.touch(mode=0o600)  # an address may carry a password
            source.write_text(stanza, encoding="utf-8")
            try:
                progress("apt", f"reading the index of Debian {self.suite}")
                # Without Error-Mode=any apt-get calls a mirror that it cannot reach a warning and exits 0.
                run(["apt-get", "-c", self.home / "apt.conf", "-q", "-o", "APT::Update::Error-Mode=any", "update"])
            except CommandError as error:
                problem = str(error)
            else:
                return
        raise CommandError(f"no mirror of this machine gives Debian {self.suite}: {problem}")

    def download(self, packages: Sequence[str], into: Path) -> list[Path]:
        """Download packages (exactly these, no dependencies) and return the .deb files; raises CommandError."""
        self.update()
        into.mkdir(parents=True, exist_ok=True)
        run(["apt-get", "-c", self.home / "apt.conf", "-q", "download", *packages], cwd=into)
        return sorted(into.glob("*.deb"))

    def libraries(self, names: Sequence[str]) -> list[str]:
        """Those of the named packages that the suite has in its section of libraries; raises CommandError."""
        self.update()
        shown = run(["apt-cache", "-c", self.home / "apt.conf", "show", "--no-all-versions", *names]) if names else ""
        fields = (dict(re.findall(r"^(Package|Section): (\S+)$", one, re.MULTILINE)) for one in shown.split("\n\n"))
        return sorted({each["Package"] for each in fields if each.get("Section") == "libs"})


@contextlib.contextmanager
def private_apt(base: Path, suite: str, component: str) -> Iterator[Apt]:
    """An apt state in a folder below `base` that is removed afterwards: indexes are large and soon stale."""
    with tempfile.TemporaryDirectory(prefix=".tmp-apt-", dir=base) as home:
        yield Apt(Path(home), suite, component)


def unpack(debs: Sequence[Path], prefix: Path) -> dict[str, str]:
    """Unpack .deb files into `prefix` (no maintainer script runs); returns package -> version. Raises CommandError."""
    prefix.mkdir(parents=True, exist_ok=True)
    versions = {}
    for deb in debs:
        run(["dpkg-deb", "-x", deb, prefix])
        name, version = run(["dpkg-deb", "-W", "--showformat=${Package}\t${Version}", deb]).split("\t")
        versions[name] = version
    return versions


def trim(prefix: Path) -> None:
    """Remove what no program here reads: documentation, translations, maintainer hooks."""
    for folder in ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/bash-completion", "etc", "var"):
        shutil.rmtree(prefix / folder, ignore_errors=True)
    for gconv in prefix.glob("usr/lib/*/gconv"):
        shutil.rmtree(gconv)
    for layer in prefix.glob(f"{BESIDE_ITS_DATA}/libVkLayer_*"):
        layer.unlink()


def find_tools(prefix: Path, names: Sequence[str]) -> dict[str, Path]:
    """The programs below an unpacked prefix, relative to it; raises CommandError naming those that are not there."""
    found = {}
    for name in names:
        places = [Path(folder) / name for folder in TOOL_FOLDERS if (prefix / folder / name).is_file()]
        if not places:
            raise CommandError(f"the Debian packages bring no {name}")
        found[name] = places[0]
    return found


def find_loader(root: Path) -> Path:
    """The dynamic loader below an unpacked root, relative to it; raises CommandError when there is none."""
    loaders = sorted(root.glob(_LOADERS))
    if not loaders:
        raise CommandError("the Debian packages bring no dynamic loader for this machine")
    return loaders[0].relative_to(root)


def add_libraries(apt: Apt, root: Path, tools: Mapping[str, Path], debs: Path) -> dict[str, str]:
    """Unpack the packages with the libraries that programs below ``root`` need; returns package -> version.

    The dynamic loader reads the NEEDED entries. A package depends on those that bring what its programs link, so the
    dependencies of unpacked packages are searched for what is missing, step by step. Raises CommandError.
    """
    unpacked: dict[str, str] = {}
    pool: dict[Path, frozenset[str]] = {}
    used = sorted(debs.glob("*.deb"))
    asked = {_package(deb) for deb in used}
    while absent := _absent_libraries(root, tools):
        names = {name for deb in used for name in _dependencies(deb)} - asked
        asked |= names
        libraries = apt.libraries(sorted(names))
        downloaded = apt.download(libraries, debs / f"{len(asked)}") if libraries else []
        pool |= {deb: _file_names(deb) for deb in downloaded}
        used = [deb for deb, files in pool.items() if files & absent]
        for deb in used:
            del pool[deb]
        unpacked |= unpack(used, root)
        if not used:
            missing = ", ".join(sorted(absent))
            raise CommandError(f"the programs need {missing}, which their Debian packages do not bring")
    return unpacked


def _absent_libraries(root: Path, tools: Mapping[str, Path]) -> frozenset[str]:
    """The libraries that programs need, directly or not, and that are not below ``root``."""
    if not list(root.glob(_LOADERS)):
        return frozenset(("ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"))
    loader = find_loader(root)
    # as ldd(1) does; with --list, a missing library ends the loader
    trace = ("env", "LD_TRACE_LOADED_OBJECTS=1", root / loader)
    path = ("--library-path", _library_path(str(root / loader.parent)))
    listed = [run([*trace, *path, root / tool], seconds=PROBE_SECONDS) for tool in tools.values()]
    found = [line.split(" => ") for text in listed for line in text.splitlines() if " => " in line]
    # what the loader finds in the machine's own folders is another version, or absent on another machine
    return frozenset(name.strip() for name, place in found if not place.startswith(f"{root}/"))


def _package(deb: Path) -> str:
    return run(["dpkg-deb", "-W", "--showformat=${Package}", deb])


def _dependencies(deb: Path) -> frozenset[str]:
    """The names of all packages that a .deb file depends on; each alternative counts."""
    listed = run(["dpkg-deb", "-W", "--showformat=${Pre-Depends}, ${Depends}", deb])
    return frozenset(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", listed))


def _file_names(deb: Path) -> frozenset[str]:
    """The names of the files and links in a .deb file, without their folders."""
    listed = run(["dpkg-deb", "--contents", deb]).splitlines()
    return frozenset(line.partition(" -> ")[0].rpartition("/")[2] for line in listed)


def write_wrappers(home: Path, tools: Mapping[str, Path]) -> dict[str, str]:
    """Write home/bin/TOOL for each program below home/root; returns name -> path relative to `home`.

    The programs want a newer C library than the machine may have, so each starts through the unpacked ld.so. The
    wrapper execs, so its process id is the program's, and it finds its root from its own place. Raises CommandError
    when the packages bring no dynamic loader.
    """
    loader = find_loader(home / "root")
    (home / "bin").mkdir()
    wrappers = {}
    libraries = _library_path(f"$P/{loader.parent}")
    for name, tool in tools.items():
        file = home / "bin" / name
        own_loader = _loader_of(home / "root", loader, tool)
        file.write_text(_WRAPPER.format(loader=own_loader, libraries=libraries, tool=tool), encoding="utf-8")
        file.chmod(0o755)
        wrappers[name] = f"bin/{name}"
    return wrappers


def _library_path(folder: str) -> str:
    return ":".join([folder, *(f"{folder}/{own}" for own in _OWN_LIBRARIES)])


def _loader_of(root: Path, loader: Path, tool: Path) -> Path:
    """The loader for a tool: the common one, or a link to it next to the tool's data."""
    if tool.parent != Path(BESIDE_ITS_DATA):
        return loader
    link = tool.parent / loader.name
    (root / link).hardlink_to((root / loader).resolve())
    return link
