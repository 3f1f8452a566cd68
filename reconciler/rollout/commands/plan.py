"""`ovnguard-reconciler rollout plan`: the rest of the upgrade, write by write."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

import click

from ovnguard.reconciler.rollout.commands.manifest_options import refused, refused_lines, with_manifests
from ovnguard.reconciler.rollout.commands.rollout_state import RolloutState, exit_of, with_state
from ovnguard.reconciler.rollout.loop.manifest_folder import ManifestFolder
from ovnguard.reconciler.rollout.plan.forecast import Pass, forecast
from ovnguard.reconciler.rollout.plan.model import ConfigMapVerb
from ovnguard.reconciler.rollout.plan.situation import CONFIG_MAP
from ovnguard.reconciler.rollout.plan.timeline import title_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler rollout plan --release 4.14.20
  ovnguard-reconciler rollout plan --release 4.14.20 -f cluster/ -o json
  ovnguard-reconciler rollout plan --release 4.14.20 --manifests 4.14 --values values.yaml

\b
Exit codes: 0 ok, 1 a rollout hangs or something is not understood, 2 wrong call or input that cannot be read, 3 an
internal error or a cluster that cannot be reached.
"""


@click.command("plan", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_state
@with_manifests
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
@click.version_option(package_name="ovnguard")
def command(state: RolloutState, folder: ManifestFolder | None, output: str) -> int:
    """Print all writes that are still to come when nothing fails; between two passes a rollout ends.

    Services, monitors and alerts are listed though they may be there already: what is as planned costs no write.
    """
    passes, refusals = forecast(state.reading.seen), refused(folder, state)
    if output == "json":
        click.echo(json.dumps({"passes": [*map(_as_json, passes)], "refusals": refusals}, indent=2))
    else:
        click.echo("\n".join(_as_text(passes)) if passes else "nothing to do")
        for text in refused_lines(refusals):
            click.echo(text)
    for each in (*state.decision.warnings, *(() if passes else state.decision.status.waiting_for)):
        click.echo(f"note: {each}", err=True)
    return Exit.INVALID if refusals else exit_of(state)


def _as_text(passes: Sequence[Pass]) -> Iterator[str]:
    for each in passes:
        yield f"{each.phase}: {title_of(each.phase, each.folder)}"
        if each.config_map.verb is not ConfigMapVerb.KEEP:
            data = ", ".join(f"{key}: {json.dumps(value)}" for key, value in each.config_map.data.items())
            yield f"  {each.config_map.verb} {CONFIG_MAP}{f' with {data}' if data else ''}"
        yield from (f"  {step}" for step in each.steps)


def _as_json(each: Pass) -> JsonObject:
    return {
        "phase": each.phase,
        "configMap": {"verb": each.config_map.verb, "data": dict(each.config_map.data)},
        "steps": [{"action": step.action, "target": step.target, "reason": step.reason} for step in each.steps],
    }
