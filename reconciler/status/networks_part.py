"""The networks: in how many of its zones each is ready, and the pods that wait for an address in it.

The leader's conditions come first: it knows which nodes use a network. Without them the reports of the zones count.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from ovnguard.reconciler.apply.kube import find_condition
from ovnguard.reconciler.loop.activity.activity_status import NODES_SELECTED
from ovnguard.reconciler.loop.status.network_status import ACCEPTED, ZONES
from ovnguard.reconciler.loop.status.report_folding import NO_REPORT, NOT_REPORTED, Folded, ReportFolder
from ovnguard.reconciler.loop.status.zone_report import DRIFT, QUARANTINED, ROUTES_MISSING, mark_of
from ovnguard.reconciler.loop.status.zones_ready import READY, counted_zones
from ovnguard.reconciler.plan.pods.missing_entries import BoundPods, missing_entries
from ovnguard.reconciler.plan.pods.pod_entries import EntryFacts
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.status.part import NOT_KNOWN, PAGE, UNKNOWN, Finding, Part, grouped, number, runbook
from ovnguard.reconciler.status.snapshot import PODS, REPORTS, Snapshot, latest
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.resources import CUDNS, NADS, UDNS
from ovnguard.validators.network.cluster_view import CUDN, NAD, UDN, ObjectsView
from ovnguard.validators.network.declared.network_of import group_kind_of, network_of
from ovnguard.validators.network.list_text import counted, shortlist
from ovnguard.validators.network.model import Network
from ovnguard.validators.network.parse_values import dig, text_of

KINDS: Final = ("operator networks", CUDNS.plural, UDNS.plural, NADS.plural)
GRACE: Final = timedelta(seconds=10)
"""How long a pod may wait for its address on its node before that is wrong."""
_HEADS: Final = ("NETWORK", "ZONES", "PODS WAITING", "STATE")
_COUNTED: Final = re.compile(r"[0-9]+ of [0-9]+ zones", re.ASCII)
_NOT_READY: Final = f"{PAGE}#a-network-is-not-ready"
_WAITING: Final = f"{PAGE}#pods-wait-for-an-address"
_PAGES: Final = {
    DRIFT: runbook("OvnguardDrift"),
    QUARANTINED: runbook("OvnguardWritesFail"),
    ROUTES_MISSING: runbook("OvnguardBgpIncomplete"),
    UNKNOWN: NOT_KNOWN,
    NO_REPORT: runbook("OvnguardReportStale"),
    NOT_REPORTED: runbook("OvnguardReportStale"),
}


class _Standing(NamedTuple):
    zones: str
    state: str
    text: str = ""


class _Row(NamedTuple):
    title: str
    standing: _Standing
    waiting: int | None


def networks_part(seen: Snapshot) -> Part:
    """Return the state of all networks, first those with a finding."""
    folded = _folded(seen)
    waiting = _waiting_pods(seen)
    rows = []
    for title, name, obj in _declared(seen):
        pods = None if waiting is None else len(waiting.get(name, ()))
        rows.append(_Row(title, _standing(obj, name, folded), pods))
    troubled = [each for each in rows if each.standing.state != READY or each.waiting]
    ordered = [*troubled, *(each for each in rows if each not in troubled)]
    cells = tuple((each.title, each.standing.zones, number(each.waiting), each.standing.state) for each in ordered)
    data = [
        {
            "network": each.title,
            "zones": None if each.standing.zones == UNKNOWN else each.standing.zones,
            "podsWaiting": each.waiting,
            "state": None if each.standing.state == UNKNOWN else each.standing.state,
            "text": each.standing.text,
        }
        for each in rows
    ]
    if not seen.knows(*KINDS):
        cells = (*cells, ("(others)", UNKNOWN, UNKNOWN, UNKNOWN))
    findings = (*_not_ready(rows), *_waiting(waiting or {}))
    return Part("NETWORKS", _HEADS, cells, findings, data, len(rows) - len(troubled) if seen.knows(*KINDS) else 0)


def _declared(seen: Snapshot) -> Iterator[tuple[str, str, JsonObject]]:
    """Title, name and object of each network; attachments that a network controls are not networks of their own."""
    names = set()
    for kind in KINDS:
        for obj in seen.items(kind):
            parsed, metadata = network_of(obj), obj["metadata"]
            name = parsed.network.name if parsed.network is not None else ""
            if (parsed.network is None and not parsed.errors) or (group_kind_of(obj) == NAD and _is_controlled(obj)):
                continue
            if name not in names or not name:
                place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
                yield f"{obj['kind']} {place}{metadata['name']}", name, obj
            names.add(name)


def _is_controlled(obj: JsonObject) -> bool:
    owners = dig(obj, "metadata", "ownerReferences")
    kinds = (CUDN.kind, UDN.kind)
    return any(dig(each, "kind") in kinds for each in (owners if isinstance(owners, list) else ()))


def _folded(seen: Snapshot) -> Folded | None:
    """The reports by network, None while they are unknown; their age is the matter of zones."""
    if not seen.knows("nodes", REPORTS):
        return None
    nodes = {str(each["metadata"]["name"]): each for each in seen.items("nodes")}
    return ReportFolder(lambda: 0.0).fold(seen.items(REPORTS), nodes)


def _standing(obj: JsonObject, name: str, folded: Folded | None) -> _Standing:
    accepted, ready = (_condition(obj, kind) for kind in (ACCEPTED, ZONES))
    if accepted.get("status") == "False":
        return _Standing("-", text_of(accepted.get("reason")), text_of(accepted.get("message")))
    if ready.get("status") in ("True", "False"):
        message = text_of(ready.get("message"))
        found = _COUNTED.match(message)
        state = READY if ready["status"] == "True" else text_of(ready.get("reason"))
        return _Standing(found[0].removesuffix(" zones") if found else UNKNOWN, state, message)
    if folded is None or not name or _condition(obj, NODES_SELECTED):
        return _Standing(UNKNOWN, UNKNOWN, "neither a condition ZonesReady nor reports tell")
    standing = folded.standing(name, mark_of(obj))
    count = counted_zones(standing).removesuffix(" zones")
    if standing.trouble is None:
        return _Standing(count, READY)
    return _Standing(count, standing.trouble.reason, standing.trouble.text(public=False))


def _condition(obj: JsonObject, kind: str) -> Mapping[str, object]:
    """A condition about the current generation; an empty one if there is none."""
    found = find_condition(obj, kind) or {}
    observed, newest = found.get("observedGeneration"), obj["metadata"].get("generation", 0)
    return {} if isinstance(observed, int) and observed < newest else found


def _not_ready(rows: Sequence[_Row]) -> Iterator[Finding]:
    texts: dict[str, dict[str, str]] = {}
    for each in rows:
        if each.standing.state != READY:
            reason = each.standing.state
            text = each.standing.text or reason
            texts.setdefault(_PAGES.get(reason, _NOT_READY), {})[each.title] = f"{reason}: {text}"
    for page, found in texts.items():
        yield from grouped("network", found, page)


def _waiting_pods(seen: Snapshot) -> Mapping[str, Sequence[str]] | None:
    """The pods that are on a node and have no address yet, by network; None while they are unknown."""
    lists = (PODS.plural, "namespaces", "nodes", *KINDS)
    if not seen.knows(*lists):
        return None
    objects = [each for name in lists for each in seen.items(name)]
    bound = BoundPods().read(each for each in seen.items(PODS.plural) if _is_late(each, seen))
    facts = EntryFacts(Settings(), ())
    found = missing_entries(ObjectsView(objects, all_complete=True), bound, {}, _networks(seen), (), facts, _nobody)
    waiting: dict[str, list[str]] = {}
    for each in found.waiting:
        waiting.setdefault(each.network, []).append(each.pod)
    return waiting


def _networks(seen: Snapshot) -> list[Network]:
    return [parsed for _, _, obj in _declared(seen) if (parsed := network_of(obj).network) is not None]


def _nobody(_: Network) -> bool:
    """Whether this command allocates in a network."""
    return False


def _is_late(pod: JsonObject, seen: Snapshot) -> bool:
    conditions = dig(pod, "status", "conditions")
    times = [
        dig(each, "lastTransitionTime")
        for each in (conditions if isinstance(conditions, list) else ())
        if dig(each, "type") == "PodScheduled"
    ]
    bound = latest(times or [dig(pod, "metadata", "creationTimestamp")])
    return bound is not None and seen.now - bound >= GRACE


def _waiting(waiting: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    for network, pods in waiting.items():
        about = f" in network {network}" if network else ""
        verb = "waits" if len(pods) == 1 else "wait"
        yield Finding(f"{counted(len(pods), 'pod')} {verb} for an address{about}: {shortlist(pods)}", _WAITING)
