"""An upgrade on a bed, from its begin to its end, and what must hold at every moment of it."""

import time
from collections.abc import Callable

from tests.support.deployed.rollout_bed import RolloutBed
from tests.support.deployed.simulated_workloads import Unit
from tests.support.soak import sized
from tests.testbed.process import wait_until


class Invariants:
    """What holds at every moment of an upgrade without an override."""

    def __init__(self, bed: RolloutBed) -> None:
        self.bed = bed
        self.seen: list[str] = []

    def check(self) -> None:
        nodes, masters, managers = (
            self.bed.simulation.workload(f"ovnkube-{name}") for name in ("node", "master", "control-plane")
        )
        kinds = {kind_of(each) for each in nodes.values()}
        assert not {"no interconnect", "multizone"} <= kinds, "they cannot reach each other"
        if kinds != {"multizone"}:
            assert sum(each.ready for each in masters.values()) >= 2, "the databases have their quorum"
            assert not managers, "the control plane follows the nodes"
            assert not self.bed.hosted or self.has_route(), "nodes need the southbound database"
        assert any(each.ready for each in (*masters.values(), *managers.values())), "one manager allocates subnets"
        phase = self.bed.report().get("phase")
        if phase and phase not in self.seen[-1:]:
            self.seen.append(phase)

    def has_route(self) -> bool:
        path = f"/apis/route.openshift.io/v1/namespaces/{self.bed.hosted}/routes/ovnkube-sbdb"
        return self.bed.control.request("GET", path)[0] == 200


def kind_of(unit: Unit) -> str:
    return "multizone" if unit.multizone else "single zone" if unit.interconnect else "no interconnect"


def upgrade(bed: RolloutBed, between: Callable[[], None] = lambda: None) -> list[str]:
    """Let the upgrade run to its end; return its phases."""
    invariants, deadline = Invariants(bed), time.monotonic() + sized(200, 3600)
    while not bed.report().get("levelReached"):
        bed.simulation.step()
        invariants.check()
        between()
        time.sleep(0.02)
        bed.processes[-1].check()
        assert time.monotonic() < deadline, (bed.report(), bed.processes[-1].tail())
    return invariants.seen


def each_phase(bed: RolloutBed, act: Callable[[], None]) -> Callable[[], None]:
    """What `upgrade` calls all the time: ``act`` in each phase that is reported, once."""
    seen: set[str] = set()

    def between() -> None:
        phase = bed.report().get("phase", "")
        if phase not in seen:
            seen.add(phase)
            act()

    return between


def settle(bed: RolloutBed) -> None:
    """Let the cluster roll out until it runs the release."""

    def reached() -> bool:
        bed.simulation.step()
        return bool(bed.report().get("levelReached"))

    wait_until(reached, "the release runs everywhere", 120, bed.processes[-1:])
