import pytest

from ovnguard.reconciler.plan.comparison.explanation import Explanation, Kind, Pattern, explained
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side

CHANGED = Difference(Side.BOTH, "ACL", "group | to-lport 5 x", "blue", "meter", "acl-logging", "")
ALONE = Difference(Side.OBSERVED, "Meter", "acl-logging", "default", observed="name=acl-logging")
METER = Pattern(Side.BOTH, ("ACL",), r".* \| (to|from)-lport .*", ("meter",), observed="^acl-logging$", planned="^$")


@pytest.mark.parametrize(
    ("pattern", "difference", "fits"),
    [
        (METER, CHANGED, True),
        (METER, ALONE, False),
        (Pattern(Side.BOTH, ("ACL",), ".*x", ("name", "meter")), CHANGED, True),
        (Pattern(Side.BOTH, ("ACL",), ".*x", ("name",)), CHANGED, False),
        (Pattern(Side.BOTH, ("ACL",), ".*x"), CHANGED, False),
        (Pattern(Side.BOTH, ("ACL",), "group", ("meter",)), CHANGED, False),
        (Pattern(Side.BOTH, ("QoS",), ".*x", ("meter",)), CHANGED, False),
        (Pattern(Side.OBSERVED, ("Meter",), "acl-logging"), ALONE, True),
        (Pattern(Side.OBSERVED, ("Meter",), "acl-logging", observed="unit=pktps"), ALONE, False),
        (Pattern(Side.PLANNED, ("Meter",), "acl-logging"), ALONE, False),
        (Pattern(Side.OBSERVED, ("Meter",), "acl-logging", ("name",)), ALONE, False),
    ],
)
def test_a_pattern_fits_exact_rows_and_columns(pattern, difference, fits):
    assert pattern.fits(difference) is fits


def test_the_first_rule_that_fits_explains():
    first = Explanation("one", Kind.INTENDED, "", "", "", (METER,))
    second = Explanation("two", Kind.INTENDED, "", "", "", (METER,))
    assert explained(CHANGED, (first, second)) is first
    assert explained(ALONE, (first, second)) is None
