"""The audit of live databases: one request each, of one consistent moment."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime

from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.audit.report import AuditReport, Remarks
from ovnguard.reconciler.commands.audit.zone_texts import print_zone_notes
from ovnguard.reconciler.commands.manifests import Manifests
from ovnguard.reconciler.commands.options import Target
from ovnguard.reconciler.commands.page_content import picture_facts
from ovnguard.reconciler.commands.planned_manifests import plan_manifests
from ovnguard.reconciler.plan.render.pictures import pictures
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.zone_audit import audit_zone, expired_networks


def audit_databases(manifests: Manifests, target: Target, place: str, *, draws: bool) -> AuditReport:
    """Compare the databases of ``target`` with the plan. ``place`` names the objects; a page ``draws`` the plan."""
    report = AuditReport.of(place, manifests, whole=True)
    observed: dict[str, Sequence[Row]] = {}
    for node, store in target.databases(exclusive=False).items():
        with closing(store):
            try:
                observed[node] = store.read_everything()
            except StoreError as error:
                report.failures[node] = error
    planned = plan_manifests(manifests, {}, tuple(target.remotes))
    desired, now = planned.desired, datetime.now(UTC)
    report.remark(Remarks.of(planned))
    for node, rows in observed.items():
        report.zones[node] = audit_zone(desired, node, rows, expired_networks(desired, node, now))
    if draws:
        plans = [zone for zone in planned.plan.zones if zone.node in observed]
        report.pictures = pictures(plans, picture_facts(planned))
    print_zone_notes(observed)
    return report
