"""Alerts and panels of the interconnect upgrade, evaluated by Prometheus' own engine over scrapes of a real process."""

from pathlib import Path

import pytest

from tests.support.deployed.rollout_bed import CONFIG, CONFIG_MAPS, RolloutBed
from tests.support.deployed.rollout_invariants import upgrade
from tests.support.monitoring import engine as monitoring
from tests.support.monitoring.engine import Engine, alerts_of, bystanders, faulty, panels_of, reconciler
from tests.support.monitoring.page import exposed, promised
from tests.support.monitoring.processes import processes
from tests.support.monitoring.scrapes import Scrape
from tests.support.soak import limit

pytestmark = [pytest.mark.conformance, pytest.mark.timing, limit(180)]
engine = monitoring.engine
SOON = {"ovnguard.reconciler.rollout.plan.hanging:PATIENCE": 3}


def phase(found: Scrape, name: str) -> bool:
    return found.value("ovnk_reconcile_rollout_phase", phase=name) == 1


def hung(found: Scrape) -> float:
    return found.value("ovnk_reconcile_rollout_hung")


def test_an_upgrade_that_is_not_understood_and_then_hangs(bed: RolloutBed, engine: Engine) -> None:
    bed.install(4)
    wrong = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": CONFIG}, "data": {"zone-mode": "foo"}}
    assert bed.guest.request("POST", CONFIG_MAPS, wrong)[0] == 201
    with processes(bed.folder) as world:
        where = ("--kubeconfig", bed.kubeconfig, "--resync", "1")
        world.start(
            "rollout", "rollout", "run", "--mode", "own", *map(str, bed.release_options()), *where, periods=SOON
        )
        bed.processes.append(world.children["rollout"])
        strange = world.state("rollout", lambda found: phase(found, "not-understood"))
        families = exposed(world.read("rollout"))
        own = "`cluster`, `rollout run` and `dns run --record` with `--mode own`"
        assert families == promised(own) | {each for each in families if "_rollout_" in each}
        bed.simulation.broken.add("n003")
        assert bed.guest.request("DELETE", f"{CONFIG_MAPS}/{CONFIG}")[0] == 200
        hanging = world.state("rollout", lambda found: not bed.simulation.step() and hung(found) > 0)
        bed.simulation.broken.clear()
        upgrade(bed)
        done = world.state("rollout", lambda found: found.value("ovnk_reconcile_rollout_level_reached") == 1)
    pod = reconciler("rollout", "rollout")
    engine.fires([*bystanders(), faulty(pod, done, strange, done)], "OvnguardRolloutNotUnderstood")
    stalled = faulty(pod, done, hanging, done)
    engine.fires([*bystanders(), stalled], "OvnguardRolloutStalls")
    engine.shows([stalled], [*panels_of("rollout")])


def test_every_alert_of_the_upgrade_has_a_test() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in sorted(alerts_of("rollout")) if f'"{name}"' not in source] == []
