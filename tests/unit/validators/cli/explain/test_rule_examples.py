"""Examples of rules: generated from case files, and one each way."""

from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from ovnguard.validators.bundled.bundled_rules import bundled_rules
from ovnguard.validators.cli.explain.explain_command import explain
from ovnguard.validators.cli.explain.rule_examples import Examples, as_yaml, examples_of
from ovnguard.validators.network.rules import all_rules
from tests.support.rule_examples import FILE, render

RULES = (*bundled_rules(), *(rule.id for rule in all_rules()))


def test_the_file_is_up_to_date(generated: Callable[[Path, str, str], None]) -> None:
    generated(FILE, render(), "make rules")


def test_rules_without_an_example_are_known() -> None:
    lacking = [rule for rule in RULES if None in examples_of(rule)]
    # the API server refuses such an object before any policy sees it
    known = ["interconnect-configuration.ovnguard.io/values-are-strings"]
    assert lacking == known, "write cases of these rules, with and without a finding, then run make rules"


def test_a_rule_of_a_definition() -> None:
    found = examples_of("udn-layer2-immutable")
    assert found.silent is not None
    assert found.finding is not None
    assert found.silent["value"] == found.silent["stored"]
    assert found.finding["value"] != found.finding["stored"]


def test_a_network_rule_is_shown_both_ways() -> None:
    text = CliRunner().invoke(explain, ["OVNG-L2-012"]).output
    found = examples_of("OVNG-L2-012")
    for label, example in (("No finding:  ", found.silent), ("Finding:     ", found.finding)):
        assert example is not None
        assert label + as_yaml(example).replace("\n", "\n" + " " * 13) in text


def test_what_no_case_shows() -> None:
    assert examples_of("strict") == Examples()
