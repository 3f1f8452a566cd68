"""Reads the state of BGP on this node: from bgpd by vtysh, from the kernel by ip."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from ovnguard.reconciler.apply.frr.vtysh import Vtysh
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.plan.bgp.convergence import Convergence, compare
from ovnguard.reconciler.plan.bgp.observed_bgp import ObservedBgp, details_of, kernel_prefixes, paths_of, peers_of
from ovnguard.reconciler.plan.bgp.wanted_routes import Session, WantedRoute
from ovnguard.validators.network.model import IPNetwork

# Routing protocol number of BGP, by which FRR marks its routes (iproute2, rt_protos).
_BGP: Final = "186"
_T = TypeVar("_T")


def read_bgp(
    vtysh: Vtysh,
    sessions: Sequence[Session],
    routes: Sequence[WantedRoute],
    down: Mapping[Session, float] | None = None,
) -> Convergence:
    """Compare what must be with what bgpd and the kernel have; ``down`` is that of `compare`.

    Details of all neighbours are long, so they are read only to explain what is missing. Raises StoreError when FRR or
    the kernel cannot be read, or says what no FRR says.
    """
    observed = _observed(vtysh)
    found = compare(sessions, routes, observed, down)
    if found.is_complete:
        return found
    details = _read(vtysh, "show bgp vrf all neighbors json", details_of)
    return compare(sessions, routes, replace(observed, details=details, has_zebra="zebra" in vtysh.daemons()), down)


def _observed(vtysh: Vtysh) -> ObservedBgp:
    peers = _read(vtysh, "show bgp vrf all summary json", peers_of)
    four, six = (_read(vtysh, f"show bgp vrf all ipv{version} unicast json", paths_of) for version in (4, 6))
    kernel = _kernel(vtysh, 4) | _kernel(vtysh, 6)
    return ObservedBgp(peers, valid=four[0] | six[0], unusable={**four[1], **six[1]}, kernel=kernel)


def _read(vtysh: Vtysh, command: str, parse: Callable[[object], _T]) -> _T:
    return _parsed(command, vtysh.json(command), parse)


def _kernel(vtysh: Vtysh, version: int) -> frozenset[IPNetwork]:
    argv = ("ip", f"-{version}", "-N", "-j", "route", "show", "table", "all", "proto", _BGP)
    return _parsed(" ".join(argv), vtysh.shell.ask(*argv), kernel_prefixes)


def _parsed(command: str, value: object, parse: Callable[[object], _T]) -> _T:
    try:
        return parse(value)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{command}: cannot be read: {error}") from None
