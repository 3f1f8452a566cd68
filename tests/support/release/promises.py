"""What a release promises to keep, as docs/promises.md explains: `python -m tests.support.release.promises` writes it,
and says what goes or changes. A release writes it, too, if nothing does.

The list has one entry for each rule id, field of a JSON document, option, exit code, metric and condition.
"""

import argparse
import ast
import importlib
import json
from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

from ovnguard.reconciler.cli import reconciler
from ovnguard.validators.cli.completion_command import completion
from ovnguard.validators.cli.cost_command import cost
from ovnguard.validators.cli.evolve_command import evolve_command
from ovnguard.validators.cli.explain.explain_command import explain
from ovnguard.validators.cli.explain.explanations import rule_ids
from ovnguard.validators.cli.preflight_options import PROGRAM, SUB_COMMANDS, parser
from ovnguard.validators.cli.suite_command import test as suites
from ovnguard.validators.commandline.program import Exit
from ovnguard.webhook.cli import cli as webhook
from tests.support.paths import GOLDEN, ROOT
from tests.support.release.registered_metrics import METRICS, metrics

FILE: Final = GOLDEN / "promises-1.0.json"
_HELP: Final = {"-h", "--help"}
Promises: TypeAlias = dict[str, dict[str, str]]
"""By what they are about, then by name: what is promised of each."""


def promises() -> Promises:
    """What this checkout keeps."""
    groups: dict[str, click.Command] = {"ovnguard-webhook": webhook, "ovnguard-reconciler": reconciler}
    for each in (cost, evolve_command, explain, suites, completion):
        groups[f"{PROGRAM} {each.name}"] = each
    schemas = sorted((ROOT / "docs" / "schemas").glob("*.json"))
    return {
        "rules": dict.fromkeys(sorted(rule_ids()), "rule"),
        "documents": dict(entry for path in schemas for entry in document(path)),
        "options": dict(preflight()) | dict(entry for name, each in groups.items() for entry in options(name, each)),
        "exit codes": {each.name: str(each.value) for each in Exit},
        "metrics": {name: kind for folder in METRICS for name, kind in metrics(folder)},
        "conditions": dict.fromkeys(sorted(conditions()), "condition"),
    }


def broken(promised: Promises, kept: Promises) -> list[str]:
    """The promises that are not kept. What is kept besides is no fault."""
    return [
        f"{about}: {name} is gone"
        if (now := kept.get(about, {}).get(name)) is None
        else f"{about}: {name} was {was}, is {now}"
        for about, entries in promised.items()
        for name, was in entries.items()
        if kept.get(about, {}).get(name) != was
    ]


def document(path: Path) -> Iterator[tuple[str, str]]:
    """The fields of the documents that a JSON schema describes, each with its type."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    yield path.stem, schema["$id"]
    yield from _fields(schema, schema, f"{path.stem} ", frozenset())


def _fields(
    schema: Mapping[str, Any], root: Mapping[str, Any], where: str, seen: frozenset[str]
) -> Iterator[tuple[str, str]]:
    if (name := schema.get("$ref", "")) and name not in seen:
        schema, seen = root["$defs"][name.rpartition("/")[2]], seen | {name}
    needed = schema.get("required", ())
    for field, each in schema.get("properties", {}).items():
        kind = each.get("const") or each.get("$ref") or each.get("type", "any")
        yield f"{where}{field}", f"{kind}, required" if field in needed else str(kind)
        yield from _fields(each, root, f"{where}{field}.", seen)
    if isinstance(schema.get("items"), Mapping):
        yield from _fields(schema["items"], root, f"{where.rstrip('.')}[].", seen)


def preflight() -> Iterator[tuple[str, str]]:
    """The options of the preflight, which argparse reads."""
    yield PROGRAM, "command"
    yield from ((f"{PROGRAM} {name}", "command") for name in SUB_COMMANDS)
    for action in parser()._actions:
        is_flag = action.nargs == 0 or isinstance(action, argparse.BooleanOptionalAction)
        for name in set(action.option_strings) - _HELP:
            yield f"{PROGRAM} {name}", "flag" if is_flag else "value"
            yield from ((f"{PROGRAM} {name}={choice}", "choice") for choice in action.choices or ())


def options(path: str, command: click.Command) -> Iterator[tuple[str, str]]:
    """The options of a command and of the commands in it."""
    yield path, "command"
    context = click.Context(command)
    for each in command.params:
        if isinstance(each, click.Option) and not each.hidden:
            for name in {*each.opts, *each.secondary_opts} - _HELP:
                yield f"{path} {name}", "flag" if each.is_flag else "value"
                choices = each.type.choices if isinstance(each.type, click.Choice) else ()
                yield from ((f"{path} {name}={choice}", "choice") for choice in choices)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from options(f"{path} {name}", inner)


def conditions() -> set[str]:
    """The types of the conditions that the reconciler writes: the first argument of each one that its modules make."""
    return {name for path in sorted((ROOT / "reconciler").rglob("*.py")) for name in _conditions_of(path)}


def _conditions_of(path: Path) -> Iterator[str]:
    source = path.read_text(encoding="utf-8")
    calls = ast.walk(ast.parse(source)) if "Condition(" in source else ()
    for call in calls:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Condition":
            first = call.args[0]
            if isinstance(first, ast.Constant):
                yield str(first.value)
            elif not isinstance(first, ast.Starred):
                # a constant of the module, or a member of one
                module = importlib.import_module(".".join(("ovnguard", *path.relative_to(ROOT).with_suffix("").parts)))
                yield str(attrgetter(ast.unparse(first))(module))


def written(kept: Promises) -> str:
    """The text of the file."""
    return json.dumps(kept, indent=1, sort_keys=True) + "\n"


def renewed(kept: Promises, file: Path = FILE) -> list[str]:
    """Write what is kept, unless the file promises otherwise; the promises that are not kept."""
    faults = broken(json.loads(file.read_text(encoding="utf-8")), kept)
    if not faults:
        file.write_text(written(kept), encoding="utf-8")
    return faults


if __name__ == "__main__":
    for _fault in renewed(_kept := promises()):
        print(_fault)
    FILE.write_text(written(_kept), encoding="utf-8")
