"""`ovnguard-reconciler rollout explain`: what one pass does now, file by file, and what has to happen next."""

import json
from collections.abc import Iterator
from typing import Final

import click

from ovnguard.reconciler.rollout.commands.manifest_options import refused, refused_lines, with_manifests
from ovnguard.reconciler.rollout.commands.rollout_state import RolloutState, exit_of, with_state
from ovnguard.reconciler.rollout.loop.manifest_folder import ManifestFolder
from ovnguard.reconciler.rollout.plan.folders import PURPOSES
from ovnguard.reconciler.rollout.plan.model import Action, ConfigMapVerb, Decision, Phase
from ovnguard.reconciler.rollout.plan.situation import CONFIG_MAP
from ovnguard.reconciler.rollout.plan.table import TABLE
from ovnguard.reconciler.rollout.plan.timeline import title_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler rollout explain --release 4.14.20

\b
Exit codes: 0 ok, 1 a rollout hangs or something is not understood, 2 wrong call or input that cannot be read, 3 an
internal error or a cluster that cannot be reached.
"""
_ACTIONS: Final = {
    Action.APPLY: "is written unless it is already as planned",
    Action.CREATE_ONLY: "is created if it does not exist, and otherwise left alone",
    Action.CREATE_WAIT: "is not written yet, and not removed",
    Action.REMOVE: "is deleted if it exists",
    Action.RELEASE: "is handed over to the cluster network operator",
    Action.ANNOTATE: "is annotated",
    Action.WAIT: "is awaited",
}


@click.command("explain", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_state
@with_manifests
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
@click.version_option(package_name="ovnguard")
def command(state: RolloutState, folder: ManifestFolder | None, output: str) -> int:
    """Print the steps of this pass with the purpose of every file, and what leads to the next phase."""
    refusals = refused(folder, state)
    if output == "json":
        click.echo(json.dumps({**_as_json(state.decision), "refusals": refusals}, indent=2))
    else:
        click.echo("\n".join((*_as_text(state.decision), *refused_lines(refusals))))
    return Exit.INVALID if refusals else exit_of(state)


def _leads_to(decision: Decision) -> Iterator[tuple[Phase, str]]:
    """The phases that can follow, and what has happened then."""
    found = (each for row in TABLE if row.phase is decision.status.phase for each in row.leads_to)
    return iter(dict.fromkeys(found))


def _as_text(decision: Decision) -> Iterator[str]:
    yield f"{decision.status.phase}: {title_of(decision.status.phase, decision.folder)}"
    if decision.folder is not None:
        yield f"manifests: {decision.folder}"
    action = decision.config_map
    if action.verb is not ConfigMapVerb.KEEP:
        yield f"{action.verb} {CONFIG_MAP} {json.dumps(dict(action.data)) if action.data else ''}".rstrip()
    for step in decision.steps:
        purpose = PURPOSES.get(step.file, "")
        why = f" because {step.reason}" if step.reason else ""
        yield f"{step.target} {_ACTIONS[step.action]}{why}{f': {purpose}' if purpose else ''}"
    yield from (f"next: {phase} ({title_of(phase)}), when {event}" for phase, event in _leads_to(decision))
    if decision.folder is None:
        yield from (f"not understood: {each}" for each in decision.status.waiting_for)


def _as_json(decision: Decision) -> JsonObject:
    return {
        "phase": decision.status.phase,
        "folder": decision.folder,
        "configMap": {"verb": decision.config_map.verb, "data": dict(decision.config_map.data)},
        "steps": [
            {
                "action": step.action,
                "target": step.target,
                "reason": step.reason,
                "purpose": PURPOSES.get(step.file, ""),
                "annotations": dict(step.annotations),
            }
            for step in decision.steps
        ],
        "next": [{"phase": phase, "when": event} for phase, event in _leads_to(decision)],
        "waitingFor": list(decision.status.waiting_for),
    }
