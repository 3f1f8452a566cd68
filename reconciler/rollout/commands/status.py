"""`ovnguard-reconciler rollout status`: where the upgrade is, as a picture of its phases, and what it waits for."""

import json
from collections.abc import Iterator
from typing import Final

import click

from ovnguard.reconciler.rollout.commands.rollout_state import RolloutState, exit_of, with_state
from ovnguard.reconciler.rollout.plan.model import Observed
from ovnguard.reconciler.rollout.plan.timeline import timeline, title_of, workload_lines
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.list_text import MOST_NAMED
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler rollout status --release 4.14.20
  ovnguard-reconciler rollout status --release 4.14.20 --hosted-namespace clusters-blue \\
      --management-kubeconfig ./management
  kubectl get nodes,pods,daemonsets,deployments,configmaps -A -o yaml |
      ovnguard-reconciler rollout status --release 4.14.20 -f -

\b
Exit codes: 0 complete or on its way, 1 a rollout hangs or something is not understood, 2 wrong call or input that
cannot be read, 3 an internal error or a cluster that cannot be reached.
"""


@click.command("status", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_state
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
@click.version_option(package_name="ovnguard")
def command(state: RolloutState, output: str) -> int:
    """Print the phase of the upgrade, how far every workload is, and the nodes and pods that it waits for."""
    if output == "json":
        click.echo(json.dumps(_as_json(state), indent=2))
    else:
        click.echo("\n".join(_as_text(state)))
    return exit_of(state)


def _as_text(state: RolloutState) -> Iterator[str]:
    decision, status, target = state.decision, state.decision.status, state.target
    title = title_of(status.phase, decision.folder)
    yield f"release {target.release}, {state.reading.seen.flavour}: {status.phase}, {title}"
    for part in (timeline(decision, target.release), tuple(workload_lines(state.reading.seen))):
        yield from ("", *part) if part else ()
    override = state.reading.seen.override
    if override is not None:
        yield f"override: {override.by} skipped phases at {override.at}"
    for label, texts in (("waits for", status.waiting_for), ("warning", decision.warnings)):
        yield from (f"{label}: {each}" for each in texts)
    yield from (f"held up by {each}" for each in state.stalls[:MOST_NAMED])
    if len(state.stalls) > MOST_NAMED:
        yield f"held up by {len(state.stalls) - MOST_NAMED} more (-o json lists them)"


def _as_json(state: RolloutState) -> JsonObject:
    decision, seen = state.decision, state.reading.seen
    return {
        "release": state.target.release,
        "flavour": seen.flavour,
        "phase": decision.status.phase,
        "title": title_of(decision.status.phase, decision.folder),
        "folder": decision.folder,
        "levelReached": decision.status.level_reached,
        "configMap": None if seen.config_map is None else dict(seen.config_map),
        "workloads": list(_workloads(seen)),
        "waitingFor": list(decision.status.waiting_for),
        "stalls": [
            {"workload": each.workload, "node": each.node, "pod": each.pod, "reason": each.reason}
            for each in state.stalls
        ],
        "warnings": list(decision.warnings),
        "conditions": [
            {"type": each.type, "status": each.status, "reason": each.reason, "message": each.message}
            for each in decision.status.conditions
        ],
    }


def _workloads(seen: Observed) -> Iterator[JsonObject]:
    named: dict[str, Workload | None] = {
        "prepuller": seen.prepuller,
        "node": seen.node,
        "master": seen.master,
        "controlPlane": seen.control_plane,
    }
    for role, each in named.items():
        if each is not None:
            yield {
                "role": role,
                "object": f"{each.kind} {each.namespace}/{each.name}",
                "version": each.version,
                "interconnect": each.interconnect,
                "zoneMode": each.zone_mode,
                "desired": each.desired,
                "updated": each.updated,
                "available": each.available,
                "hung": each.hung,
            }
