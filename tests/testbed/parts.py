"""List the installed parts of the test bed. It reads stamp files, and installs and runs nothing.

Tests ask `find()` and skip with `Part.reason` where a part is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.testbed import pins, store

NOT_TRIED = "not installed; run make testbed"


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its tools by name, or the reason why it is missing."""

    name: str
    version: str
    source: str
    tools: Mapping[str, Path]
    files: Mapping[str, Path]
    reason: str | None

    def tool(self, name: str) -> Path:
        """The path of an executable; raises LookupError with the reason when the part is missing."""
        if self.reason is not None:
            raise LookupError(f"{self.name}: {self.reason}")
        return self.tools[name]

    def file(self, name: str) -> Path:
        """The path of a data file by its base name; raises LookupError with the reason when the part is missing."""
        if self.reason is not None:
            raise LookupError(f"{self.name}: {self.reason}")
        return self.files[name]


@dataclass(frozen=True, slots=True)
class Parts:
    """Every part of versions.toml by name."""

    by_name: Mapping[str, Part]

    def __getitem__(self, name: str) -> Part:
        return self.by_name[name]

    @property
    def ovn(self) -> Part:
        """OVN with Open vSwitch."""
        return self.by_name["ovn"]

    @property
    def frr(self) -> Part:
        """FRR with mgmtd and vtysh."""
        return self.by_name["frr"]

    @property
    def tools(self) -> Part:
        """ping, ethtool, tcpdump, nft."""
        return self.by_name["tools"]

    @property
    def etcd(self) -> Part:
        """etcd."""
        return self.by_name["etcd"]

    @property
    def kube_apiserver(self) -> Part:
        """kube-apiserver, and kubectl where it came along."""
        return self.by_name["kube-apiserver"]

    @property
    def kube_controller_manager(self) -> Part:
        """kube-controller-manager."""
        return self.by_name["kube-controller-manager"]

    @property
    def coredns(self) -> Part:
        """CoreDNS."""
        return self.by_name["coredns"]

    @property
    def kwok(self) -> Part:
        """kwok."""
        return self.by_name["kwok"]


def find(base: Path | None = None) -> Parts:
    """Look the parts up in the cache folder `base` (the user's own by default); never installs."""
    base = store.root() if base is None else base
    return Parts({name: look_up(base, pin) for name, pin in pins.load().parts.items()})


def look_up(base: Path, pin: pins.Pin) -> Part:
    """One part as its stamp tells, or why there is none."""
    stamp = store.read_stamp(base, pin)
    if stamp is None:
        missing = store.read_missing(base, pin)
        return Part(pin.name, "", "", {}, {}, NOT_TRIED if missing is None else missing.reason)
    home = store.folder(base, pin)
    return Part(
        name=pin.name,
        version=stamp.version,
        source=stamp.source,
        tools={name: home / path for name, path in stamp.tools.items()},
        files={name: home / path for name, path in stamp.files.items()},
        reason=None,
    )
