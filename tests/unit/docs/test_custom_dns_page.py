"""docs/custom-dns.md: its commands print what it shows, and its options, states, metrics and rules exist."""

import re
from pathlib import Path

from ovnguard.reconciler.dns.commands.corefile import command as corefile
from ovnguard.reconciler.dns.commands.manifests import command as manifests
from ovnguard.reconciler.dns.commands.run import command as run
from ovnguard.reconciler.dns.commands.status import command as status
from ovnguard.reconciler.dns.loop.dns_metrics import DnsMetrics
from ovnguard.reconciler.dns.loop.followed_names import LONGEST, SHORTEST
from ovnguard.reconciler.dns.plan.records import RecordState
from ovnguard.reconciler.dns.plan.workflow import State
from ovnguard.reconciler.loop.process.metrics import PREFIX, Metrics
from ovnguard.validators.network.rules import all_rules
from tests.support.pages.console import replayed
from tests.support.paths import ROOT
from tests.support.soak import limit

PAGE = (ROOT / "docs/custom-dns.md").read_text(encoding="utf-8")


@limit(180)
def test_a_command_prints_what_is_shown(tmp_path: Path) -> None:
    folder = tmp_path / "example"
    folder.mkdir()
    assert replayed(PAGE, folder) == PAGE


def test_every_state_is_explained() -> None:
    words = re.findall(r"^\| `([A-Z]\w+|[a-z ]+)` \|", PAGE, re.MULTILINE)
    assert sorted(words) == sorted([*RecordState, *State])


def test_every_metric_is_explained() -> None:
    metrics = Metrics()
    DnsMetrics(metrics.registry)
    text = metrics.exposition()[1].decode()
    names = set(re.findall(rf"^# TYPE ({PREFIX}_dns_\w+) ", text, re.MULTILINE))
    names -= {name for name in names if name.endswith("_created")}
    assert set(re.findall(rf"^\| `({PREFIX}_dns_\w+)` \|", PAGE, re.MULTILINE)) == names


def test_its_options_and_rules_exist() -> None:
    options = {name for command in (manifests, status, corefile, run) for each in command.params for name in each.opts}
    assert set(re.findall(r"`(--[a-z-]+)`", PAGE)) <= options
    assert set(re.findall(r"OVNG-[A-Z0-9]+-\d+", PAGE)) <= {rule.id for rule in all_rules()}


def test_the_bounds_of_lookups() -> None:
    assert f"no sooner than after {SHORTEST:g} seconds and no later than after {LONGEST:g}" in PAGE
