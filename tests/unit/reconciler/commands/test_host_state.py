"""The machine's part of the offline commands."""

from ipaddress import ip_address, ip_network

import pytest

from ovnguard.reconciler.apply.host.host_routes import Machine
from ovnguard.reconciler.commands.host_state import with_kernel_routes
from ovnguard.reconciler.commands.manifests import Manifests
from ovnguard.reconciler.plan.rows.settings import ImportedRoute

ROUTE = ImportedRoute("default", "worker-a", ip_network("10.128.2.0/23"), ip_address("172.18.0.3"))


def test_the_routes_of_this_machine_are_planned_as_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "routes", lambda machine: (ROUTE,) if machine.node == "worker-a" else ())
    manifests = Manifests((), ())
    assert with_kernel_routes(manifests, "worker-a").settings.imported_routes == (ROUTE,)
    assert with_kernel_routes(manifests, None) is manifests
