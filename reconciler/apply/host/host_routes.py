"""BGP routes of the kernel, read on every tick: routes from FRR become rows of gateway routers."""

from typing import Final

from ovnguard.reconciler.apply.host.host import Host
from ovnguard.reconciler.apply.host.host_shell import Shell
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.plan.host.imported_routes import imported
from ovnguard.reconciler.plan.host.ip_json import listed
from ovnguard.reconciler.plan.host.items import MAIN_TABLE
from ovnguard.reconciler.plan.rows.settings import ImportedRoute
from ovnguard.validators.network.model import DEFAULT_NETWORK

# Routing protocol number of BGP, by which FRR marks its routes (iproute2, rt_protos).
BGP: Final = 186
# More routes are a full internet table, which must not become rows.
MAX_ROUTES: Final = 100_000


def kernel_routes(host: Host) -> tuple[ImportedRoute, ...]:
    """Return the BGP routes of this node, sorted: of the default network and of networks with a VRF.

    Raises StoreError when the routes cannot be read: the caller should then keep earlier imports.
    """
    networks = {MAIN_TABLE: DEFAULT_NETWORK, **{each.table: each.network for each in host.vrfs()}}
    found: list[ImportedRoute] = []
    for version in (4, 6):
        found += _of_version(host.shell, host.node, version, networks)
    return tuple(found)


def _of_version(shell: Shell, node: str, version: int, networks: dict[int, str]) -> tuple[ImportedRoute, ...]:
    argv = ("ip", f"-{version}", "-N", "-j", "route", "show", "table", "all", "proto", str(BGP))
    value = shell.ask(*argv)
    try:
        entries = listed([] if value is None else value)
        if len(entries) > MAX_ROUTES:
            raise StoreError(f"{' '.join(argv)}: {len(entries)} routes; more than {MAX_ROUTES} are not imported")
        return imported(entries, version, node, networks)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{' '.join(argv)}: cannot be read: {error}") from None


class Machine(Host):
    """A host with its imported routes."""

    def routes(self) -> tuple[ImportedRoute, ...]:
        """Return its BGP routes. Raises StoreError when the routes cannot be read."""
        return kernel_routes(self)
