"""What FRR on this machine runs and has learnt, next to the plan of its node: the part of `verify` about BGP."""

from dataclasses import dataclass, field

import click

from ovnguard.reconciler.apply.frr.bgp_state import read_bgp
from ovnguard.reconciler.apply.frr.vtysh import Vtysh
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.output import exit_of
from ovnguard.reconciler.plan.bgp.config_delta import Delta, delta
from ovnguard.reconciler.plan.bgp.convergence import Convergence
from ovnguard.reconciler.plan.bgp.wanted_routes import wanted_routes, wanted_sessions
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit


@dataclass(frozen=True, slots=True)
class FrrState:
    """How FRR differs from the plan; ``error`` is set when it could not be read."""

    node: str
    difference: Delta = field(default_factory=Delta)
    found: Convergence = field(default_factory=Convergence)
    error: StoreError | None = None

    @property
    def exit_of_comparison(self) -> int:
        """The exit code: a difference or something missing is exit code 1."""
        if self.error is not None:
            return exit_of(self.error)
        return Exit.INVALID if self.difference or not self.found.is_complete else Exit.OK


def compare_frr(desired: DesiredState, node: str, vtysh: Vtysh) -> FrrState:
    """Return how this machine's FRR differs from the plan of ``node``."""
    wanted = next((zone.frr for zone in desired.plan.zones if zone.node == node), None)
    if wanted is None:
        return FrrState(node, error=StoreError("its zone cannot be planned now; nothing is compared"))
    routes = wanted_routes(desired.judged.ready, desired.nodes, node)
    try:
        # A plan without BGP says nothing about a configuration of others, and a plan hides passwords.
        difference = delta(wanted, vtysh.running(), masked=True) if wanted else Delta()
        return FrrState(node, difference, read_bgp(vtysh, wanted_sessions(wanted), routes))
    except ValueError as error:
        return FrrState(node, error=StoreError(f"configuration of FRR: {error}"))
    except StoreError as error:
        return FrrState(node, error=error)


def print_frr(state: FrrState) -> None:
    """Print the state as text, the error on standard error."""
    print_frr_error(state)
    if state.error is not None:
        return
    found = state.found
    config = f"running configuration {state.difference}" if state.difference else "configuration as planned"
    sessions = f"{found.established} of {found.sessions} sessions established"
    routes = f"{found.routes - len(found.missing_routes)} of {found.routes} routes"
    click.echo(f"frr {state.node}: {config}, {sessions}, {routes}")
    for session in found.missing_sessions:
        click.echo(f"  {session}")
    for network, missing in found.by_network().items():
        click.echo(f"network {network}:")
        for route in missing:
            click.echo(f"  {route}")


def print_frr_error(state: FrrState) -> None:
    """Print why FRR could not be read."""
    if state.error is not None:
        click.echo(f"error: frr {state.node}: {state.error}", err=True)


def frr_to_json(state: FrrState) -> JsonObject:
    """Return the state as JSON."""
    if state.error is not None:
        return {"error": str(state.error)}
    found = state.found
    sessions = [
        {"peer": each.session.peer, "vrf": each.session.vrf, "state": each.state, "cause": each.cause}
        for each in found.missing_sessions
    ]
    routes = [
        {"network": each.route.network, "prefix": str(each.route.prefix), "node": each.route.node, "cause": each.cause}
        for each in found.missing_routes
    ]
    return {
        "configurationDiffers": {
            "lacks": [str(each) for each in state.difference.added],
            "has": [str(each) for each in state.difference.removed],
        },
        "sessions": {"wanted": found.sessions, "established": found.established, "missing": sessions},
        "routes": {"wanted": found.routes, "missing": routes},
    }
