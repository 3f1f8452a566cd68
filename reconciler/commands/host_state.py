"""The host part of a plan on the command line: printed for every node, compared with or applied to this machine."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import click

from ovnguard.reconciler.apply.host.host import Host
from ovnguard.reconciler.apply.host.host_routes import Machine
from ovnguard.reconciler.apply.retention import DoubtfulNetworks
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.manifests import Manifests
from ovnguard.reconciler.commands.output import exit_of
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.host.command_lines import commands_of, plan_as_text
from ovnguard.reconciler.plan.host.host_diff import HostOperation, host_as_text
from ovnguard.reconciler.plan.host.host_plan import ALL_ABILITIES, Abilities, HostPlan
from ovnguard.reconciler.plan.host.host_planner import host_plan
from ovnguard.reconciler.plan.host.nft import ruleset
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit


@dataclass(frozen=True, slots=True)
class HostState:
    """The differences on this machine, or the changes made. ``error`` is set when the machine could not be read."""

    node: str
    operations: tuple[HostOperation, ...] = ()
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: StoreError | None = None

    @property
    def exit_of_failures(self) -> int:
        """The exit code for failures to read or apply."""
        if self.error is not None:
            return exit_of(self.error)
        return Exit.INTERNAL if self.failures else Exit.OK

    @property
    def exit_of_comparison(self) -> int:
        """The exit code of a comparison: a difference is exit code 1."""
        return self.exit_of_failures or (Exit.INVALID if self.operations else Exit.OK)


def planned_host(desired: DesiredState, node: str, abilities: Abilities = ALL_ABILITIES) -> HostPlan:
    """Return the host part of a node, without networks that cannot be planned there now."""
    return host_plan(node, desired.host_inputs(node), abilities)


def hosts_as_text(desired: DesiredState, nodes: tuple[str, ...]) -> str:
    """Return the host parts of nodes: rulesets that nft reads, and commands."""
    return "".join(plan_as_text(planned_host(desired, node)) for node in nodes)


def host_to_json(plan: HostPlan) -> JsonObject:
    """Return ``{"nft": RULESET, "commands": [...], "notes": [...]}``."""
    commands = commands_of(HostOperation(None, item) for item in plan.items)
    return {
        "nft": ruleset(plan.sets, plan.chains),
        "commands": [str(each) for each in commands],
        "notes": [str(note) for note in plan.notes],
    }


def with_kernel_routes(manifests: Manifests, node: str | None) -> Manifests:
    """Return ``manifests`` with the BGP routes of this machine, as `run --host` plans, if this machine is ``node``.

    Raises StoreError when the routes cannot be read.
    """
    if node is None:
        return manifests
    try:
        routes = Machine(node).routes()
    except StoreError as error:
        raise type(error)(f"host {node}: {error}") from None
    return replace(manifests, settings=replace(manifests.settings, imported_routes=routes))


def compare_host(desired: DesiredState, node: str) -> HostState:
    """Return what differs on this machine from the plan of ``node``."""
    doubtful = DoubtfulNetworks(desired.unplanned_on(node))
    return _with_host(desired, node, lambda host, plan: HostState(node, host.compare(plan, doubtful)))


def apply_host(desired: DesiredState, node: str) -> HostState:
    """Bring this machine to the plan of ``node``; return the changes and the failures."""

    def apply(host: Host, plan: HostPlan) -> HostState:
        done = host.apply(plan, DoubtfulNetworks(desired.unplanned_on(node)))
        left = tuple(f"still not as planned: {each}" for each in done.left)
        return HostState(node, done.operations, done.failures or left)

    return _with_host(desired, node, apply)


def print_host(state: HostState, verb: str) -> None:
    """Print a machine's state; ``verb`` is "differ" or "changed"."""
    if state.error is None:
        count = len(state.operations)
        click.echo(f"host {state.node}: {f'{count} items {verb}' if count else 'as planned'}")
        click.echo(host_as_text(state.operations), nl=False)
    print_host_remarks(state)


def print_host_remarks(state: HostState) -> None:
    """Print notes and failures on standard error."""
    for note in state.notes:
        click.echo(f"note: {note}", err=True)
    for failure in (*state.failures, *([state.error] if state.error is not None else [])):
        click.echo(f"error: host {state.node}: {failure}", err=True)


def _with_host(desired: DesiredState, node: str, work: Callable[[Host, HostPlan], HostState]) -> HostState:
    if all(zone.node != node for zone in desired.plan.zones):
        return HostState(node, error=StoreError("its zone cannot be planned now; the machine stays unchanged"))
    host = Host(node)
    try:
        plan = planned_host(desired, node, host.abilities())
        state = work(host, plan)
    except StoreError as error:
        return HostState(node, error=error)
    return replace(state, notes=tuple(str(note) for note in plan.notes))
