"""docs/designs.md: its rows, what is wrong with them, and rows for rules that it does not name yet."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from ovnguard import crd_schemas
from ovnguard.validators.bundled.bundled_policies import all_policies
from ovnguard.validators.network.rules import all_rules
from ovnguard.validators.network.rules.index import RULES
from tests.support.paths import ROOT
from tests.support.rule_case_files import cases

PAGE: Final = ROOT / "docs" / "designs.md"
SECTIONS: Final = {"No-overlay mode": "NOOV", "Layer2 with a transit router": "L2TR", "Dynamic allocation": "DUDN"} | {
    "Interconnect upgrade": "ICUP",
    "Custom DNS": "CDNS",
}
# The section for new rules, by the folder of their modules.
SECTION_OF_RULES: Final = {
    "addresses": "Layer2 with a transit router",
    "bgp": "No-overlay mode",
    "dns": "Custom DNS",
    "dynamic": "Dynamic allocation",
    "identity": "Layer2 with a transit router",
    "install_config": "Custom DNS",
    "interconnect": "Interconnect upgrade",
    "layer2": "Layer2 with a transit router",
    "no_overlay": "No-overlay mode",
}
_OUTSIDE: Final = ("not demanded", "not shown here")
_HEADER: Final = ["#", "requirement", "where", "test"]
_SCHEMA: Final = re.compile(r"(enhancement|released|common):(\w+):(\S+)(?: (\w+)=(\S*))?")
_GATE: Final = re.compile(r"gate (\w+)")
_NODE: Final = re.compile(r"([^\s:]+\.(?:py|md|yaml))(?:::(.+))?")


class Row(NamedTuple):
    """One line of a table; ``section`` is the heading above it."""

    section: str
    id: str
    requirement: str
    where: str
    test: str


class Page(NamedTuple):
    """The tables of the page and the short names of folders that its first table gives."""

    rows: tuple[Row, ...]
    short: dict[str, str]


def read(text: str) -> Page:
    """The rows of every table whose header is ours, and the table of short names before them."""
    rows: list[Row] = []
    short: dict[str, str] = {}
    section, header = "", [""]
    for line in text.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        if not line.startswith("|"):
            header = [""]
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if header == [""]:
            header = cells
        elif set(line) <= set("|- "):
            continue
        elif header == _HEADER:
            assert len(cells) == len(_HEADER), f"a row has four cells: {line}"
            rows.append(Row(section, *cells))
        elif header == ["short name", "folder"]:
            short[cells[0].strip("`")] = cells[1].strip("`")
    return Page(tuple(rows), short)


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def is_open(cell: str) -> bool:
    return re.match(r"open\b", cell) is not None


def says_open(row: Row) -> bool:
    """Whether a row is open: the word is anywhere in it, except in names."""
    text = re.sub(r"`[^`]*`", "", " ".join((row.requirement, row.where, row.test)))
    return re.search(r"\bopen\b", text, re.IGNORECASE) is not None


def outside(row: Row) -> str:
    """The state of a row for which nothing is to be built, or nothing can be shown; empty for others."""
    return next((each for each in _OUTSIDE if row.where.startswith(f"{each}: ")), "")


def faults(page: Page) -> Iterator[str]:
    """What is wrong with the rows, one line each."""
    for row in page.rows:
        prefix = SECTIONS.get(row.section)
        if not re.fullmatch(rf"{prefix}-[1-9][0-9]*", row.id):
            yield f"{row.id}: rows under '{row.section}' are called {prefix}-1, {prefix}-2, ..."
        if not row.requirement:
            yield f"{row.id}: no requirement"
        if says_open(row) and not is_open(row.test):
            yield f"{row.id}: what is open has no test"
        if state := outside(row):
            if row.test != state:
                yield f"{row.id}: its test is '{state}', too"
            continue
        for cell, name, known in ((row.where, "where", missing_place), (row.test, "test", missing_test)):
            if is_open(cell):
                continue
            if not quoted(cell):
                yield f"{row.id}: {name}: neither a name in backticks nor 'open'"
            yield from (f"{row.id}: {name}: {why}" for each in quoted(cell) if (why := known(each, page.short)))
    doubled = [name for name, count in Counter(row.id for row in page.rows).items() if count > 1]
    yield from (f"{name}: two rows" for name in doubled)


def missing_place(name: str, short: dict[str, str]) -> str:
    """Why the place does not exist, or an empty text."""
    if name.startswith("OVNG-"):
        return "" if name in rule_ids() else f"no rule {name}"
    if found := _SCHEMA.fullmatch(name):
        schema_set, kind, path, keyword, value = found.groups()
        return missing_field(schema_set, kind, path, keyword, value)
    if found := _GATE.fullmatch(name):
        return "" if found[1] in gates() else f"no feature gate {found[1]}"
    if _NODE.fullmatch(name):
        return missing_node(name, short)
    if "/" in name:
        return "" if name in validation_ids() else f"no policy validation {name}"
    return "" if name in cel_ids() else f"no CEL rule {name}"


def missing_test(name: str, short: dict[str, str]) -> str:
    if not _NODE.fullmatch(name) or "::" not in name:
        return f"{name} is not file::name"
    return missing_node(name, short)


def missing_node(name: str, short: dict[str, str]) -> str:
    """Why there is no such file, or nothing of that name in it."""
    path, _, inside = name.partition("::")
    for prefix, folder in short.items():
        if path.startswith(prefix):
            path = folder + path.removeprefix(prefix)
    file = ROOT / path
    if not file.is_file():
        return f"no file {path}"
    if inside and not re.search(_definition(inside, file.suffix), _text(file), re.MULTILINE):
        return f"nothing called '{inside}' in {path}"
    return ""


def _definition(name: str, suffix: str) -> str:
    """A pattern for the line that gives something its name; in YAML a long name may stand on several lines."""
    if suffix == ".py":
        escaped = re.escape(name)
        return rf"^\s*(?:(?:async )?def {escaped}\(|class {escaped}\b|{escaped}(?:: [^=]+)? =)"
    if suffix == ".yaml":
        words = r"\s+".join(re.escape(word.replace("'", "''")).replace("''", "''?") for word in name.split())
        return rf"\b(?:name|id): (?:>-?\s+|['\"])?{words}['\"]?\s*(?:$|[,}}])"
    return rf"^#+ {re.escape(name)}$"


def missing_field(schema_set: str, kind: str, path: str, keyword: str | None, value: str | None) -> str:
    """Why the bundled schema has no such field, or not the value that is claimed of its keyword."""
    node = root_schema(schema_set, kind)
    if node is None:
        return f"no {kind} in {schema_set}"
    for step in path.split("."):
        node = node.get("properties", {}).get(step.removesuffix("[]"))
        if node is None:
            return f"{kind} of {schema_set} has no {path}"
        if step.endswith("[]"):
            node = node["items"]
    if keyword is None:
        return ""
    found = node.get(keyword)
    values = found if isinstance(found, list) else [found]
    return "" if value in [str(each) for each in values] else f"{path}: {keyword} is {found}, not {value}"


@cache
def root_schema(schema_set: str, kind: str) -> dict[str, Any] | None:
    wanted = ("enhancement", "released") if schema_set == "common" else (schema_set,)
    for key, crd in crd_schemas.crds(wanted[0]).items():
        if key[2] == kind and all(crd_schemas.crds(each).get(key) is crd for each in wanted):
            version = next(each for each in crd["spec"]["versions"] if each["name"] == key[1])
            schema: dict[str, Any] = version["schema"]["openAPIV3Schema"]
            return schema
    return None


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def rule_ids() -> frozenset[str]:
    return frozenset(rule.id for rule in all_rules())


@cache
def validation_ids() -> frozenset[str]:
    return frozenset(each.id for policy in all_policies() for each in policy.validations)


@cache
def cel_ids() -> frozenset[str]:
    texts = (_text(file) for file in sorted((ROOT / "crd_schemas" / "cases").glob("*.yaml")))
    return frozenset(name for text in texts for name in re.findall(r"^\s*- id: (\S+)$", text, re.MULTILINE))


@cache
def gates() -> frozenset[str]:
    table = yaml.safe_load(_text(ROOT / "crd_schemas" / "gates.yaml"))
    return frozenset(gate for sets in table["crds"].values() for named in sets.values() for gate in named)


def completed(text: str) -> str:
    """The page with a row for each rule that no row names and that has a case with a finding.

    The row has the rule's message and the first of these cases, and comes last in the section of the rule's folder.
    """
    named = {name for row in read(text).rows for name in quoted(row.where)}
    examples: dict[str, str] = {}
    for case in cases():
        if case.speaks:
            examples.setdefault(case.rule, case.name)
    messages = {rule.id: rule.message for rule in all_rules()}
    for entry in RULES:
        if entry.id not in named and entry.id in examples:
            folder, _, stem = entry.module.partition(".")
            test = f"`rule-cases/{folder}/{stem}.yaml::{examples[entry.id]}`"
            cells = (messages[entry.id].replace("|", r"\|"), f"`{entry.id}`", test)
            text = _appended(text, SECTION_OF_RULES[folder], cells)
    return text


def _appended(text: str, section: str, cells: tuple[str, ...]) -> str:
    """The page with one more row in a section, which gets the next number."""
    ids = [row.id for row in read(text).rows if row.section == section]
    number = 1 + max(int(name.rpartition("-")[2]) for name in ids)
    before, last, after = text.partition(f"\n| {ids[-1]} |")
    rest, newline, following = after.partition("\n")
    row = " | ".join((f"{SECTIONS[section]}-{number}", *cells))
    return f"{before}{last}{rest}{newline}| {row} |\n{following}"
