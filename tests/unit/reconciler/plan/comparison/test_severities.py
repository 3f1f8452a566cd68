"""What drifts mean: every table of a plan has its sentences, and the worst come first."""

from collections.abc import Mapping
from string import Formatter

import pytest

from ovnguard.reconciler.plan.comparison import severities
from ovnguard.reconciler.plan.comparison.identities import IdentifiedRow
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side
from ovnguard.reconciler.plan.comparison.severities import Meaning, Severity, meaning_of, worst
from ovnguard.reconciler.plan.rows.northbound import PLANNED

DENY = "default-network-controller:UDNIsolation:DenyPrimaryUDN:Ingress"
ADVERTISED = "default-network-controller:AdvertisedNetwork:advertised-network-subnets:"


def drift(
    table: str, side: Side, identity: str = "row", network: str = "red", **columns: tuple[str, ...] | Mapping[str, str]
) -> Difference:
    row = IdentifiedRow(table, identity, network, columns)
    return Difference(side, table, identity, network, row=None if side is Side.BOTH else row)


def test_every_planned_table_has_sentences_about_its_row():
    assert severities._TABLES.keys() == PLANNED.keys()
    for table in PLANNED:
        texts = {meaning_of(drift(table, side, "r1"), "worker-b").sentence for side in Side}
        assert len(texts) == 3
        assert all("worker-b" in text for text in texts)
        for _, text in severities._TABLES[table]:
            assert {field for _, field, _, _ in Formatter().parse(text) if field} <= {"network", "node", "row"}


@pytest.mark.parametrize(
    ("found", "meaning"),
    [
        (
            drift("ACL", Side.PLANNED, "a", action=("drop",), external_ids={"k8s.ovn.org/id": DENY}),
            Meaning(
                Severity.CRITICAL,
                "pods with a primary network on worker-b can be reached on the default network: "
                "isolation ACL a is missing",
            ),
        ),
        (
            drift("ACL", Side.PLANNED, "a", action=("drop",), external_ids={"k8s.ovn.org/id": ADVERTISED}),
            Meaning(
                Severity.CRITICAL,
                "pods of advertised networks on worker-b can reach each other: isolation ACL a is missing",
            ),
        ),
        (
            drift("ACL", Side.PLANNED, "a", action=("reject",)),
            Meaning(Severity.CRITICAL, "packets of network red that worker-b must drop pass: ACL a is missing"),
        ),
        (
            drift("ACL", Side.PLANNED, "a", action=("allow-related",)),
            Meaning(
                Severity.HIGH,
                "worker-b may drop packets of network red: the ACL that lets them pass is missing: a",
            ),
        ),
        (
            drift("ACL", Side.OBSERVED, "a", action=("drop",)),
            Meaning(Severity.HIGH, "an ACL of network red on worker-b drops packets and is not planned: a"),
        ),
        (
            drift("ACL", Side.OBSERVED, "a", action=("allow",)),
            Meaning(Severity.CRITICAL, "an ACL of network red on worker-b lets packets pass and is not planned: a"),
        ),
        (
            drift("ACL", Side.BOTH, "a"),
            Meaning(Severity.CRITICAL, "an ACL of network red on worker-b filters other packets: a"),
        ),
        (
            drift("Logical_Switch_Port", Side.PLANNED, "shop_web-1"),
            Meaning(
                Severity.CRITICAL, "shop_web-1 of network red on worker-b has no network: its switch port is missing"
            ),
        ),
        (
            drift("Sample", Side.OBSERVED, "a\x1b[31m"),
            Meaning(Severity.LOW, "worker-b has a row of Sample of network red that is not planned: a\\x1b[31m"),
        ),
    ],
)
def test_a_drift_in_words(found, meaning):
    assert meaning_of(found, "worker-b") == meaning


def test_the_worst_come_first_and_equal_ones_in_order():
    drifts = [
        ("b", drift("Copp", Side.OBSERVED)),
        ("b", drift("NAT", Side.BOTH, "1")),
        ("a", drift("NAT", Side.BOTH, "2")),
        ("a", drift("Logical_Switch", Side.PLANNED, "s")),
    ]
    assert [each.sentence for each in worst(drifts, 3)] == [
        "pods of network red on a have no network: switch s is missing",
        "packets of network red leave b with another address: NAT 1",
        "packets of network red leave a with another address: NAT 2",
    ]
