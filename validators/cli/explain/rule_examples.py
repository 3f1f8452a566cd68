"""An example each way for a rule: what has its finding, and what is like it and has none.

Examples of rules in definitions come from ``crd_schemas/cases``; those of other rules from ``rule_examples.json``,
which is generated from their case files (`pytest tests/unit --update`).
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.rule_ids import cases

_FILE: Final = Path(__file__).with_name("rule_examples.json")
_WIDTH: Final = 100


class Examples(NamedTuple):
    """Two requests: ``object`` or the ``value`` of a rule's field, ``stored`` before an update, and what is around it.

    None where no case shows it.
    """

    silent: JsonObject | None = None
    finding: JsonObject | None = None


def examples_of(rule: str) -> Examples:
    """Return the examples of the rule with an id."""
    entry = _of_definitions().get(rule)
    if entry is not None:
        return Examples(_values(entry["accepts"][0]), _values(entry["refuses"][0]))
    found = _generated().get(rule, {})
    return Examples(found.get("silent"), found.get("finding"))


def as_yaml(example: JsonObject) -> str:
    """Return an example as YAML without a final newline."""
    text: str = yaml.dump(
        example, Dumper=_Plain, sort_keys=False, default_flow_style=None, width=_WIDTH, allow_unicode=True
    )
    return text.rstrip("\n")


class _Plain(yaml.SafeDumper):
    """Writes equal parts twice instead of naming them."""

    def ignore_aliases(self, data: object) -> bool:
        """Whether to write a value in full: always."""
        return True


def _values(case: JsonObject) -> JsonObject:
    return {name: case[key] for key, name in (("old", "stored"), ("self", "value")) if key in case}


@cache
def _of_definitions() -> Mapping[str, JsonObject]:
    return {entry["id"]: entry for entry in cases()}


@cache
def _generated() -> Mapping[str, Any]:
    content: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return content
