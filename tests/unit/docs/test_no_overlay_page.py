"""What docs/no-overlay.md shows is what the programs print, and its texts are those of the program."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ovnguard.reconciler.plan.bgp.advertisements import Result
from ovnguard.reconciler.plan.bgp.transport import default_state, transport_conditions
from ovnguard.reconciler.plan.rows.routing_model import Condition, RoutingInputs
from ovnguard.validators.network.cluster.route_advertisements import route_advertisement
from tests.support.pages.console import replayed
from tests.support.paths import ROOT
from tests.support.soak import limit

PAGE: Final = ROOT / "docs" / "no-overlay.md"
NAMED: Final = route_advertisement(
    {
        "metadata": {"name": "NAMES"},
        "spec": {
            "advertisements": ["PodNetwork"],
            "networkSelectors": [
                {"networkSelectionType": "DefaultNetwork"},
                {
                    "networkSelectionType": "ClusterUserDefinedNetworks",
                    "clusterUserDefinedNetworkSelector": {"networkSelector": {}},
                },
            ],
        },
    }
)

ACCEPTED: Final = Result("NAMES", Condition("Accepted", True, "Accepted", ""))


def rows(heading: str) -> list[tuple[str, ...]]:
    """The cells of the table under this first line."""
    table = PAGE.read_text(encoding="utf-8").split(f"{heading}\n", 1)[1].split("\n\n", 1)[0]
    return [tuple(cell.strip().strip("`") for cell in line[1:-1].split(" | ")) for line in table.splitlines()[1:]]


@limit(120)
def test_every_command_prints_what_is_shown(tmp_path: Path, generated: Callable[[Path, str, str], None]) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "deploy").symlink_to(ROOT / "deploy")
    shown = replayed(PAGE.read_text(encoding="utf-8"), tmp_path / "work")
    generated(PAGE, shown, "make rules, or pytest tests/unit/docs --update")
    assert shown.count("\n$ ") > 15


def test_reasons_of_the_transport_are_those_that_are_written() -> None:
    inputs = RoutingInputs(no_overlay={"blue": False})
    found = [
        transport_conditions(inputs, [NAMED], [ACCEPTED]),
        transport_conditions(inputs, [], []),
        transport_conditions(inputs, [NAMED], []),
        transport_conditions(RoutingInputs(enabled=False, no_overlay={"blue": False}), [], []),
    ]
    written = [(str(each["blue"].status), each["blue"].reason, each["blue"].message) for each in found]
    assert rows("| status | reason | message |") == written


def test_events_of_the_default_network_are_those_that_are_written() -> None:
    found = [
        default_state([NAMED], [ACCEPTED]),
        default_state([], []),
        default_state([NAMED], []),
        default_state([], [], ["FAULT"]),
    ]
    assert rows("| type | reason | message |") == [tuple(each) for each in found]


def test_figures_are_measured_ones() -> None:
    page = PAGE.read_text(encoding="utf-8").split("## Scale\n", 1)[1].split("\n## ", 1)[0]
    measured = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    figures = re.findall(r"\d[\d.,]* (?:s|ms|GiB)\b", page)
    assert len(figures) == 8
    assert [each for each in figures if each not in measured] == []
