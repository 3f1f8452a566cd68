"""docs/ic-upgrade.md: its outputs, files, Events, metrics and options are those of the code."""

import json
import re
import shlex

import pytest

from ovnguard.reconciler.loop.process.metrics import PREFIX, Metrics
from ovnguard.reconciler.rollout.commands.plan import command as plan
from ovnguard.reconciler.rollout.commands.render import command as render
from ovnguard.reconciler.rollout.commands.run import command as run_command
from ovnguard.reconciler.rollout.commands.status import command as status
from ovnguard.reconciler.rollout.loop import rollout_controller, rollout_report
from ovnguard.reconciler.rollout.loop.rollout_metrics import RolloutMetrics
from ovnguard.reconciler.rollout.plan.folders import FILES, PURPOSES, link_of
from ovnguard.reconciler.rollout.plan.model import Flavour, Folder
from tests.support.pages.ic_upgrade_diagram import diagram
from tests.support.paths import ROOT
from tests.support.reconciler_cli import run
from tests.support.rollout.rollout_samples import FIRST_PHASE, NODE
from tests.support.rollout_model.invariants import SUSPENDED, TITLES

PAGE = (ROOT / "docs" / "ic-upgrade.md").read_text(encoding="utf-8")
COMMANDS = {"status": status, "plan": plan, "render": render, "run": run_command}
LINES = [
    shlex.split(line)
    for block in re.findall(r"```sh\n(.*?)```", PAGE.replace("\\\n", " "), re.DOTALL)
    for line in block.splitlines()
    if line.startswith("ovnguard-reconciler rollout ")
]


def cells(header: str) -> list[list[str]]:
    """The rows of the table with this first column."""
    _, _, rest = PAGE.partition(f"| {header} |")
    found = []
    for line in rest.splitlines()[2:]:
        if not line.startswith("|"):
            break
        found.append([each.strip() for each in line.strip("|").split("|")])
    return found


def test_the_status_is_what_the_command_prints():
    stdin = "\n---\n".join(json.dumps(each) for each in (NODE, *FIRST_PHASE))
    printed = run("rollout", "status", "--release", "4.14.20", "-f", "-", stdin=stdin).out
    assert f"```text\n{printed}```" in PAGE


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_commands_are_understood(line):
    command = COMMANDS[line[2]]
    with command.make_context(line[2], line[3:]) as context:
        assert line[2] == "render" or context.params["release"].startswith("4.1")


def origin(flavour: Flavour, folder: Folder, file: str) -> str:
    """Where a folder has a file from, as the page says it."""
    if file not in FILES[flavour][folder]:
        return "-"
    link = link_of(folder, file)
    return "own" if link is None else {"single-": "single zone", "multi-z": "multizone"}[link[3:10]]


def test_the_table_of_files_is_that_of_the_folders():
    folders = (Folder.SINGLE, Folder.TEMPORARY, Folder.FINAL)
    expected = {}
    for file, purpose in PURPOSES.items():
        if file == "common":
            continue
        both = [(origin(Flavour.SELF_HOSTED, each, file), origin(Flavour.MANAGED, each, file)) for each in folders]
        expected[file] = [purpose, *(here if here == there else f"hosted: {there}" for here, there in both)]
    assert {row[0].strip("`"): row[1:] for row in cells("file")} == expected


def test_events_and_metrics_are_those_of_the_controller():
    table = cells("what")
    documented = {text for row in table for text in re.findall(r"Event `(\w+)`", row[1])}
    known = (rollout_controller.PHASE, rollout_report.HUNG, rollout_controller.NOT_UNDERSTOOD)
    assert documented == {*known, rollout_controller.OVERRIDDEN, rollout_report.REFUSED}
    metrics = Metrics()
    RolloutMetrics(metrics.registry)
    exposed = set(re.findall(rf"^# TYPE ({PREFIX}_rollout_\w+) ", metrics.exposition()[1].decode(), re.MULTILINE))
    assert {row[0].strip("`").partition("{")[0] for row in table if "ovnk_" in row[0]} == exposed


def test_the_diagram_is_the_decision_table():
    assert diagram() in PAGE


def test_invariants_and_what_suspends_them():
    by = {("fast", "skip"): "both overrides", ("fast",): "fast forward", (): ""}
    found = {
        name: [title, by[tuple(sorted(key for key, names in SUSPENDED.items() if name in names))]]
        for name, title in TITLES.items()
    }
    lines = re.findall(r"^\| (I\d+) \| ([^|]*) \|([^|]*)\|$", PAGE, re.MULTILINE)
    assert {name: [title, who.strip()] for name, title, who in lines} == found
