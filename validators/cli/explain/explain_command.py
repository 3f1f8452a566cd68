"""`kubectl ovn-preflight explain [RULE|FIELD]...`: what a rule requires, why, and the remedy; or what a field is."""

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from typing import Final

import click

from ovnguard.crd_schemas import SETS
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cli.explain.explanations import Explanation, explanations
from ovnguard.validators.cli.explain.field_explanations import (
    FieldExplanation,
    UnknownField,
    field_explanations,
    is_field,
    kind_names,
)
from ovnguard.validators.cli.explain.keyword_explanations import keyword_explanations
from ovnguard.validators.cli.explain.rule_examples import as_yaml, examples_of
from ovnguard.validators.cli.explain.rule_names import no_rule
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  kubectl ovn-preflight explain                     list every rule
  kubectl ovn-preflight explain OVNG-NET-006
  kubectl ovn-preflight explain default-network-transport-immutable -o json
  kubectl ovn-preflight explain clusteruserdefinednetworks.spec.network.layer2

Exit codes: 0 found, 2 unknown rule or field, or wrong call, 3 internal error.
"""
_WIDTH: Final = 100
_LABEL: Final = 13


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[RULE|FIELD]...")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.version_option(package_name="ovnguard")
def explain(names: tuple[str, ...], output: str) -> int:
    """Explain rules by the ids that findings print, and fields of bundled kinds: KIND.path or PLURAL.path.

    A rule: what it requires, why, its design, and what to do. A field: its type, default, bounds and rules.
    """
    known = {each.id.casefold(): each for each in explanations()}
    chosen = [each for name in names for each in _named(name, known)] or list(known.values())
    if output == "json":
        click.echo(json.dumps([_mapping(each) for each in chosen], indent=2))
    elif names:
        click.echo("\n\n".join(_text(each) if isinstance(each, Explanation) else _field(each) for each in chosen))
    else:
        for each in known.values():
            click.echo(f"{each.id}  {each.severity:7}  {each.message}")
    return Exit.OK


def _mapping(each: Explanation | FieldExplanation) -> JsonObject:
    """The entry of a rule or a field in JSON."""
    more = {"examples": examples_of(each.id)._asdict()} if isinstance(each, Explanation) else {}
    return {**asdict(each), **more}


def _named(name: str, known: Mapping[str, Explanation]) -> Sequence[Explanation | FieldExplanation]:
    found = known.get(name.casefold())
    if found is not None:
        return [found]
    if keywords := keyword_explanations(name):
        return keywords
    if is_field(name):
        try:
            return field_explanations(name)
        except UnknownField as error:
            raise click.UsageError(str(error)) from None
    word, *path = name.split(".", 1)
    if path and (kinds := get_close_matches(word.casefold(), kind_names(), n=2, cutoff=0.6)):
        raise click.UsageError(f"no kind {word} is bundled; did you mean {' or '.join(kinds)}?")
    raise click.UsageError(no_rule(name, [each.id for each in known.values()]))


def _field(each: FieldExplanation) -> str:
    sets = f" (schema set {', '.join(each.sets)})" if len(each.sets) < len(SETS) else ""
    lines = [f"{each.kind} {each.path}".rstrip() + sets, ""]
    for paragraph in filter(None, each.description.split("\n")):
        lines += textwrap.wrap(paragraph, _WIDTH)
    lines += [""] if each.description else []
    return "\n".join(
        lines
        + _labelled(
            ("Type", each.type + (", required" if each.required else "")),
            ("Default", each.default),
            ("Values", ", ".join(each.enum)),
            ("Bounds", ", ".join(each.bounds)),
            ("Fields", "\n".join(textwrap.wrap(", ".join(each.fields), _WIDTH - _LABEL))),
            ("Rules", "\n".join(f"{name}: {message}" for name, message in each.rules)),
            ("Source", f"{each.file}:{each.line}"),
        )
    )


def _text(each: Explanation) -> str:
    lines = [f"{each.id} ({each.severity}): {each.message}", ""]
    if each.why:
        lines += [*(each.why.splitlines() if "\n" in each.why else textwrap.wrap(each.why, _WIDTH)), ""]
    return "\n".join(
        lines
        + _labelled(
            ("What to do", each.hint),
            ("Rule", each.rule),
            ("Fields", ", ".join(each.fields)),
            ("Kinds", ", ".join(each.kinds)),
            ("Operations", ", ".join(each.operations)),
            ("Needs", ", ".join(each.needs)),
            ("Design", each.design),
            ("Source", "\n".join(map(str, each.locations))),
            *_both_ways(each),
        )
    )


def _both_ways(each: Explanation) -> Iterator[tuple[str, str]]:
    """The examples of a rule, behind what the rule does with them."""
    refuses = each.severity == "error"
    silent, finding = examples_of(each.id)
    for label, example in (
        ("Accepted" if refuses else "No finding", silent),
        ("Refused" if refuses else "Finding", finding),
    ):
        yield label, "" if example is None else as_yaml(example)


def _labelled(*texts: tuple[str, str]) -> list[str]:
    """Texts that are not empty, behind their labels in a column."""
    return [f"{label + ':':<{_LABEL}}" + text.replace("\n", "\n" + " " * _LABEL) for label, text in texts if text]
