"""docs/dynamic-allocation.md: its commands print what it shows, and its chart is the plan's."""

import os
import re
import subprocess
import sys

import pytest

from ovnguard.reconciler.commands.cluster import command as cluster
from ovnguard.reconciler.commands.run import command as run
from ovnguard.validators.network.rules import all_rules
from tests.bench import allocation
from tests.support.paths import ROOT
from tests.support.soak import limit

PAGE = (ROOT / "docs/dynamic-allocation.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```console\n\$ ([^\n]+)\n(.*?)```", PAGE, re.DOTALL)
_PROGRAM = 'ovnguard-reconciler() { "$PYTHON" -P -c "from ovnguard.reconciler.cli import main; main()" "$@"; }\n'


@limit(180)
@pytest.mark.parametrize(("command", "output"), EXAMPLES)
def test_a_command_prints_what_is_shown(command: str, output: str) -> None:
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    argv = ["bash", "-c", _PROGRAM + command]
    done = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == output


@limit(180)
def test_the_chart_shows_the_rows_of_plans() -> None:
    steps, rows = (list(map(int, text.split(","))) for text in re.findall(r"(?:uses\"|line) \[([0-9, ]+)\]", PAGE))
    assert steps == list(allocation.STEPS)
    assert rows[:3] == [allocation.rows_of_a_node(used) for used in steps[:3]]
    assert f"has {rows[2]:,} rows; without dynamic allocation it has {rows[-1]:,}" in PAGE


def test_its_options_and_rules_exist() -> None:
    options = {name for command in (run, cluster) for each in command.params for name in each.opts}
    assert set(re.findall(r"^\| `(--[a-z-]+)`", PAGE, re.MULTILINE)) <= options
    assert set(re.findall(r"OVNG-[A-Z0-9]+-\d+", PAGE)) <= {rule.id for rule in all_rules()}
