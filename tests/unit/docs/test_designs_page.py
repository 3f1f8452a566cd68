"""docs/designs.md: what it names is there, and every rule and policy is named by it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ovnguard.validators.network.rules.index import RULES
from tests.support.pages.designs_page import (
    PAGE,
    SECTION_OF_RULES,
    SECTIONS,
    Page,
    completed,
    faults,
    quoted,
    read,
    rule_ids,
    validation_ids,
)


@pytest.fixture(scope="module")
def page() -> Page:
    return read(PAGE.read_text(encoding="utf-8"))


def test_what_the_page_names_is_there(page: Page) -> None:
    assert list(faults(page)) == []


def test_every_design_has_its_table(page: Page) -> None:
    assert {row.section for row in page.rows} == set(SECTIONS)


def test_every_rule_that_has_cases_is_named(generated: Callable[[Path, str, str], None]) -> None:
    generated(PAGE, completed(PAGE.read_text(encoding="utf-8")), "make rules")


def test_every_rule_and_every_validation_of_a_policy_is_named(page: Page) -> None:
    named = {name for row in page.rows for name in quoted(row.where)}
    assert sorted(rule_ids() - named) == [], "write cases of these rules, then run make rules"
    assert sorted(validation_ids() - named) == []


def test_every_folder_of_rules_has_a_section() -> None:
    assert {entry.module.partition(".")[0] for entry in RULES} == set(SECTION_OF_RULES)
    assert set(SECTION_OF_RULES.values()) <= set(SECTIONS)


def test_a_new_rule_gets_the_last_row_of_its_section() -> None:
    text = PAGE.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    (line,) = [each for each in lines if "`OVNG-NET-060`" in each]
    without = text.replace(line, "")
    added = [each for each in completed(without).splitlines() if each not in without.splitlines()]
    assert len(added) == 1
    assert re.fullmatch(
        r"\| L2TR-\d+ \| .+ \| `OVNG-NET-060` \| `rule-cases/identity/operator_network_name.yaml::.+` \|", added[0]
    )
    assert list(faults(read(completed(without)))) == []


SHORT = "| short name | folder |\n|---|---|\n| `cases/` | `crd_schemas/cases/` |\n\n"
HEAD = "## Custom DNS\n\n| # | requirement | where | test |\n|---|---|---|---|\n"
GOOD_TEST = "`cases/networks.yaml::network-transport-immutable`"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(f"| CDNS-1 | a | `OVNG-NET-001` | {GOOD_TEST} |", [], id="a good row"),
        pytest.param("| CDNS-1 | a | open | open |", [], id="an open row"),
        pytest.param("| CDNS-1 | a | `OVNG-NET-001` | open: later |", [], id="a place without a test yet"),
        pytest.param("| CDNS-1 | a | not demanded: it says so | not demanded |", [], id="nothing to build"),
        pytest.param("| CDNS-1 | a | not shown here: no room | not shown here |", [], id="nothing to show"),
        pytest.param(
            f"| CDNS-1 | a | not demanded: it says so | {GOOD_TEST} |", ["CDNS-1: its test is 'not demanded', too"]
        ),
        pytest.param(
            "| CDNS-1 | a | not demanded | not demanded |",
            [
                "CDNS-1: where: neither a name in backticks nor 'open'",
                "CDNS-1: test: neither a name in backticks nor 'open'",
            ],
            id="no reason",
        ),
        pytest.param("| CDNS-1 | a | nowhere | open |", ["CDNS-1: where: neither a name in backticks nor 'open'"]),
        pytest.param(
            f"| CDNS-1 | a | `OVNG-NET-999`, `no-such-rule` | {GOOD_TEST} |",
            ["CDNS-1: where: no rule OVNG-NET-999", "CDNS-1: where: no CEL rule no-such-rule"],
        ),
        pytest.param(
            f"| CDNS-1 | a | `node-network.ovnguard.io/nothing` | {GOOD_TEST} |",
            ["CDNS-1: where: no policy validation node-network.ovnguard.io/nothing"],
        ),
        pytest.param(f"| CDNS-1 | a | `gate Nothing` | {GOOD_TEST} |", ["CDNS-1: where: no feature gate Nothing"]),
        pytest.param(
            f"| CDNS-1 | a | `enhancement:Network:spec.nothing`, `common:Network:spec` | {GOOD_TEST} |",
            [
                "CDNS-1: where: Network of enhancement has no spec.nothing",
                "CDNS-1: where: no Network in common",
            ],
        ),
        pytest.param(
            f"| CDNS-1 | a | `common:FRRConfiguration:spec.bgp.routers[].asn maximum=7` | {GOOD_TEST} |",
            ["CDNS-1: where: spec.bgp.routers[].asn: maximum is 4294967295, not 7"],
        ),
        pytest.param(
            "| CDNS-1 | a | `cases/networks.yaml` | `cases/nothing.yaml::a`, `cases/networks.yaml::a`, `a` |",
            [
                "CDNS-1: test: no file crd_schemas/cases/nothing.yaml",
                "CDNS-1: test: nothing called 'a' in crd_schemas/cases/networks.yaml",
                "CDNS-1: test: a is not file::name",
            ],
        ),
        pytest.param(
            f"| CDNS-1 | a | `validators/base/field.py::nothing` | {GOOD_TEST} |",
            ["CDNS-1: where: nothing called 'nothing' in validators/base/field.py"],
        ),
        pytest.param(f"| CDNS-1 | a | open | {GOOD_TEST} |", ["CDNS-1: what is open has no test"]),
        pytest.param(
            f"| CDNS-1 | a | `OVNG-NET-001`; open: the rest | {GOOD_TEST} |",
            ["CDNS-1: what is open has no test"],
            id="open in the middle of a cell",
        ),
        pytest.param(
            f"| CDNS-1 | a | `OVNG-NET-001` | {GOOD_TEST}; the rest is Open |",
            ["CDNS-1: what is open has no test"],
            id="open at the end of a row",
        ),
        pytest.param(
            f"| CDNS-1 | an open question | `OVNG-NET-001` | {GOOD_TEST} |",
            ["CDNS-1: what is open has no test"],
            id="open in a requirement",
        ),
        pytest.param(
            "| CDNS-1 | an open question | not demanded: it says so | not demanded |",
            ["CDNS-1: what is open has no test"],
            id="open and not demanded",
        ),
        pytest.param("| CDNS-1 | `open` | `OVNG-NET-001` | open |", [], id="a name"),
        pytest.param("| CDNS-1 | a | open | open |\n| CDNS-1 | b | open | open |", ["CDNS-1: two rows"]),
        pytest.param(
            "| ICUP-1 | a | open | open |",
            ["ICUP-1: rows under 'Custom DNS' are called CDNS-1, CDNS-2, ..."],
        ),
    ],
)
def test_what_is_wrong_is_seen(line: str, expected: list[str]) -> None:
    assert list(faults(read(f"{SHORT}{HEAD}{line}\n"))) == expected
