"""The index of the rules is made from their fields: `pytest --update` makes it again."""

import json
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from validators.network import cluster_view, rules
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.ovnkube_settings.allocation_settings import OVNKUBE_KINDS
from validators.network.rules import Rule, rules_of
from validators.network.rules.index import RULES, Entry

FOLDER = Path(rules.__file__).parent
FILE = FOLDER / "index.py"
KINDS = {kind: name for name, kind in vars(cluster_view).items() if isinstance(kind, cluster_view.GroupKind)}
WIDTH = 120
LONGEST = WIDTH - len("    Entry(),")
GROUPS = {NETWORK_KINDS: "_NETWORKS", OVNKUBE_KINDS: "_OVNKUBE"}


def test_the_index_is_up_to_date(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        FILE.write_text(rendered(), encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == rendered()


def test_every_rule_is_indexed_once() -> None:
    assert len({entry.id for entry in RULES}) == len(RULES) == len(list(declared()))


def rendered() -> str:
    """The file, with the order that it has; rules that it does not have come last."""
    known = [entry.id for entry in RULES]
    found = {rule.id: entry_of(rule, module) for module, rule in declared()}
    entries = [found[name] for name in dict.fromkeys((*known, *sorted(found))) if name in found]
    head, _, _ = FILE.read_text(encoding="utf-8").partition("RULES: Final")
    body = "".join(f"    {line(entry)},\n" for entry in entries)
    return f"{head}RULES: Final = (\n{body})\n"


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
