"""The index of the rules is generated from their fields: `make rules` writes it."""

import json
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from ovnguard.validators.network import cluster_view, rules
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.ovnkube_settings.allocation_settings import OVNKUBE_KINDS
from ovnguard.validators.network.rules import Rule, rules_of
from ovnguard.validators.network.rules.index import RULES, Entry

FOLDER = Path(rules.__file__).parent
FILE = FOLDER / "index.py"
KINDS = {kind: name for name, kind in vars(cluster_view).items() if isinstance(kind, cluster_view.GroupKind)}
WIDTH = 120
LONGEST = WIDTH - len("    Entry(),")
EVERY_NETWORK = (cluster_view.OPERATOR_NETWORK, *NETWORK_KINDS)
GROUPS = {NETWORK_KINDS: "_NETWORKS", EVERY_NETWORK: "_EVERY_NETWORK", OVNKUBE_KINDS: "_OVNKUBE"}


def test_the_index_is_up_to_date(generated: Callable[[Path, str, str], None]) -> None:
    generated(FILE, rendered(), "make rules")


def test_every_rule_is_indexed_once() -> None:
    modules: dict[str, list[str]] = {}
    for module, rule in declared():
        modules.setdefault(rule.id, []).append(module)
    doubled = {name: found for name, found in modules.items() if len(found) > 1}
    assert not doubled, f"each rule needs an id of its own: {doubled}"
    assert sorted(entry.id for entry in RULES) == sorted(modules), "the index is not up to date: run make rules"


def rendered() -> str:
    """The file, with the order that it has; rules that it does not have come last."""
    known = [entry.id for entry in RULES]
    found: dict[str, Entry] = {}
    for module, rule in declared():
        found.setdefault(rule.id, entry_of(rule, module))
    entries = [found[name] for name in dict.fromkeys((*known, *sorted(found))) if name in found]
    head, _, _ = FILE.read_text(encoding="utf-8").partition("RULES: Final")
    body = "".join(f"    {line(entry)},\n" for entry in entries)
    return f"{_with_imports(head, entries)}RULES: Final = (\n{body})\n"


def _with_imports(head: str, entries: list[Entry]) -> str:
    """The part before the table, which imports every kind that a rule judges."""
    names = sorted({KINDS[kind] for entry in entries for kind in entry.kinds})
    listed = "".join(f"    {name},\n" for name in (*names, cluster_view.GroupKind.__name__))
    before, start, rest = head.partition(f"from {cluster_view.__name__} import (\n")
    return f"{before}{start}{listed}){rest.partition(')')[2]}"


def declared() -> Iterator[tuple[str, Rule]]:
    for file in sorted(FOLDER.glob("*/*.py")):
        if "\nRULE = " in (text := file.read_text(encoding="utf-8")) or "\nRULES = " in text:
            module = f"{file.parent.name}.{file.stem}"
            yield from ((module, rule) for rule in rules_of(f"{rules.__name__}.{module}"))


def entry_of(rule: Rule, module: str) -> Entry:
    return Entry(rule.id, module, *(getattr(rule, field) for field in Entry._fields[2:]))


def line(entry: Entry) -> str:
    kinds = GROUPS.get(entry.kinds) or written(KINDS[kind] for kind in entry.kinds)
    parts = [json.dumps(entry.id), json.dumps(entry.module), kinds]
    for field, default in Entry._field_defaults.items():
        value = getattr(entry, field)
        if value != default:
            parts.append(f"{field}={source(value)}")
    # as ruff formats it
    listed, indent = ", ".join(parts), " " * 8
    if len(listed) <= LONGEST:
        return f"Entry({listed})"
    if len(indent + listed) > WIDTH:
        listed = f",\n{indent}".join(parts) + ","
    return f"Entry(\n{indent}{listed}\n    )"


def source(value: Any) -> str:
    if isinstance(value, frozenset):
        return f"frozenset({{{', '.join(sorted(map(json.dumps, value)))}}})"
    if isinstance(value, tuple):
        return written(map(source, value))
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def written(items: Iterator[str]) -> str:
    listed = list(items)
    return f"({', '.join(listed)}{',' if len(listed) == 1 else ''})"
