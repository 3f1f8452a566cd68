"""The words about one zone."""

from ovnguard.reconciler.commands.audit.zone_texts import audit_as_json, audit_as_lines, headline
from ovnguard.reconciler.plan.comparison.audit import NetworkAudit, ZoneAudit
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side


def test_the_words_of_an_audit():
    drift = (
        Difference(Side.PLANNED, "NAT", "r | snat x y", "blue", planned="type=snat"),
        Difference(Side.OBSERVED, "NAT", "r | snat x z", "blue", observed="type=snat"),
        Difference(Side.BOTH, "Logical_Router", "r", "blue", "options:chassis", "", "c"),
    )
    found = ZoneAudit(
        7,
        (NetworkAudit("blue", drift, {}), NetworkAudit("red", (), {"one": 2, "another": 1})),
        {"NetworkPolicy": 4, "EgressFirewall": 1},
        {"green": 3000},
        {"pods of namespace shop": 2},
    )
    assert headline(found) == "7 rows as planned, 3 differences explained, 3 differences without a rule"
    assert [line.text for line in audit_as_lines(found)] == [
        "  network blue:",
        "    - NAT r | snat x y: missing",
        "    + NAT r | snat x z: foreign",
        "    ~ Logical_Router r",
        "        options:chassis: (none) -> c",
        "  network red:",
        "    explained by docs/rows.md: another 1, one 2",
        "  rows of other controllers: EgressFirewall 1, NetworkPolicy 4",
        "  rows of networks that are not planned: green 3,000",
        "  not judged, because these objects were not collected: pods of namespace shop 2",
    ]
    assert audit_as_json(found) == {
        "rowsAsPlanned": 7,
        "networks": {
            "blue": {
                "drift": [
                    {"difference": "missing", "table": "NAT", "row": "r | snat x y", "planned": "type=snat"},
                    {"difference": "foreign", "table": "NAT", "row": "r | snat x z", "observed": "type=snat"},
                    {
                        "difference": "changed",
                        "table": "Logical_Router",
                        "row": "r",
                        "column": "options:chassis",
                        "observed": "",
                        "planned": "c",
                    },
                ],
                "explained": {},
            },
            "red": {"drift": [], "explained": {"one": 2, "another": 1}},
        },
        "otherControllers": {"NetworkPolicy": 4, "EgressFirewall": 1},
        "unplannedNetworks": {"green": 3000},
        "notCollected": {"pods of namespace shop": 2},
    }
    assert headline(ZoneAudit(1)) == "1 row as planned, 0 differences explained, no drift"
    fault = ZoneAudit(fault="x")
    assert (headline(fault), [line.text for line in audit_as_lines(fault)]) == ("not compared", ["  drift: x"])
    assert audit_as_json(ZoneAudit(fault="x"))["fault"] == "x"
