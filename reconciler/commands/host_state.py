"""The host part at the command line: printed for every node, compared with or applied to the machine we are on."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import click

from reconciler.apply.host.host import Host
from reconciler.apply.store_errors import StoreError
from reconciler.commands.manifests import Inputs
from reconciler.plan.host.command_lines import commands_of, plan_as_text
from reconciler.plan.host.host_diff import HostOperation, host_as_text
from reconciler.plan.host.host_plan import ALL_ABILITIES, Abilities, HostPlan
from reconciler.plan.host.host_planner import host_plan
from reconciler.plan.host.nft import ruleset
from validators.base.json_types import JsonObject

HostOption = click.option("--host", metavar="NODE", help="This machine is that node: its own state too.")


@dataclass(frozen=True, slots=True)
class HostState:
    """What was found of this machine, or done to it. ``error`` says why nothing is known."""

    node: str
    operations: tuple[HostOperation, ...] = ()
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: StoreError | None = None

    @property
    def is_planned(self) -> bool:
        """Whether the machine was as planned."""
        return not self.operations and self.error is None


def planned_host(inputs: Inputs, node: str, abilities: Abilities = ALL_ABILITIES) -> HostPlan:
    """Return the host part of a node, without networks that cannot be planned there now."""
    if inputs.host is None:
        return HostPlan(node)
    return host_plan(node, replace(inputs.host, doubtful=_doubtful(inputs, node)), abilities)


def hosts_as_text(inputs: Inputs, nodes: tuple[str, ...]) -> str:
    """Return the host parts of nodes: rulesets that nft reads, and commands."""
    return "".join(plan_as_text(planned_host(inputs, node)) for node in nodes)


def host_to_json(plan: HostPlan) -> JsonObject:
    """Return ``{"nft": RULESET, "commands": [...], "notes": [...]}``."""
    commands = commands_of(HostOperation(None, item) for item in plan.items)
    return {
        "nft": ruleset(plan.sets, plan.chains),
        "commands": [str(each) for each in commands],
        "notes": [str(note) for note in plan.notes],
    }


def compare_host(inputs: Inputs, node: str) -> HostState:
    """Return what of this machine differs from the plan of ``node``."""
    return _with_host(
        inputs, node, lambda host, desired: HostState(node, host.compare(desired, _doubtful(inputs, node)))
    )


def apply_host(inputs: Inputs, node: str) -> HostState:
    """Bring this machine to the plan of ``node``, and return what was done and what could not be."""

    def apply(host: Host, desired: HostPlan) -> HostState:
        done = host.apply(desired, _doubtful(inputs, node))
        left = tuple(f"still not as planned: {each}" for each in done.left)
        return HostState(node, done.operations, done.failures or left)

    return _with_host(inputs, node, apply)


def tell_host(state: HostState, verb: str) -> None:
    """Print a machine's state: ``verb`` is what became of what differed. Notes and failures are for standard error."""
    if state.error is None:
        count = len(state.operations)
        click.echo(f"host {state.node}: {f'{count} things {verb}' if count else 'as planned'}")
        click.echo(host_as_text(state.operations), nl=False)
    complain_of_host(state)


def complain_of_host(state: HostState) -> None:
    """Print notes and failures on standard error."""
    for note in state.notes:
        click.echo(f"note: {note}", err=True)
    for failure in (*state.failures, *([state.error] if state.error is not None else [])):
        click.echo(f"error: host {state.node}: {failure}", err=True)


def _with_host(inputs: Inputs, node: str, work: Callable[[Host, HostPlan], HostState]) -> HostState:
    assert inputs.host is not None, "manifests that were planned have what hosts need"
    if all(zone.node != node for zone in inputs.plan.zones):
        return HostState(node, error=StoreError("its zone cannot be planned now, so nothing of it is looked at"))
    host = Host(node)
    try:
        desired = planned_host(inputs, node, host.abilities())
        state = work(host, desired)
    except StoreError as error:
        return HostState(node, error=error)
    return replace(state, notes=tuple(str(note) for note in desired.notes))


def _doubtful(inputs: Inputs, node: str) -> frozenset[str]:
    doubtful = inputs.frozen | inputs.plan.waiting.get(node, frozenset())
    # what belongs to nobody that is known may belong to one of those
    return doubtful | {""} if doubtful else doubtful
