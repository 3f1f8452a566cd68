"""`kubectl ovn-preflight explain [ID]...`: what a network rule says, why, and what to do about it."""

import inspect
import json
import sys
from typing import Final

import click

from validators.commandline.program import Exit
from validators.network.rules import Rule, all_rules

_EPILOG: Final = """\b
Examples:
  kubectl ovn-preflight explain                     every rule, one line each
  kubectl ovn-preflight explain OVNG-NET-006
  kubectl ovn-preflight explain OVNG-L2-001 -o json

Exit codes: 0 found, 2 no such rule or wrong call, 3 a fault of this program.
"""


def why(rule: Rule) -> str:
    """Return why a rule exists: the docstring of its module, as one text with paragraphs."""
    module = sys.modules[rule.check.__module__]
    return inspect.cleandoc(module.__doc__ or "")


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.version_option(package_name="ovnguard")
def explain(ids: tuple[str, ...], output: str) -> int:
    """Explain network rules: what they say, why, which design they stand for, and what to do about it."""
    known = {rule.id: rule for rule in all_rules()}
    for name in ids:
        if name.upper() not in known:
            raise click.UsageError(f"no rule {name}; 'kubectl ovn-preflight explain' lists them")
    chosen = [known[name.upper()] for name in ids] or list(known.values())
    if output == "json":
        click.echo(json.dumps([_mapping(rule) for rule in chosen], indent=2))
    elif ids:
        click.echo("\n\n".join(map(_text, chosen)))
    else:
        for rule in chosen:
            click.echo(f"{rule.id}  {rule.severity:7}  {rule.message}")
    return Exit.OK


def _mapping(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "severity": str(rule.severity),
        "message": rule.message,
        "why": why(rule),
        "hint": rule.hint,
        "design": rule.design,
        "kinds": list(rule.kind_names),
        "needs": [str(need) for need in rule.needs],
        "operations": sorted(rule.operations),
    }


def _text(rule: Rule) -> str:
    lines = [f"{rule.id} ({rule.severity}): {rule.message}", ""]
    lines += why(rule).splitlines()
    lines += ["", f"What to do:  {rule.hint}", f"Kinds:       {', '.join(rule.kind_names)}"]
    if rule.needs:
        lines.append(f"Needs:       {', '.join(rule.needs)}")
    return "\n".join([*lines, f"Design:      {rule.design}"])
