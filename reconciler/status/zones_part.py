"""The zones: the age of each report by the API server's clock, the numbers in it, and what it says about the zone."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Final, NamedTuple

from ovnguard.reconciler.apply.kube_report import KEY, node_of_report
from ovnguard.reconciler.loop.status.report_folding import STALE
from ovnguard.reconciler.loop.status.zone_counts import AUDIT, Counts, counts_in
from ovnguard.reconciler.loop.status.zone_report import MAX_TEXT, MAX_TEXTS, document_in, one_line
from ovnguard.reconciler.status.leader_part import mode_of
from ovnguard.reconciler.status.part import NONE, UNKNOWN, Part, age_text, grouped, missing_replicas, number, runbook
from ovnguard.reconciler.status.snapshot import REPORTS, Snapshot, replicas, written_at
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.list_text import counted
from ovnguard.validators.network.parse_values import dig, text_of

DAEMON_SET: Final = "ovnguard-reconciler"
_HEADS: Final = ("NODE", "MODE", "REPORT", "ROWS", "DRIFT", "HELD", "BGP", "RELEASE")
_MAX_WORD: Final = 40
_STALE: Final = "OvnguardReportStale"


class Zone(NamedTuple):
    """The zone of a node: the age of its report, None without one, and what the report says."""

    node: str
    age: timedelta | None
    mode: str
    release: str
    counts: Counts
    texts: tuple[str, ...]
    is_ready: bool


def zones_of(seen: Snapshot) -> tuple[Zone, ...]:
    """Return the zone of each Node, in the order of names."""
    reports = {node_of_report(each): each for each in seen.items(REPORTS)}
    names = sorted((str(each["metadata"]["name"]), each) for each in seen.items("nodes"))
    return tuple(_zone(seen, name, node, reports.get(name)) for name, node in names)


def _zone(seen: Snapshot, name: str, node: JsonObject, report: JsonObject | None) -> Zone:
    moment = None if report is None else written_at(report)
    document = document_in(dig(report, "data", KEY))
    texts = document.get("zone")
    lines = [each for each in texts if isinstance(each, str)] if isinstance(texts, list) else []
    mode, release = (one_line(text_of(document.get(key))[:_MAX_WORD]) for key in ("mode", "release"))
    return Zone(
        name,
        None if moment is None else max(timedelta(), seen.now - moment),
        mode,
        release,
        counts_in(document),
        tuple(one_line(each[:MAX_TEXT]) for each in lines[:MAX_TEXTS]),
        _is_ready(node),
    )


def _is_ready(node: JsonObject) -> bool:
    """Whether the kubelet does not say otherwise."""
    conditions = dig(node, "status", "conditions")
    found = [each for each in (conditions if isinstance(conditions, list) else ()) if dig(each, "type") == "Ready"]
    return all(dig(each, "status") == "True" for each in found)


def zones_part(seen: Snapshot) -> Part:
    """Return the state of all zones, first those with a finding."""
    daemon_set, zones = seen.named("daemonsets", DAEMON_SET), zones_of(seen)
    installed = daemon_set is not None or bool(seen.items(REPORTS))
    if not installed or not seen.knows("nodes", REPORTS):
        text = UNKNOWN if not seen.knows("nodes", REPORTS, "daemonsets") else "not installed"
        return Part("ZONES", (), (("zones", text),), (), None if text == UNKNOWN else [])
    audits = daemon_set is not None and mode_of(daemon_set) == AUDIT
    wrong = _wrong(zones)
    troubled = {title for texts in wrong.values() for title in texts}
    ordered = sorted(zones, key=lambda zone: f"zone {zone.node}" not in troubled)
    rows = tuple(_row(zone, audits=audits) for zone in ordered)
    findings = [each for alert, texts in wrong.items() for each in grouped("zone", texts, runbook(alert))]
    if daemon_set is not None:
        title = f"the zones, DaemonSet {seen.namespace}/{DAEMON_SET}"
        findings += missing_replicas(title, *replicas(daemon_set), runbook("OvnguardReconcilerDown"))
    data = [_data(zone) for zone in zones]
    return Part("ZONES", _HEADS, rows, tuple(findings), data, len(zones) - len(troubled))


def _wrong(zones: tuple[Zone, ...]) -> Mapping[str, dict[str, str]]:
    """What is wrong in which zone, by alert."""
    found: dict[str, dict[str, str]] = {}
    for zone in zones:
        for alert, text in _troubles(zone):
            texts = found.setdefault(alert, {})
            title = f"zone {zone.node}"
            texts[title] = f"{texts[title]}, {text}" if title in texts else text
    return found


def _troubles(zone: Zone) -> Iterator[tuple[str, str]]:
    """Alert and text of what is wrong in a zone, each alert with the reported texts first."""
    if zone.age is None:
        if zone.is_ready:
            yield _STALE, "no report"
        return
    if zone.age.total_seconds() > STALE:
        yield _STALE, f"the report is {age_text(zone.age)} old"
    said = {_alert_of(text): text for text in reversed(zone.texts)}
    counts = zone.counts
    if counts.drift:
        yield "OvnguardDrift", f"{counted(counts.drift, 'row')} not as planned"
    if (counts.held_networks or counts.held_rows) and "OvnguardDeletionsHeld" not in said:
        yield "OvnguardDeletionsHeld", f"deletions of {_held(counts)} wait"
    if (counts.established or 0) < (counts.sessions or 0) and "OvnguardBgpIncomplete" not in said:
        yield "OvnguardBgpIncomplete", f"{counts.established} of {counts.sessions} BGP sessions Established"
    yield from said.items()


def _alert_of(text: str) -> str:
    """The alert about what a text of a report says."""
    if text.startswith("deletions of "):
        return "OvnguardDeletionsHeld"
    if text.startswith("BGP of node ") or ": not learnt from other nodes: " in text:
        return "OvnguardBgpIncomplete"
    return "OvnguardWritesFail"


def _held(counts: Counts) -> str:
    networks = counted(counts.held_networks, "network") if counts.held_networks else ""
    return " and ".join(filter(None, (networks, counted(counts.held_rows, "row") if counts.held_rows else "")))


def _row(zone: Zone, *, audits: bool) -> tuple[str, ...]:
    if zone.age is None:
        return (zone.node, UNKNOWN, "none", *[UNKNOWN] * 5)
    counts, is_audit = zone.counts, (zone.mode or (AUDIT if audits else "")) == AUDIT
    known = counts.held_networks is not None and counts.held_rows is not None
    held = NONE if is_audit else (_held(counts) or "0") if known else UNKNOWN
    return (
        zone.node,
        zone.mode or UNKNOWN,
        age_text(zone.age),
        number(counts.rows),
        number(counts.drift) if is_audit else NONE,
        held,
        _bgp(zone),
        zone.release or UNKNOWN,
    )


def _bgp(zone: Zone) -> str:
    if zone.counts.sessions is None or zone.counts.established is None:
        return UNKNOWN
    return f"{zone.counts.established} of {zone.counts.sessions}"


def _data(zone: Zone) -> JsonObject:
    counts = zone.counts
    return {
        "node": zone.node,
        "mode": zone.mode or None,
        "reportSeconds": None if zone.age is None else int(zone.age.total_seconds()),
        "rows": counts.rows,
        "drift": counts.drift,
        "held": {"networks": counts.held_networks, "rows": counts.held_rows},
        "bgp": {"established": counts.established, "sessions": counts.sessions},
        "release": zone.release or None,
        "texts": list(zone.texts),
    }
