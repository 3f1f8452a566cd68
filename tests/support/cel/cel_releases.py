"""Recorded answers of other releases to the rules of the tables, where they differ from those of 1.35."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from ovnguard.validators.base.validation_rule import ValidationRule
from ovnguard.validators.cel.types.declaration import declare
from ovnguard.validators.cel.types.errors import InvalidRule
from ovnguard.validators.cel.validation_rule_compiler import compile_for
from tests.support.generated_rule import estimated_cost
from tests.support.paths import CEL_DATA

TABLES = CEL_DATA / "tables"
RECORDED = CEL_DATA / "releases"


@cache
def rows() -> tuple[tuple[str, dict[str, Any], dict[str, Any]], ...]:
    """Name, the table it stands in, and the row of each rule as 1.35 answers it."""
    found = []
    for file in sorted(TABLES.glob("*.json")):
        table = json.loads(file.read_text(encoding="utf-8"))
        found += [(f"{file.stem}: {row['rule']}", table, row) for row in table["rules"]]
    return tuple(found)


def releases() -> Iterator[tuple[int, dict[str, Any]]]:
    """The minor version of each other release, and what is recorded of it."""
    for file in sorted(RECORDED.glob("1.*.json")):
        yield int(file.stem.removeprefix("1.")), json.loads(file.read_text(encoding="utf-8"))


def ours(table: dict[str, Any], rule: str, minor: int) -> dict[str, Any]:
    """A rule of a new definition in a server of 1.``minor``: checked with the libraries of the release before."""
    decl = declare(table["schema"], release=minor)
    spec = ValidationRule(rule, "MSG")
    try:
        checked = compile_for(spec, table["schema"], decl, f"1.{minor}", minor - 1)
    except InvalidRule as fault:
        return {"refused": fault.text}
    result = checked.evaluate(table["value"])
    cost = estimated_cost(checked)
    return {"ok": result.ok, "text": result.message, "cost": result.cost, "estimate": factor(cost)}


def factor(cost: int) -> str:
    """An estimate as the server prints its relation to the limit, "" below it."""
    share = cost / 10_000_000
    if share <= 1:
        return ""
    if share > 100:
        return "more than 100x"
    return f"{share:f}x" if share < 1.5 else f"{share:.1f}x"
