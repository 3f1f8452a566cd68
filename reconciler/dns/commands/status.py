"""`ovnguard-reconciler dns status`: where an installation with user-managed DNS is, and who has to do what next."""

import json
from collections.abc import Iterator
from typing import Final

import click

from ovnguard.reconciler.dns.commands.inputs import Inputs, UnreadableError, print_error, with_inputs
from ovnguard.reconciler.dns.plan.observed import Observed
from ovnguard.reconciler.dns.plan.problems import shown
from ovnguard.reconciler.dns.plan.records import Record
from ovnguard.reconciler.dns.plan.workflow import State, Workflow, workflow
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler dns status                                        of the cluster in the kubeconfig
  ovnguard-reconciler dns status --server 10.0.0.2                      with the records of your own DNS server
  ovnguard-reconciler dns status -f install-config.yaml --no-lookup     before the installation
  ovnguard-reconciler dns status -f install-config.yaml --api-int-target internal-c1.elb.us-east-1.amazonaws.com
  ovnguard-reconciler dns status -o json | jq '.records[] | select(.state == "missing")'

\b
Exit codes: 0 the user has nothing to do, 1 a record is missing or wrong, or objects are wrong, 2 wrong call or input
that cannot be read, 3 an internal error or a cluster that cannot be reached.
"""


@click.command("status", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs()
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
@click.version_option(package_name="ovnguard")
def command(inputs: Inputs, output: str) -> int:
    """Print the state of the installation, its next steps, and every DNS record of the user with its state.

    A record counts as existing when a DNS server answers for its name; ask your own DNS, not that of a node.
    """
    try:
        observed = inputs.observe()
    except UnreadableError as error:
        return print_error(error)
    found = workflow(observed)
    click.echo(json.dumps(_as_json(observed, found), indent=2) if output == "json" else _as_text(observed, found))
    return Exit.INVALID if found.problems or found.owed_records else Exit.OK


def _as_text(observed: Observed, found: Workflow) -> str:
    api = "the platform's DNS" if observed.dialect is None else f"{observed.dialect} API"
    about = ", ".join(filter(None, (_platform(observed), api, observed.base_domain)))
    lines = [f"state: {found.state}" + ("" if found.state is State.PREREQUISITES else f" ({about})")]
    lines += ["steps:"] if found.owed else []
    lines += [f"  {step.actor}: {step.text}" for step in found.owed]
    lines += ["records:"] if found.records else []
    lines += _record_lines(found.records)
    lines += ["problems:"] if found.problems else []
    lines += [f"  {problem}" for problem in found.problems]
    return "\n".join(lines)


def _platform(observed: Observed) -> str:
    return observed.platform if observed.platform.isalnum() else shown(observed.platform)


def _record_lines(records: tuple[Record, ...]) -> Iterator[str]:
    rows = [(record.state, record.name, record.type, _value(record), record.when) for record in records]
    widths = [max(len(row[column]) for row in rows) for column in range(4)] if rows else []
    for row, record in zip(rows, records, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield f"  {'  '.join(cells)}  {row[4]}{f' ({record.detail})' if record.detail else ''}"


def _value(record: Record) -> str:
    return record.value or f"<{record.source}>"


def _as_json(observed: Observed, found: Workflow) -> JsonObject:
    return {
        "state": found.state,
        "api": observed.dialect,
        "platform": observed.platform,
        "baseDomain": observed.base_domain,
        "steps": [step._asdict() for step in found.owed],
        "records": [record._asdict() for record in found.records],
        "problems": [problem._asdict() for problem in found.problems],
    }
