from collections.abc import Callable
from pathlib import Path

from ovnguard.validators.network.rules import all_rules
from tests.support.pages.finality_page import classes, render
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "webhook-finality.md"


def test_the_page_is_up_to_date(generated: Callable[[Path, str, str], None]) -> None:
    generated(PAGE, render(), "make rules")


def test_every_rule_is_of_one_class() -> None:
    found = [rule.id for rules in classes().values() for rule in rules]
    assert sorted(found) == [rule.id for rule in all_rules()]
    assert "OVNG-L2-010" in [rule.id for rule in classes()["Confirmed later"]]
