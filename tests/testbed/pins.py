"""The pinned versions of versions.toml as values, and the digest that names a part's folder in the cache."""

import hashlib
import json
import platform
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.testbed import version

FILE = Path(__file__).with_name("versions.toml")

# Raised when the layout of an installed part changes, so that folders of an older layout are not taken for whole.
LAYOUT = 1


@dataclass(frozen=True, slots=True)
class Probe:
    """How a tool tells its version, and the bounds that it must keep."""

    tool: str
    args: tuple[str, ...]
    minimum: str
    below: str | None


@dataclass(frozen=True, slots=True)
class Archive:
    """A file of a registry's archive: where the archive is, what it must be, its member, and the name of the file."""

    url: str
    sha256: str
    member: str
    name: str


@dataclass(frozen=True, slots=True)
class Pin:
    """One part: what makes it whole and where it may come from. Empty strings and tuples mean "not from there".

    ``package`` is the main package that is built with the module in ``source``.
    """

    name: str
    tools: tuple[str, ...]
    files: tuple[str, ...]
    probes: tuple[Probe, ...]
    packages: tuple[str, ...]
    module: str
    version: str
    go: str
    distribution: str
    digest: str
    archives: tuple[Archive, ...] = ()
    source: str = ""
    package: str = "."

    @property
    def source_folder(self) -> Path:
        """The folder of the Go module of this repository that is built for the part."""
        return FILE.parent / self.source


@dataclass(frozen=True, slots=True)
class Pins:
    """All of versions.toml."""

    suite: str
    component: str
    parts: Mapping[str, Pin]


def _probe(raw: Mapping[str, Any]) -> Probe:
    probe = Probe(raw["tool"], tuple(raw["args"]), raw["minimum"], raw.get("below"))
    for bound in (probe.minimum, probe.below or probe.minimum):
        version.parse(bound)
    return probe


def _digest(debian: Mapping[str, Any], raw: Mapping[str, Any]) -> str:
    """Changes with anything that changes what is installed: the pin, the suite, the machine, the layout, the source."""
    folder = FILE.parent / raw["source"] if "source" in raw else None
    source = [] if folder is None else [file.read_text(encoding="utf-8") for file in sorted(folder.iterdir())]
    text = json.dumps([LAYOUT, platform.machine(), debian, raw, *source], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def load(file: Path = FILE) -> Pins:
    """Read the pins; raises ValueError, KeyError or OSError when the file is broken, for it is ours."""
    raw = tomllib.loads(file.read_text(encoding="utf-8"))
    debian = raw["debian"]
    parts = {
        name: Pin(
            name=name,
            tools=tuple(part["tools"]),
            files=tuple(part["files"]),
            probes=tuple(_probe(probe) for probe in part["probes"]),
            packages=tuple(part["packages"]),
            module=part.get("module", ""),
            version=part.get("version", ""),
            go=part.get("go", ""),
            distribution=part.get("distribution", ""),
            digest=_digest(debian, part),
            archives=tuple(Archive(**archive) for archive in part.get("archives", ())),
            source=part.get("source", ""),
            package=part.get("package", "."),
        )
        for name, part in raw["parts"].items()
    }
    return Pins(debian["suite"], debian["component"], parts)
