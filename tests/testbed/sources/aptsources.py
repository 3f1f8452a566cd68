"""Find the Debian mirror in the apt settings of the machine: one-line and deb822 files (sources.list(5)).

Nothing here knows a host name: a mirror, its key and its trust are taken as the machine has them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

# Suites by which a mirror shows that it is Debian's main archive: code names and the names of the moving suites.
_CODE_NAMES = {"buster", "bullseye", "bookworm", "trixie", "forky", "duke", "sid"}
_MOVING = {"oldoldstable", "oldstable", "stable", "testing", "unstable"}
DEBIAN_SUITES = _CODE_NAMES | _MOVING

# Options that decide whether and by which key the archive is believed; all others (architectures, languages, targets)
# belong to the machine's own use of it.
_TRUST = ("Signed-By", "Trusted", "Check-Valid-Until", "Check-Date")

_ONE_LINE = re.compile(r"^deb\s+(?:\[(?P<options>[^\]]*)\]\s*)?(?P<uri>\S+)\s+(?P<suite>\S+)(?P<components>.*)$")


@dataclass(frozen=True, slots=True)
class Source:
    """One stanza: where (uris), which suites and components, and the options about trust by their deb822 names."""

    uris: tuple[str, ...]
    suites: tuple[str, ...]
    components: tuple[str, ...]
    trust: Mapping[str, str]


def parse_list(text: str) -> list[Source]:
    """The binary sources of a one-line file; lines of any other form are passed over, as they may be anything."""
    sources = []
    for raw in text.splitlines():
        match = _ONE_LINE.match(raw.split("#", 1)[0].strip())
        if match:
            pairs = [option.split("=", 1) for option in (match["options"] or "").split() if "=" in option]
            options = {name.lower(): value for name, value in pairs}
            trust = {name: options[name.lower()].replace(",", " ") for name in _TRUST if name.lower() in options}
            sources.append(Source((match["uri"],), (match["suite"],), tuple(match["components"].split()), trust))
    return sources


def parse_deb822(text: str) -> list[Source]:
    """The enabled binary sources of a deb822 file; a stanza without types, URIs or suites is passed over."""
    sources = []
    for fields in _stanzas(text):
        if fields.get("enabled", "yes").strip().lower() in {"no", "false", "0", "off", "disable", "without"}:
            continue
        uris, suites = fields.get("uris", "").split(), fields.get("suites", "").split()
        if "deb" in fields.get("types", "").split() and uris and suites:
            trust = {name: fields[name.lower()] for name in _TRUST if name.lower() in fields}
            sources.append(Source(tuple(uris), tuple(suites), tuple(fields.get("components", "").split()), trust))
    return sources


def _stanzas(text: str) -> Iterator[dict[str, str]]:
    """Fields by lower-case name per paragraph; continuation lines (keys may stand in the file) are kept as they are."""
    fields: dict[str, str] = {}
    last = ""
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            continue
        if not line.strip():
            if fields:
                yield fields
            fields, last = {}, ""
        elif line[0] in " \t":
            if last:
                fields[last] += "\n" + line
        elif ":" in line:
            name, value = line.split(":", 1)
            last = name.strip().lower()
            fields[last] = value.strip()


def read(etc_apt: Path) -> list[Source]:
    """Every source of the folder /etc/apt; files that cannot be read are passed over."""
    files = [etc_apt / "sources.list", *sorted((etc_apt / "sources.list.d").glob("*"))]
    sources: list[Source] = []
    for file in files:
        parse = {".list": parse_list, ".sources": parse_deb822}.get(file.suffix)
        try:
            text = file.read_text(encoding="utf-8", errors="replace") if parse else ""
        except OSError:
            continue
        if parse:
            sources.extend(parse(text))
    return sources


def stanzas_for(sources: Iterable[Source], suite: str, component: str) -> list[str]:
    """deb822 stanzas that ask the machine's Debian mirrors for `suite`, best first, each mirror once.

    A mirror counts as Debian's when one of its suites is a Debian release and it carries `component`; mirrors that
    carry the suite itself come first. Archives of updates only (`trixie-security`) do not hold the suite.
    """
    ranked: dict[str, tuple[bool, str]] = {}
    for source in sources:
        if not DEBIAN_SUITES.intersection(source.suites) or component not in source.components:
            continue
        for uri in source.uris:
            lines = ["Types: deb", f"URIs: {uri}", f"Suites: {suite}", f"Components: {component}"]
            lines += [f"{name}: {value}" for name, value in source.trust.items()]
            other = suite not in source.suites
            if uri not in ranked or ranked[uri][0] > other:
                ranked[uri] = (other, "\n".join(lines) + "\n")
    return [text for _, text in sorted(ranked.values(), key=lambda entry: entry[0])]
