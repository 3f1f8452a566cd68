"""An audit as findings of nodes, for SARIF and JUnit."""

from dataclasses import replace

from ovnguard.reconciler.apply.store_errors import StoreUnavailableError
from ovnguard.reconciler.commands.audit.findings import findings_report, requirement
from ovnguard.reconciler.commands.audit.report import AuditReport
from ovnguard.reconciler.plan.comparison.audit import EMPTY, NetworkAudit, ZoneAudit
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side
from ovnguard.validators.report.findings import BAD_INPUT, Severity

DRIFT = (
    Difference(Side.PLANNED, "Port_Group", "group", "blue", planned="name=group"),
    Difference(Side.BOTH, "Meter", "meter", "blue", "unit", "kbps", "pktps"),
    Difference(Side.OBSERVED, "Copp", "copp", "blue", observed="name=copp"),
)
REPORT = AuditReport(
    "a.tar.gz",
    "4.20.3",
    whole=True,
    nodes=frozenset({"a", "b", "c", "d"}),
    zones={"a": ZoneAudit(7, (NetworkAudit("blue", DRIFT, {}),)), "b": ZoneAudit(9), "c": ZoneAudit(fault=EMPTY)},
    failures={"d": StoreUnavailableError("unix:/x: No such file or directory")},
)


def test_every_drift_is_an_error_of_its_node():
    found = findings_report(REPORT, graded=False)
    assert (found.objects, found.errors, found.warnings) == (4, 5, 0)
    assert [(each.subject.title, each.rule or each.reason, each.message) for each in found.findings] == [
        (
            "Node a",
            "Port_Group-missing",
            "critical: rules of network blue on a concern no port: port group group is missing",
        ),
        ("Node a", "Meter-changed", "medium: meter meter on a has another limit (unit: kbps -> pktps)"),
        ("Node a", "Copp-foreign", "low: a has a protection of its control plane that is not planned: copp"),
        ("Node c", "Drift", EMPTY),
        ("Node d", BAD_INPUT, "unix:/x: No such file or directory"),
    ]
    assert {each.title for each in found.judged} == {"Node a", "Node b", "Node c", "Node d"}


def test_less_severe_drift_may_be_a_warning_or_a_note():
    found = findings_report(REPORT, graded=True)
    grades = [Severity.ERROR, Severity.WARNING, Severity.NOTE, Severity.ERROR, Severity.ERROR]
    assert [each.severity for each in found.findings] == grades
    assert (found.errors, found.warnings) == (3, 1)


def test_what_a_rule_requires():
    assert [requirement(rule) for rule in ("ACL-missing", "Drift")] == ["no row of ACL is missing", ""]


def test_no_drift_is_no_finding():
    report = replace(REPORT, zones={"b": ZoneAudit(9)}, failures={})
    assert findings_report(report, graded=True).findings == ()
