"""docs/custom-dns.md: its commands print what it shows, and its options, states and rules exist."""

import os
import re
import subprocess
import sys

import pytest

from reconciler.commands.dns.corefile import command as corefile
from reconciler.commands.dns.manifests import command as manifests
from reconciler.commands.dns.status import command as status
from reconciler.loop.dns.followed_names import LONGEST, SHORTEST
from reconciler.plan.dns.records import RecordState
from reconciler.plan.dns.workflow import State
from tests.support.paths import ROOT
from tests.support.soak import limit
from validators.network.rules import all_rules

PAGE = (ROOT / "docs/custom-dns.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```console\n\$ ([^\n]+)\n(.*?)```", PAGE, re.DOTALL)
_PROGRAM = 'ovnguard-reconciler() { "$PYTHON" -P -c "from reconciler.cli import main; main()" "$@"; }\n'


@limit(60)
@pytest.mark.parametrize(("command", "output"), EXAMPLES)
def test_a_command_prints_what_is_shown(command: str, output: str) -> None:
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    argv = ["bash", "-c", _PROGRAM + command]
    done = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == output


def test_every_state_is_explained() -> None:
    words = re.findall(r"^\| `([A-Z]\w+|[a-z ]+)` \|", PAGE, re.MULTILINE)
    assert sorted(words) == sorted([*RecordState, *State])


def test_its_options_and_rules_exist() -> None:
    options = {name for command in (manifests, status, corefile) for each in command.params for name in each.opts}
    assert set(re.findall(r"`(--[a-z-]+)`", PAGE)) <= options
    assert set(re.findall(r"OVNG-[A-Z0-9]+-\d+", PAGE)) <= {rule.id for rule in all_rules()}


def test_the_bounds_of_lookups() -> None:
    assert f"at least every {LONGEST:g} and at most every {SHORTEST:g} seconds" in PAGE
