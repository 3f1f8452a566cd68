"""Differences as ovn-nbctl commands: the real program takes them, and they do what `apply` does."""

import contextlib
import os
import subprocess

import pytest

from ovnguard.reconciler.apply.ovn.converge import Converger
from ovnguard.reconciler.apply.ovn.nbctl import nbctl_script
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.validators.network.model import Role
from tests.support.plan_samples import SERVICES, V4, V6, nodes, udn
from tests.support.plan_scenarios import SCENARIOS


def planned(*numbers: int, count: int = 3, mode: str = "shared"):
    networks = [
        udn(f"ns{number}_net-{number}", V4, V6, mtu=1300)._replace(
            network_id=number,
            tunnel_keys=(16711683 + number, 16715779 + number),
        )
        for number in numbers
    ]
    second = udn("ns9_second", V4, role=Role.SECONDARY)._replace(network_id=99, transit_subnets=())
    plan = make_plan([*networks, second] if numbers else [], nodes(count, v6=True, mode=mode), SERVICES, ("node1",))
    return plan.zones[0].rows if plan.zones else ()


@pytest.fixture
def shell(ovn_zone, parts, tmp_path):
    """A zone, and what runs a script in a shell whose ovn-nbctl speaks to it."""
    zone = ovn_zone("n1")
    wrapper = tmp_path / "ovn-nbctl"
    wrapper.write_text(f'#!/bin/sh\nexec {parts.ovn.tool("ovn-nbctl")} "$@"\n')
    wrapper.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "OVN_NB_DB": zone.nb}

    def run(script: str) -> None:
        done = subprocess.run(["sh", "-eu"], input=script, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr[-1500:]

    return zone, run


def test_commands_do_what_apply_does(shell):
    zone, run = shell
    steps = [planned(1, 2), planned(1, 2, count=2), planned(2, count=2, mode="local"), planned(2, 3), ()]
    with contextlib.closing(NorthboundStore(zone.nb)) as store:
        for rows in steps:
            observed = store.read()
            script = nbctl_script(diff(observed, rows), observed)
            assert script.count("ovn-nbctl \\\n") == script.count("# ")
            run(script)
            assert {row.uuid: row for row in store.read()} == {row.uuid: row for row in rows}
            assert Converger(store).run(rows).operations == (), "notes included"
    assert zone.nbctl("ls-list") == ""


def test_commands_leave_what_is_not_ours_alone(shell):
    zone, run = shell
    switch = "ns1_net.1_ovn_layer2_switch"
    with contextlib.closing(NorthboundStore(zone.nb)) as store:
        Converger(store).run(planned(1))
        zone.nbctl("lsp-add", switch, "pod1", "--", "set", "logical_switch", switch, "other_config:theirs=1")
        zone.nbctl("set", "logical_switch", switch, "other_config:mcast_snoop=false")
        observed = store.read()
        run(nbctl_script(diff(observed, planned(1, count=1)), observed))
        assert Converger(store).run(planned(1, count=1)).operations == ()
    assert "(pod1)" in zone.nbctl("lsp-list", switch)
    assert zone.nbctl("get", "logical_switch", switch, "other_config:theirs").strip() == '"1"'


def test_every_scenario_can_be_written_and_removed_by_commands(shell):
    """The plans of docs/plans.md, from nothing to everything and back."""
    zone, run = shell
    wrong = []
    with contextlib.closing(NorthboundStore(zone.nb)) as store:
        for name, scenario in SCENARIOS.items():
            rows = {row.uuid: row for row in scenario.plan().zones[0].rows}
            run(nbctl_script(diff((), tuple(rows.values()))))
            written = store.read()
            if {row.uuid: row for row in written} != rows:
                wrong.append(f"{name}: written")
            run(nbctl_script(diff(written, ()), written))
            if store.read():
                wrong.append(f"{name}: removed")
    assert wrong == []
    assert len(SCENARIOS) >= 12


def test_no_difference_is_no_command():
    assert nbctl_script(()) == ""
