"""`kubectl ovn-preflight explain [ID]...`: the requirement of a rule, its reason, and the remedy."""

import json
import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from difflib import get_close_matches
from typing import Final

import click

from validators.cli.explanations import Explanation, explanations
from validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  kubectl ovn-preflight explain                     list every rule
  kubectl ovn-preflight explain OVNG-NET-006
  kubectl ovn-preflight explain default-network-transport-immutable -o json

Exit codes: 0 found, 2 unknown rule or wrong call, 3 internal error.
"""
_WIDTH: Final = 100
_LABEL: Final = 13


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.version_option(package_name="ovnguard")
def explain(ids: tuple[str, ...], output: str) -> int:
    """Explain rules by the ids that findings print: what a rule requires, why, its design, and what to do."""
    known = {each.id.casefold(): each for each in explanations()}
    chosen = [_named(name, known) for name in ids] or list(known.values())
    if output == "json":
        click.echo(json.dumps([asdict(each) for each in chosen], indent=2))
    elif ids:
        click.echo("\n\n".join(map(_text, chosen)))
    else:
        for each in chosen:
            click.echo(f"{each.id}  {each.severity:7}  {each.message}")
    return Exit.OK


def _named(name: str, known: Mapping[str, Explanation]) -> Explanation:
    found = known.get(name.casefold())
    if found is not None:
        return found
    close = [known[each].id for each in get_close_matches(name.casefold(), known, n=3, cutoff=0.6)]
    hint = f"did you mean {' or '.join(close)}?" if close else "'kubectl ovn-preflight explain' lists them"
    raise click.UsageError(f"no rule {name}; {hint}")


def _text(each: Explanation) -> str:
    lines = [f"{each.id} ({each.severity}): {each.message}", ""]
    if each.why:
        lines += [*(each.why.splitlines() if "\n" in each.why else textwrap.wrap(each.why, _WIDTH)), ""]
    for label, text in (
        ("What to do", each.hint),
        ("Rule", each.rule),
        ("Fields", ", ".join(each.fields)),
        ("Kinds", ", ".join(each.kinds)),
        ("Operations", ", ".join(each.operations)),
        ("Needs", ", ".join(each.needs)),
        ("Design", each.design),
        ("Source", "\n".join(map(str, each.locations))),
    ):
        if text:
            lines.append(f"{label + ':':<{_LABEL}}" + text.replace("\n", "\n" + " " * _LABEL))
    return "\n".join(lines)
